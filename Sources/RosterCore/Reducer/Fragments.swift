// Logs that begin in the middle of a session and have not shown the roster since: nothing that such
// a log lacks is known to have been missing.
extension Reduction {
  /// Whether the log has seen neither the beginning of the session nor the whole roster, so that
  /// what it does not show may have happened before it began.
  var isFragment: Bool {
    session.openedAt == 0 && session.phase == .open && roster.completeness != .complete
  }

  /// Whether the log has seen neither the beginning of the session nor any roster get in it: if it
  /// has one result without its get, it may have more.
  var lacksQueries: Bool { session.openedAt == 0 && session.phase == .open && !session.hasAsked }

  /// Reports that nothing explains a stanza, if the log would show what does.
  mutating func reportUnexplained(_ kind: SubscriptionFinding, about number: ContactNumber) {
    guard !isFragment else { return }
    report(.subscription(kind), about: number)
  }
}
