import DequeModule
import XMPPStanza

// Sets whose session was over before they were answered. That no answer came does not say that the
// server did not carry them out: the next roster says it, or a push to another device.
extension Reduction {
  /// A session is over: its sets will not be answered.
  ///
  /// If nothing of the server was seen yet, what waits stays: the log may still show something.
  mutating func abandonEdits(of place: Int) {
    guard roster.hasReceived else { return }
    let edits = roster.sessions[place].pendingEdits
    roster.sessions[place].pendingEdits = []
    for edit in edits { abandon(edit, of: place) }
  }

  mutating func abandon(_ edit: PendingEdit, of place: Int) {
    guard edit.isAnswered || !edit.isPushed, !edit.isReportedAsOverdue else { return }
    if roster.abandonedEdits.count == AbandonedEdit.limit {
      report(abandoned: roster.abandonedEdits.removeFirst())
    }
    roster.abandonedEdits.append(
      AbandonedEdit(
        edit: edit, connection: roster.sessions[place].connection,
        device: roster.sessions[place].resource, since: stamp))
    expectAnswer()
  }

  /// Restarts the timeouts of abandoned sets: the account is connected again, and only from now on
  /// can the server show what it carried out.
  mutating func restartAbandonedTimeouts() {
    guard !roster.abandonedEdits.isEmpty else { return }
    for index in roster.abandonedEdits.indices { roster.abandonedEdits[index].since = stamp }
    expectAnswer()
  }

  /// The server shows an item: the set that asked for it was carried out, and those before it.
  mutating func compareAbandoned(
    _ jid: BareJID, _ number: ContactNumber, _ now: EditableFields?
  ) {
    guard
      let last = roster.abandonedEdits.lastIndex(where: {
        $0.edit.contact == jid && $0.edit.after == now
      })
    else { return }
    let shown = roster.abandonedEdits[last]
    let settled = roster.abandonedEdits[...last].filter { $0.edit.contact == jid }
    roster.abandonedEdits.removeAll { settled.contains($0) }
    // What was there before needs no cause.
    guard shown.edit.before != now else { return }
    removalShown(shown.edit, by: shown.device)
    noteEdit(shown.edit, connection: shown.connection, device: shown.device)
    editConfirmed(shown.edit, number, by: .connection(shown.connection, shown.device))
  }

  /// A whole roster that was asked for after the sets has come: what it does not show, the server
  /// did not carry out.
  mutating func settleAbandoned(asked: UInt64?) {
    guard let asked, !roster.abandonedEdits.isEmpty else { return }
    let decided = roster.abandonedEdits.filter { $0.edit.sent.record < asked }
    roster.abandonedEdits.removeAll { $0.edit.sent.record < asked }
    for abandoned in decided {
      let number = roster.contacts.insert(abandoned.edit.contact)
      guard editableFields(of: number) != abandoned.edit.after else { continue }
      guard abandoned.edit.altered == nil else {
        report(abandoned: abandoned)
        continue
      }
      report(
        .edit(abandoned.edit.isAnswered ? .unpushed : .unanswered(isMissing: true)),
        about: abandoned.edit.contact, cause: abandoned.edit.sent.record,
        by: .connection(abandoned.connection, abandoned.device))
    }
  }

  /// Reports the sets that nothing has settled within a minute in which the account was connected
  /// after their session was over.
  mutating func reportOverdueAbandoned(_ now: Int64) {
    guard !roster.abandonedEdits.isEmpty, roster.isConnected else { return }
    let abandoned = roster.abandonedEdits
    roster.abandonedEdits = []
    for edit in abandoned {
      guard let due = edit.since.clock?.adding(Timeout.answer), now > due else {
        if let due = edit.since.clock?.adding(Timeout.answer) {
          roster.nextTimeout = min(roster.nextTimeout, due)
        }
        roster.abandonedEdits.append(edit)
        continue
      }
      report(abandoned: edit)
    }
  }

  /// Nothing more comes that could settle them.
  mutating func reportAbandoned() {
    let abandoned = roster.abandonedEdits
    roster.abandonedEdits = []
    for edit in abandoned { report(abandoned: edit) }
  }

  private mutating func report(abandoned: AbandonedEdit) {
    reportUnfinished(
      abandoned.edit, by: .connection(abandoned.connection, abandoned.device))
  }
}
