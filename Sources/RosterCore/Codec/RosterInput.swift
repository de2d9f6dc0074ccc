import XMPPStanza

/// Reads the bytes of a snapshot: what `RosterOutput` writes, and nothing else.
///
/// For any bytes it ends, with a value or an error, and takes memory in proportion to them.
struct RosterInput: StampInput {
  /// What stands after the tables.
  var plain: CanonicalInput
  /// The contacts, of whom nothing is known before their rows are read.
  var contacts: ContactTable

  /// Whether contacts can be there of whom nothing is known any more.
  let isIncrement: Bool
  private let textCount: Int
  private let groupsCount: Int
  var base = (record: UInt64(0), time: Int64(0))

  /// Reads the tables.
  init(_ input: CanonicalInput, isIncrement: Bool) throws(CodecError) {
    plain = input
    self.isIncrement = isIncrement
    let addresses = try plain.readTexts { $0.isUTF8 }
    let texts = try plain.readTexts { $0.isUTF8 }
    let groups = try plain.readTexts { texts.isListOfGroups($0) }
    textCount = texts.count
    groupsCount = groups.count
    contacts = ContactTable(addresses: addresses, texts: texts, groups: groups)
  }

  /// A text.
  mutating func readText() throws(CodecError) -> TextNumber {
    TextNumber(rawValue: try readNumber(below: textCount))
  }

  /// The groups of an item.
  mutating func readGroups() throws(CodecError) -> GroupsNumber {
    GroupsNumber(rawValue: try readNumber(below: groupsCount))
  }

  private mutating func readNumber(below count: Int) throws(CodecError) -> UInt32 {
    let number = try plain.readNumber()
    guard number < UInt64(count) else { throw plain.invalid }
    return UInt32(truncatingIfNeeded: number)
  }
}

extension TextTable {
  /// Whether bytes are the numbers of such texts as an item has for its groups: in order, each
  /// once, and none empty.
  fileprivate func isListOfGroups(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard !bytes.isEmpty, bytes.count.isMultiple(of: Self.endBytes) else { return false }
    var last: UInt32?
    for offset in stride(from: 0, to: bytes.count, by: Self.endBytes) {
      let number = UInt32(
        littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      guard number < UInt32(count), withBytes(of: number, { !$0.isEmpty }) else { return false }
      if let last {
        let isInOrder = withBytes(of: last) { before in
          withBytes(of: number) { before.precedes($0) }
        }
        guard isInOrder else { return false }
      }
      last = number
    }
    return true
  }
}
