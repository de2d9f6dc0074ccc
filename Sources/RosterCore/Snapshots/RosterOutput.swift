import XMPPStanza

/// Collects the bytes of a snapshot: the tables of addresses, texts and group lists, and then
/// everything else, which refers to them by number.
///
/// The layout and the numbers are those of the contact table, so that neither writing nor reading
/// looks up a text. An increment contains what was added since its base.
struct RosterOutput: StampOutput {
  var plain = CanonicalOutput()
  /// The contacts to write.
  let contacts: ContactTable
  /// The changes that an increment contains; nil for a whole snapshot.
  let changes: ContactChanges?
  var base = (record: UInt64(0), time: Int64(0))
  var rows = RowOutput(after: ContactRow())
  var presences = RowOutput(after: PresenceRow.none)

  /// - Parameter changes: For an increment, the changes since its base.
  init(_ contacts: ContactTable, _ changes: ContactChanges? = nil) {
    self.contacts = contacts
    self.changes = changes
  }

  /// Writes the tables, to whose numbers the rest refers. Only the kind of the snapshot precedes
  /// them.
  mutating func writeTables() {
    let before = changes?.before ?? .none
    if changes == nil {
      plain.reserve(contacts.textBytes + contacts.counts.contacts * Self.usualRowBytes)
    } else {
      for count in [before.contacts, before.texts, before.groups] { plain.write(UInt64(count)) }
    }
    contacts.write(after: before, to: &plain)
  }

  /// Most contacts take fewer bytes than this, without their texts. Reserving space once is cheaper
  /// than growing.
  private static let usualRowBytes = 64
}
