import XMPPStanza

/// Reads the bytes of a snapshot: what `RosterOutput` writes, and nothing else.
///
/// For any bytes it ends, with a value or an error, and takes memory in proportion to them.
struct RosterInput: StampInput {
  /// What stands after the tables.
  var plain: CanonicalInput
  /// The contacts: of those of a whole snapshot, nothing is known before their rows are read.
  var contacts: ContactTable
  /// Whether a digest says that the bytes are what was written: what takes long to look through is
  /// not looked through again.
  let isSound: Bool

  /// Which contacts the snapshot is of, in its order.
  let numbers: [ContactNumber]
  private let texts: Numbers<TextNumber>
  private let groups: Numbers<GroupsNumber>
  /// Whether it is of some contacts of a table that has others.
  let isIncrement: Bool
  var base = (record: UInt64(0), time: Int64(0))
  var rows = RowCoding(after: ContactRow())
  var presences = RowCoding(after: PresenceRow.none)

  /// Which numbers texts have in the table.
  private enum Numbers<Number> {
    /// Those that they have in the snapshot, which are so many.
    case same(Int)
    case others([Number])
  }

  /// Reads the tables of a whole snapshot.
  init(_ input: CanonicalInput, isSound: Bool) throws(CodecError) {
    plain = input
    self.isSound = isSound
    isIncrement = false
    let addresses = try plain.readTexts { isSound || $0.isUTF8 }
    let texts = try plain.readTexts { isSound || $0.isUTF8 }
    let groups = try plain.readTexts { list in
      isSound && list.isListOfNumbers(below: texts.count)
        || list.isListOfGroups(of: texts.count) {
          texts.withBytes(of: $0) { $0.isEmpty }
        } precedes: {
          a, b in
          texts.withBytes(of: a) { a in texts.withBytes(of: b) { a.precedes($0) } }
        }
    }
    (self.texts, self.groups) = (.same(texts.count), .same(groups.count))
    numbers = (0..<UInt32(addresses.count)).map(ContactNumber.init)
    contacts = ContactTable(addresses: addresses, texts: texts, groups: groups)
  }

  /// Reads the tables of an increment, whose texts and contacts get their numbers in a table.
  init(
    _ input: CanonicalInput, to table: consuming ContactTable, isSound: Bool
  ) throws(CodecError) {
    plain = input
    self.isSound = isSound
    isIncrement = true
    var table = table
    var plain = input
    let invalid = input.invalid
    var known = ContactSet()
    numbers = try plain.readTexts { (address) throws(CodecError) in
      guard isSound || address.isUTF8 else { throw invalid }
      let number = table.insert(address: address)
      guard known.insert(number) else { throw invalid }
      return number
    }
    let texts = try plain.readTexts { (text) throws(CodecError) in
      guard isSound || text.isUTF8 else { throw invalid }
      return table.insert(text: text)
    }
    let groups = try plain.readTexts { (list) throws(CodecError) in
      let isList = list.isListOfGroups(of: texts.count) {
        table.isEmptyText(texts[Int($0)])
      } precedes: {
        a, b in
        table.withText(texts[Int(a)]) { a in table.withText(texts[Int(b)]) { a.precedes($0) } }
      }
      guard isList else { throw invalid }
      return table.insert(groups: list.numbers.map { texts[Int($0)] })
    }
    (self.texts, self.groups) = (.others(texts), .others(groups))
    self.plain = plain
    contacts = table
  }

  /// The number in the table of a text of the snapshot.
  @inline(__always)
  func number(ofText text: TextNumber) throws(CodecError) -> TextNumber {
    switch texts {
    case .same(let count) where text.rawValue < count: return text
    case .others(let texts) where text.rawValue < texts.count: return texts[Int(text.rawValue)]
    case .same, .others: throw plain.invalid
    }
  }

  /// The number in the table of a list of groups of the snapshot.
  @inline(__always)
  func number(ofGroups list: GroupsNumber) throws(CodecError) -> GroupsNumber {
    switch groups {
    case .same(let count) where list.rawValue < count: return list
    case .others(let groups) where list.rawValue < groups.count: return groups[Int(list.rawValue)]
    case .same, .others: throw plain.invalid
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The numbers of texts that a list of groups is made of.
  fileprivate var numbers: some Sequence<UInt32> {
    stride(from: 0, to: count, by: TextTable.endBytes).lazy.map { offset in
      UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
  }

  /// Whether these are numbers below another one.
  fileprivate func isListOfNumbers(below count: Int) -> Bool {
    self.count.isMultiple(of: TextTable.endBytes) && numbers.allSatisfy { $0 < UInt32(count) }
  }

  /// Whether these are the numbers of such texts as an item has for its groups: in order, each
  /// once, and none empty.
  ///
  /// - Parameters:
  ///   - count: How many texts there are.
  ///   - isEmpty: Whether a text has no bytes.
  ///   - precedes: Whether a text comes before another one by its bytes.
  fileprivate func isListOfGroups(
    of count: Int, isEmpty: (UInt32) -> Bool, precedes: (UInt32, UInt32) -> Bool
  ) -> Bool {
    guard !self.isEmpty, self.count.isMultiple(of: TextTable.endBytes) else { return false }
    var last: UInt32?
    for number in numbers {
      guard number < UInt32(count), !isEmpty(number), last.map({ precedes($0, number) }) ?? true
      else { return false }
      last = number
    }
    return true
  }
}
