import XMPPStanza

/// Collects the bytes of a snapshot: tables of addresses, texts and lists of groups, and then what
/// is said of them by their numbers.
///
/// It is laid out as the table of contacts is, so that neither side looks a text up. A whole one
/// has what is in use, and numbers for it of its own; an increment has what came since its base,
/// after which the numbers are those of the table, in use or not.
struct RosterOutput: StampOutput {
  /// What stands after the tables.
  var plain = CanonicalOutput()
  /// What is written.
  let contacts: ContactTable
  /// What an increment is of; nil of a whole one.
  let changes: ContactChanges?

  private var addresses = TextList()
  private var texts = TextList()
  /// Lists of groups, each as the numbers of its texts.
  private var groups = TextList()
  /// In a whole one: the number in `texts`, plus one, of each text of the contacts; 0 of one that
  /// was not used.
  private var textNumbers: [UInt32] = []
  private var groupsNumbers: [UInt32] = []
  var base = (record: UInt64(0), time: Int64(0))
  var rows = RowCoding(after: ContactRow())
  var presences = RowCoding(after: PresenceRow.none)

  /// Of a whole snapshot.
  init(_ contacts: ContactTable) {
    self.contacts = contacts
    changes = nil
    textNumbers = Array(repeating: 0, count: contacts.counts.texts)
    groupsNumbers = Array(repeating: 0, count: contacts.counts.groups)
  }

  /// Of an increment.
  init(_ contacts: ContactTable, _ changes: ContactChanges) {
    self.contacts = contacts
    self.changes = changes
    let (before, after) = (changes.before, contacts.counts)
    for number in UInt32(before.contacts)..<UInt32(after.contacts) {
      write(contact: ContactNumber(rawValue: number))
    }
    for number in UInt32(before.texts)..<UInt32(after.texts) {
      contacts.withText(TextNumber(rawValue: number)) { texts.append($0) }
    }
    for number in UInt32(before.groups)..<UInt32(after.groups) {
      contacts.withGroups(GroupsNumber(rawValue: number)) { groups.append($0) }
    }
  }

  /// The next contact's address.
  mutating func write(contact: ContactNumber) {
    contacts.withAddress(of: contact) { addresses.append($0) }
  }

  /// The number that a text has in the snapshot.
  mutating func numberOfText(_ text: TextNumber) -> TextNumber {
    guard changes == nil else { return text }
    let place = Int(text.rawValue)
    if textNumbers[place] == 0 {
      contacts.withText(text) { texts.append($0) }
      textNumbers[place] = UInt32(texts.count)
    }
    return TextNumber(rawValue: textNumbers[place] - 1)
  }

  /// The number that the groups of an item have in the snapshot.
  mutating func numberOfGroups(_ list: GroupsNumber) -> GroupsNumber {
    guard changes == nil else { return list }
    let place = Int(list.rawValue)
    if groupsNumbers[place] == 0 {
      let numbers = contacts.texts(ofGroups: list).map { numberOfText($0).rawValue.littleEndian }
      numbers.withUnsafeBytes { groups.append($0) }
      groupsNumbers[place] = UInt32(groups.count)
    }
    return GroupsNumber(rawValue: groupsNumbers[place] - 1)
  }

  /// Writes the tables, and then the rest.
  func finish(into output: inout CanonicalOutput) {
    if let before = changes?.before {
      for count in [before.contacts, before.texts, before.groups] { output.write(UInt64(count)) }
    }
    addresses.write(to: &output)
    texts.write(to: &output)
    groups.write(to: &output)
    plain.bytes.withUnsafeBytes { output.write(encoded: $0) }
  }
}
