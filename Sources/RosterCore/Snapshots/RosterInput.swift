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

  /// Whether a checksum vouches for the bytes, so that expensive checks can be omitted.
  var isSound: Bool { plain.isSound }

  /// Reads the tables of a whole snapshot.
  @_lifetime(copy input)
  init(_ input: CanonicalInput, isSound: Bool) throws(CodecError) {
    plain = input
    plain.isSound = isSound
    isIncrement = false
    let addresses = try plain.readTexts { isSound || $0.isUTF8 }
    let texts = try plain.readTexts { isSound || $0.isUTF8 }
    let groups = try plain.readTexts { list in
      isSound && list.isListOfNumbers(below: texts.count)
        || list.isListOfGroups(of: texts.count) {
          texts.bytes(of: $0).isEmpty
        } precedes: {
          texts.bytes(of: $0).precedes(texts.bytes(of: $1))
        }
    }
    counts = TableCounts(contacts: addresses.count, texts: texts.count, groups: groups.count)
    contacts = ContactTable(addresses: addresses, texts: texts, groups: groups)
  }

  /// Reads the tables of an increment: what was added after its base. A table that has changed
  /// since the base may already contain some of it.
  @_lifetime(copy input)
  init(
    _ input: CanonicalInput, to table: consuming ContactTable, isSound: Bool
  ) throws(CodecError) {
    var plain = input
    plain.isSound = isSound
    isIncrement = true
    let known = table.counts
    let before = TableCounts(
      contacts: try plain.readNumber(upTo: known.contacts),
      texts: try plain.readNumber(upTo: known.texts),
      groups: try plain.readNumber(upTo: known.groups))
    let contacts = try plain.readTexts(from: before.contacts) { number, address in
      guard isSound || address.isUTF8 else { return false }
      return number < known.contacts
        ? table.bytes(ofAddress: ContactNumber(rawValue: UInt32(number))).isSame(as: address)
        : table.insert(address: address).rawValue == number
    }
    let texts = try plain.readTexts(from: before.texts) { number, text in
      guard isSound || text.isUTF8 else { return false }
      return number < known.texts
        ? table.bytes(ofText: TextNumber(rawValue: UInt32(number))).isSame(as: text)
        : table.insert(text: text).rawValue == number
    }
    let groups = try plain.readTexts(from: before.groups) { number, list in
      let isList = list.isListOfGroups(of: table.counts.texts) {
        table.isEmptyText(TextNumber(rawValue: $0))
      } precedes: {
        table.bytes(ofText: TextNumber(rawValue: $0))
          .precedes(table.bytes(ofText: TextNumber(rawValue: $1)))
      }
      guard isList else { return false }
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

  /// Whether these can be the groups of an item: their texts are in order, distinct and not empty.
  ///
  /// - Parameters:
  ///   - count: The number of texts.
  ///   - isEmpty: Whether a text is empty.
  ///   - precedes: Whether a text comes before another one by its bytes.
  fileprivate func isListOfGroups(
    of count: Int, isEmpty: (UInt32) -> Bool, precedes: (UInt32, UInt32) -> Bool
  ) -> Bool {
    guard !self.isEmpty, byteCount.isMultiple(of: TextTable.endBytes) else { return false }
    return (0..<numberCount).allSatisfy { place in
      let number = number(place)
      return number < UInt32(count) && !isEmpty(number)
        && (place == 0 || precedes(self.number(place - 1), number))
    }
  }
}
