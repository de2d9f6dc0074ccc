import XMPPStanza

/// Collects the bytes of a snapshot: tables of addresses, texts and lists of groups, and then what
/// is said of them by their numbers.
///
/// It is laid out as the table of contacts is, with the same numbers, so that neither side looks a
/// text up. An increment has what came since its base.
struct RosterOutput: StampOutput {
  /// What stands after the tables.
  var plain = CanonicalOutput()
  /// What is written.
  let contacts: ContactTable
  /// What an increment is of; nil of a whole one.
  let changes: ContactChanges?
  var base = (record: UInt64(0), time: Int64(0))
  var rows = RowCoding(after: ContactRow())
  var presences = RowCoding(after: PresenceRow.none)

  /// - Parameter changes: Of an increment, since its base.
  init(_ contacts: ContactTable, _ changes: ContactChanges? = nil) {
    self.contacts = contacts
    self.changes = changes
  }

  /// Writes the tables, and then the rest.
  func finish(into output: inout CanonicalOutput) {
    if let before = changes?.before {
      for count in [before.contacts, before.texts, before.groups] { output.write(UInt64(count)) }
    }
    contacts.write(after: changes?.before ?? .none, to: &output)
    plain.bytes.withUnsafeBytes { output.write(encoded: $0) }
  }
}
