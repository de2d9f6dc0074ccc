import XMPPStanza

/// Reads the bytes of a state: what `RosterOutput` writes, and nothing else.
///
/// For any bytes it ends, with a value or an error, and takes memory in proportion to them.
struct RosterInput {
  /// What stands after the tables.
  var plain: CanonicalInput

  private var texts: [SharedText] = []
  private var areTextsUsed: [Bool] = []
  private var groups: [SharedGroups] = []
  private var areGroupsUsed: [Bool] = []
  private var contacts = 0
  /// The address read last and the one before it, and where the last one's tail begins.
  private var current: [UInt8] = []
  private var previous: [UInt8] = []
  private var split = 0
  private var base = (record: UInt64(0), time: Int64(0))

  private struct SharedText {
    /// Valid as long as the input is.
    var bytes: UnsafeRawBufferPointer
    /// Its number in the contacts' table, once it is there.
    var number = TextNumber.none
  }

  private struct SharedGroups {
    /// The numbers of the texts.
    var texts: [Int]
    /// Its number in the contacts' table, once it is there.
    var number: GroupsNumber?
  }

  /// Reads the tables.
  init(_ input: CanonicalInput) throws(CodecError) {
    plain = input
    try readTexts()
    try readGroupSets()
  }

  private mutating func readTexts() throws(CodecError) {
    let count = try plain.readCount()
    texts.reserveCapacity(count)
    for _ in 0..<count {
      let bytes = try plain.readCounted()
      guard bytes.isUTF8, texts.last.map({ $0.bytes.precedes(bytes) }) ?? true else {
        throw plain.invalid
      }
      texts.append(SharedText(bytes: bytes))
    }
    areTextsUsed = Array(repeating: false, count: count)
  }

  private mutating func readGroupSets() throws(CodecError) {
    let count = try plain.readCount()
    var previous: [Int] = []
    for _ in 0..<count {
      var numbers: [Int] = []
      for _ in 0..<(try plain.readCount()) {
        let number = try readTextNumber()
        // In order, as the texts are, and none empty.
        guard !texts[number].bytes.isEmpty, numbers.last.map({ $0 < number }) ?? true else {
          throw plain.invalid
        }
        numbers.append(number)
      }
      guard !numbers.isEmpty, previous.lexicographicallyPrecedes(numbers) else {
        throw plain.invalid
      }
      groups.append(SharedGroups(texts: numbers))
      previous = numbers
    }
    areGroupsUsed = Array(repeating: false, count: count)
  }

  private mutating func readTextNumber() throws(CodecError) -> Int {
    let number = try plain.readNumber()
    guard number < UInt64(texts.count) else { throw plain.invalid }
    areTextsUsed[Int(number)] = true
    return Int(number)
  }

  /// A text that other contacts may have too, which goes into their table, and its number in this
  /// encoding, which grows with the text's bytes.
  mutating func readShared(
    into contacts: inout ContactTable
  ) throws(CodecError) -> (text: TextNumber, number: Int) {
    let number = try readTextNumber()
    return (insert(number, into: &contacts), number)
  }

  private mutating func insert(_ number: Int, into contacts: inout ContactTable) -> TextNumber {
    if texts[number].number == .none {
      texts[number].number = contacts.insert(text: texts[number].bytes)
    }
    return texts[number].number
  }

  /// A text that others do not have, which goes into the contacts' table.
  mutating func readText(into contacts: inout ContactTable) throws(CodecError) -> TextNumber {
    let bytes = try plain.readCounted()
    guard bytes.isUTF8 else { throw plain.invalid }
    return contacts.insert(text: bytes)
  }

  /// The groups of an item, which go into the contacts' table.
  mutating func readGroups(into contacts: inout ContactTable) throws(CodecError) -> GroupsNumber {
    let number = try plain.readNumber()
    guard number < UInt64(groups.count) else { throw plain.invalid }
    areGroupsUsed[Int(number)] = true
    if let known = groups[Int(number)].number { return known }
    let list = groups[Int(number)].texts.map { insert($0, into: &contacts) }
    let new = contacts.insert(groups: list)
    groups[Int(number)].number = new
    return new
  }

  mutating func readRecord() throws(CodecError) -> UInt64 {
    base.record &+= UInt64(bitPattern: try plain.readSigned())
    return base.record
  }

  mutating func readTime() throws(CodecError) -> Int64 {
    base.time &+= try plain.readSigned()
    return base.time
  }

  mutating func readStamp() throws(CodecError) -> RecordStamp {
    RecordStamp(record: try readRecord(), time: try plain.readFlag() ? try readTime() : nil)
  }

  /// Makes room for what will be read.
  func reserve(contacts count: Int, in contacts: inout ContactTable) {
    contacts.reserve(contacts: count, texts: texts.count + count, bytes: plain.rest)
  }

  /// The address of the next contact, which must come after the one before it, and which goes into
  /// the table.
  mutating func readContact(
    into table: inout ContactTable
  ) throws(CodecError) -> ContactNumber {
    let shared = try readHead()
    if try plain.readFlag() {
      try readTail()
    } else if let at = current.firstIndex(of: UInt8(ascii: "@")),
      current.count - at <= RosterLayout.sharing
    {
      throw plain.invalid
    }
    guard
      contacts == 0 || previous[shared...].lexicographicallyPrecedes(current[shared...]),
      current.withUnsafeBytes({ $0.isUTF8 })
    else { throw plain.invalid }
    contacts += 1
    return current.withUnsafeBytes { table.insert(address: $0) }
  }

  /// - Returns: how many bytes are those of the address before.
  private mutating func readHead() throws(CodecError) -> Int {
    let number = try plain.readNumber()
    let most = min(split, RosterLayout.sharing)
    guard number <= UInt64(most) else { throw plain.invalid }
    let shared = Int(number)
    let rest = try plain.readCounted()
    // The writer shares as much as it can.
    if shared < most, rest.first == current[shared] { throw plain.invalid }
    swap(&previous, &current)
    current.removeAll(keepingCapacity: true)
    current.append(contentsOf: previous[..<shared])
    current.append(contentsOf: rest)
    split = current.count
    return shared
  }

  private mutating func readTail() throws(CodecError) {
    let tail = texts[try readTextNumber()].bytes
    guard tail.first == UInt8(ascii: "@"), tail.count <= RosterLayout.sharing,
      !current.contains(UInt8(ascii: "@"))
    else { throw plain.invalid }
    current.append(contentsOf: tail)
  }

  /// What stands after the state; everything in the tables must have been used.
  func finish() throws(CodecError) -> CanonicalInput {
    guard areTextsUsed.allSatisfy(\.self), areGroupsUsed.allSatisfy(\.self) else {
      throw plain.invalid
    }
    return plain
  }
}
