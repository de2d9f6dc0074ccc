import DequeModule
import XMPPStanza

// Sets that the server stores otherwise than they asked, because it cuts a long name or adds a
// group. It pushes what it has stored, before the result of the set or after it (RFC 6121 §2.1.5).
extension Reduction {
  /// A push shows a contact as none of our sets asked for: it is the effect of the oldest set for
  /// the contact that is not shown yet.
  ///
  /// Another device may have been quicker. If the push comes before the result, the set therefore
  /// keeps waiting for a push that shows what it asked for, and the push is no effect of it until
  /// the result has come.
  mutating func setAltered(_ jid: BareJID, by now: EditableFields) {
    guard let (place, index) = setWaiting(forPushOf: jid),
      roster.sessions[place].pendingEdits[index].canBeAltered(to: now)
    else { return }
    let edit = roster.sessions[place].pendingEdits[index]
    if let known = edit.altered, edit.isAnswered,
      !known.shown.isFollowed(by: stamp, within: Timeout.crossing)
    {
      // What comes so much later is not its effect.
      reportAltered(place, index)
      return
    }
    roster.sessions[place].pendingEdits[index].altered = AlteredSet(fields: now, shown: stamp)
    guard edit.isAnswered else { return }
    reportAltered(place, index)
  }

  /// The result of a set has come, and no push has shown what the set asked for: a push that shows
  /// something else may be the set's effect, if it came with the result. The push that was asked
  /// for may still follow, and then the other one was another device's; so the set is the origin
  /// of neither until that is decided.
  ///
  /// - Returns: The push; nil if there is none.
  mutating func alteredSetAnswered(_ edit: PendingEdit) -> AlteredSet? {
    guard let altered = edit.altered, !altered.shown.isLongBefore(stamp, Timeout.answersCross)
    else { return nil }
    return altered
  }

  /// No push has shown what a set asked for: the one that came with its answer is its effect.
  mutating func alteredSetDecided(_ edit: PendingEdit, _ altered: AlteredSet, by origin: Origin) {
    guard let source = source(of: origin) else { return }
    noteEdit(
      edit, shownBy: altered.shown.record, connection: source.connection, device: source.device)
  }

  /// The slot of the session of the oldest set for a contact that is not shown yet, and the set's
  /// index.
  private func setWaiting(forPushOf jid: BareJID) -> (place: Int, index: Int)? {
    var oldest: (place: Int, index: Int, sent: UInt64)?
    for place in roster.sessions.all.indices {
      let edits = roster.sessions[place].pendingEdits
      let index = edits.firstIndex {
        $0.contact == jid && !$0.isPushed && !$0.isReportedAsOverdue
      }
      guard let index, edits[index].sent.record < oldest?.sent ?? .max else { continue }
      oldest = (place, index, edits[index].sent.record)
    }
    return oldest.map { ($0.place, $0.index) }
  }

  private mutating func reportAltered(_ place: Int, _ index: Int) {
    let edit = roster.sessions[place].pendingEdits.remove(at: index)
    reportUnfinished(edit, by: .session(place))
  }

  /// The log ends: no push follows that shows what the set asked for.
  mutating func reportAlteredSets(of place: Int) {
    while let index = roster.sessions[place].pendingEdits.firstIndex(where: {
      $0.isAnswered && $0.altered != nil
    }) {
      reportAltered(place, index)
    }
  }

  /// Another set for the contact follows: what the server has made of the earlier ones is final.
  mutating func settleAlteredSets(for contact: BareJID) {
    while let index = session.pendingEdits.firstIndex(where: {
      $0.contact == contact && $0.isAnswered && $0.altered != nil
    }) {
      reportAltered(place, index)
    }
  }
}

extension PendingEdit {
  /// Whether a push that shows an item otherwise than the set asked for can be the set's effect.
  fileprivate func canBeAltered(to now: EditableFields) -> Bool {
    // A set that was sent before the roster was known replaces what the log does not show.
    guard premature == nil, let after, now != after, now != before else { return false }
    // A request of ours makes an item without name and groups.
    return before != nil || now.name != nil || !now.groups.isEmpty
  }
}
