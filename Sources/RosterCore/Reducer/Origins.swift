import XMPPStanza

// Which earlier record a change goes back to: only the reducer knows what was under way at that
// record, and the state after it no longer says it.
extension Reduction {
  /// The server shows what an edit asked for. Each edit is the origin of the first record that
  /// shows it, and of no other.
  mutating func editShown(_ edit: PendingEdit, of place: Int) {
    // If two devices asked for the same, the first one did it.
    if let known = outcome.origins.firstIndex(where: {
      $0.kind == .edit && $0.contact == edit.contact
    }) {
      guard edit.sent.record < outcome.origins[known].cause else { return }
      outcome.origins.remove(at: known)
    }
    note(.edit, cause: edit.sent.record, contact: edit.contact, of: place)
  }

  private mutating func note(
    _ kind: ChangeOrigin.Kind, cause: UInt64, contact: BareJID, of place: Int
  ) {
    guard tells else { return }
    outcome.origins.append(
      ChangeOrigin(
        contact: contact, cause: cause, effect: stamp.record,
        connection: roster.sessions[place].connection, device: roster.sessions[place].resource,
        kind: kind))
  }
}
