import XMPPStanza

/// Reads the bytes of a state: what `RosterOutput` writes, and nothing else.
///
/// For any bytes it ends, with a value or an error, and takes memory in proportion to them.
struct RosterInput {
  /// What stands after the tables.
  var plain: CanonicalInput

  private var texts: [SharedText] = []
  private var areTextsUsed: [Bool] = []
  private var groups: [[String]] = []
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
    var text: String
  }

  /// Reads the tables.
  init(_ input: CanonicalInput) throws(CodecError) {
    plain = input
    try readTexts()
    try readGroupSets()
  }

  private mutating func readTexts() throws(CodecError) {
    let count = try plain.readCount()
    for _ in 0..<count {
      let bytes = try plain.readCounted()
      guard let text = String(utf8: bytes),
        texts.last.map({ $0.bytes.precedes(bytes) }) ?? true
      else { throw plain.invalid }
      texts.append(SharedText(bytes: bytes, text: text))
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
        numbers.append(number)
      }
      let list = numbers.map { texts[$0].text }
      guard list.isSortedSet, previous.lexicographicallyPrecedes(numbers) else {
        throw plain.invalid
      }
      groups.append(list)
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

  /// A text that other contacts may have too, and its number, which grows with the text's bytes.
  mutating func readShared() throws(CodecError) -> (text: String, number: Int) {
    let number = try readTextNumber()
    return (texts[number].text, number)
  }

  /// The groups of an item.
  mutating func readGroups() throws(CodecError) -> [String] {
    let number = try plain.readNumber()
    guard number < UInt64(groups.count) else { throw plain.invalid }
    areGroupsUsed[Int(number)] = true
    return groups[Int(number)]
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

  /// The address of the next contact, which must come after the one before it.
  mutating func readContact() throws(CodecError) -> BareJID {
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
      let text = current.withUnsafeBytes({ String(utf8: $0) })
    else { throw plain.invalid }
    contacts += 1
    return BareJID(prepared: text)
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
