import XMPPStanza

/// Collects the bytes of a snapshot: tables of addresses, texts and lists of groups, and then what
/// is said of them by their numbers.
///
/// It is laid out as the table of contacts is, with the same numbers, so that neither side looks a
/// text up. An increment has what came since its base.
struct RosterOutput: StampOutput {
  var plain = CanonicalOutput()
  /// What is written.
  let contacts: ContactTable
  /// What an increment is of; nil of a whole one.
  let changes: ContactChanges?
  var base = (record: UInt64(0), time: Int64(0))
  var rows = RowOutput(after: ContactRow())
  var presences = RowOutput(after: PresenceRow.none)

  /// - Parameter changes: Of an increment, since its base.
  init(_ contacts: ContactTable, _ changes: ContactChanges? = nil) {
    self.contacts = contacts
    self.changes = changes
  }

  /// Writes the tables, after which the rest goes by their numbers. Only what kind of snapshot it
  /// is stands before them.
  mutating func writeTables() {
    let before = changes?.before ?? .none
    if changes == nil {
      plain.reserve(contacts.textBytes + contacts.counts.contacts * Self.usualRowBytes)
    } else {
      for count in [before.contacts, before.texts, before.groups] { plain.write(UInt64(count)) }
    }
    contacts.write(after: before, to: &plain)
  }

  /// Most contacts take fewer bytes, without their texts: to make room once costs less than to
  /// grow.
  private static let usualRowBytes = 64
}
