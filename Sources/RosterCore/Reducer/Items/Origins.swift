import XMPPStanza

// Which earlier record a change goes back to: only the reducer knows what was under way at that
// record, and the state after it no longer says it.
extension Reduction {
  /// The server shows what an edit asked for. Each edit is the origin of the first record that
  /// shows it, and of no other.
  mutating func editShown(_ edit: PendingEdit, of place: Int) {
    removalShown(edit, by: roster.sessions[place].resource)
    putBackShown(edit, of: place)
    let session = roster.sessions[place]
    noteEdit(edit, connection: session.connection, device: session.resource)
  }

  /// A record shows what a set asked for that was sent over a connection.
  ///
  /// - Parameters:
  ///   - edit: The set.
  ///   - effect: The record; nil for the one that is being reduced.
  ///   - connection: The connection over which the set was sent.
  ///   - device: The resource of that connection.
  mutating func noteEdit(
    _ edit: PendingEdit, shownBy effect: UInt64? = nil, connection: ConnectionID, device: String?
  ) {
    // If two devices asked for the same, the first one did it.
    if let known = outcome.origins.firstIndex(where: {
      $0.kind == .edit && $0.contact == edit.contact
    }) {
      guard edit.sent.record < outcome.origins[known].cause else { return }
      outcome.origins.remove(at: known)
    }
    noteOrigin(
      .edit, cause: edit.sent.record, effect: effect, of: roster.contacts.insert(edit.contact),
      connection: connection, device: device)
  }

  /// A change goes back to a record.
  ///
  /// - Parameters:
  ///   - effect: The record of the change; nil for the record that is being reduced.
  ///   - connection: The connection of the cause; nil for the one of the record that is being
  ///     reduced, and then `device` is not used.
  mutating func noteOrigin(
    _ kind: ChangeOrigin.Kind, cause: UInt64, effect: UInt64? = nil, of number: ContactNumber,
    connection: ConnectionID? = nil, device: String? = nil
  ) {
    guard reportsOutcome else { return }
    outcome.origins.append(
      ChangeOrigin(
        contact: roster.contacts.address(of: number), cause: cause,
        effect: effect ?? stamp.record, noted: stamp.record,
        connection: connection ?? session.connection,
        device: connection == nil ? session.resource : device, kind: kind))
  }
}
