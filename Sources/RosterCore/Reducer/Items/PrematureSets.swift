import DequeModule
import RawBytes
import XMPPStanza

// Sets that are sent before their session's roster is known: a set replaces the whole item
// (§2.1.2), and its client cannot have made it from what the server has.
extension Reduction {
  /// What a set that is sent now is to be compared with; nil if its client can know the contact as
  /// the server has it.
  ///
  /// - Parameter before: What the log shows of the contact.
  func prematureSet(
    _ contact: BareJID, _ number: ContactNumber, _ before: EditableFields?
  ) -> PrematureSet? {
    // A log that does not show how its session began may have missed its roster.
    guard !session.hasFetched, session.openedAt > 0, !isShownInSession(number),
      // What two sets in a row lose is one finding.
      !session.pendingEdits.contains(where: { $0.contact == contact })
    else { return nil }
    let base = session.rosterBase
    guard base != .unknown else { return nil }
    let isKnown = session.askedBefore || base == .known
    return PrematureSet(known: isKnown ? before : nil, replaced: before)
  }

  /// Whether the session was told the contact's item, or has set it itself.
  private func isShownInSession(_ number: ContactNumber) -> Bool {
    if let edit = roster.contacts.confirmedEdit(of: number), edit.sent > session.openedAt,
      edit.device.hasSameBytes(as: session.resource)
    {
      return true
    }
    guard let row = roster.contacts.item(of: number), row.provenance.last > session.openedAt
    else { return false }
    let mine = SessionSet(place)
    return !isShared
      || session.isToldPushes
        && !roster.contacts.deliveries(of: number).contains { delivery in
          guard case .push = delivery.content else { return false }
          return delivery.waiting.contains(mine)
        }
  }

  /// A get names the version of a roster that its client has kept: so it knew more, before its set,
  /// than the session shows.
  mutating func baseNamed(isKnown: Bool) {
    for index in session.pendingEdits.indices where session.pendingEdits[index].premature != nil {
      let before = session.pendingEdits[index].before
      if isKnown {
        session.pendingEdits[index].premature?.known = before
      } else {
        session.pendingEdits[index].premature = nil
      }
    }
  }

  /// The server has taken a set: what is lost by it is lost now.
  mutating func reportLoss(by edit: PendingEdit, of origin: Origin) {
    guard reportsOutcome, let after = edit.after, let loss = edit.premature?.loss(by: after) else {
      return
    }
    report(
      .edit(.premature(loss)), about: edit.contact, cause: edit.sent.record, by: origin)
  }
}
