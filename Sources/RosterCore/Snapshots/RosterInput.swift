import RawBytes
import XMPPStanza

/// Reads the bytes of a snapshot, exactly as `RosterOutput` writes them.
///
/// Terminates for any bytes, with a value or an error, and takes memory in proportion to them.
struct RosterInput: StampInput, ~Escapable {
  /// The input after the tables.
  var plain: CanonicalInput
  /// The contacts. Those of a whole snapshot have no state until their rows are read.
  var contacts: ContactTable
  /// The number of contacts and texts.
  let counts: TableCounts
  /// Whether the snapshot is an increment, which contains only some contacts of the table.
  let isIncrement: Bool
  var base = (record: UInt64(0), time: Int64(0))
  var rows = RowInput(after: ContactRow())
  var presences = RowInput(after: PresenceRow.none)

  /// Reads the tables of a whole snapshot.
  @_lifetime(copy input)
  init(_ input: CanonicalInput) throws(CodecError) {
    plain = input
    isIncrement = false
    let addresses = try plain.readTexts { $0.isUTF8 }
    let texts = try plain.readTexts { $0.isUTF8 }
    let groups = try plain.readTexts { $0.isListOfNumbers(below: texts.count) }
    counts = TableCounts(contacts: addresses.count, texts: texts.count, groups: groups.count)
    contacts = ContactTable(addresses: addresses, texts: texts, groups: groups)
  }

  /// Reads the tables of an increment: what was added after its base. A table that has changed
  /// since the base may already contain some of it.
  @_lifetime(copy input)
  init(
    _ input: CanonicalInput, to table: consuming ContactTable
  ) throws(CodecError) {
    var plain = input
    isIncrement = true
    let known = table.counts
    let before = TableCounts(
      contacts: try plain.readNumber(upTo: known.contacts),
      texts: try plain.readNumber(upTo: known.texts),
      groups: try plain.readNumber(upTo: known.groups))
    let contacts = try plain.readTexts(from: before.contacts) { number, address in
      guard address.isUTF8 else { return false }
      return number < known.contacts
        ? table.bytes(ofAddress: ContactNumber(rawValue: UInt32(number))).isSame(as: address)
        : table.insert(address: address).rawValue == number
    }
    let texts = try plain.readTexts(from: before.texts) { number, text in
      guard text.isUTF8 else { return false }
      return number < known.texts
        ? table.bytes(ofText: TextNumber(rawValue: UInt32(number))).isSame(as: text)
        : table.insert(text: text).rawValue == number
    }
    let groups = try plain.readTexts(from: before.groups) { number, list in
      guard list.isListOfNumbers(below: table.counts.texts) else { return false }
      return number < known.groups
        ? table.bytes(ofGroups: GroupsNumber(rawValue: UInt32(number))).isSame(as: list)
        : table.insert(groups: list.numbers.map(TextNumber.init)).rawValue == number
    }
    counts = TableCounts(contacts: contacts, texts: texts, groups: groups)
    guard counts == table.counts else { throw input.invalid }
    self.plain = plain
    table.setCompactionSize()
    self.contacts = consume table
  }
}

// A group list is a list of text numbers.
extension RawSpan {
  private var numberCount: Int { byteCount / TextTable.endBytes }

  private func number(_ place: Int) -> UInt32 { littleEndian(at: place * TextTable.endBytes) }

  /// The numbers in the list.
  fileprivate var numbers: [UInt32] { (0..<numberCount).map { number($0) } }

  /// Whether all the numbers are below a limit.
  fileprivate func isListOfNumbers(below count: Int) -> Bool {
    byteCount.isMultiple(of: TextTable.endBytes)
      && (0..<numberCount).allSatisfy { number($0) < UInt32(count) }
  }
}
