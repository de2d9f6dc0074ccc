import XMPPStanza

/// Collects the bytes of a snapshot: tables of the addresses, texts and lists of groups that are
/// in use, and then what is said of them by their numbers there.
///
/// It is laid out as the table of contacts is, so that neither side looks a text up.
struct RosterOutput: StampOutput {
  /// What stands after the tables.
  var plain = CanonicalOutput()
  /// What is written, whose numbers the texts and groups have.
  let contacts: ContactTable

  private var addresses = TextList()
  private var texts = TextList()
  /// The number in `texts`, plus one, of each text of the contacts; 0 of one that was not used.
  private var textNumbers: [UInt32]
  /// Lists of groups, each as the numbers of its texts in `texts`.
  private var groups = TextList()
  private var groupsNumbers: [UInt32]
  /// Those of whom the details are written; nil for all. Of the others they are as they were.
  let changedDetails: ContactSet?
  var base = (record: UInt64(0), time: Int64(0))
  var rows = RowCoding(after: ContactRow())
  var presences = RowCoding(after: PresenceRow.none)

  /// - Parameters:
  ///   - contacts: Whose texts will be written.
  ///   - details: Of whom the details are; nil for all.
  init(_ contacts: ContactTable, details: ContactSet?) {
    self.contacts = contacts
    changedDetails = details
    textNumbers = Array(repeating: 0, count: contacts.textCount)
    groupsNumbers = Array(repeating: 0, count: contacts.groupsCount)
  }

  /// The next contact's address.
  mutating func write(contact: ContactNumber) {
    contacts.withAddress(of: contact) { addresses.append($0) }
  }

  /// The number that a text has among those that are written.
  mutating func numberOfText(_ text: TextNumber) -> TextNumber {
    let place = Int(text.rawValue)
    if textNumbers[place] == 0 {
      contacts.withText(text) { texts.append($0) }
      textNumbers[place] = UInt32(texts.count)
    }
    return TextNumber(rawValue: textNumbers[place] - 1)
  }

  /// The number that the groups of an item have among those that are written.
  mutating func numberOfGroups(_ list: GroupsNumber) -> GroupsNumber {
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
    addresses.write(to: &output)
    texts.write(to: &output)
    groups.write(to: &output)
    plain.bytes.withUnsafeBytes { output.write(encoded: $0) }
  }
}
