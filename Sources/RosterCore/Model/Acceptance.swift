import XMPPStanza

/// The acceptance of a request that the roster has yet to show.
struct Acceptance: Hashable, Sendable {
  var contact: BareJID
  /// Whether we accepted the contact's request, and not the contact ours.
  var isOurs: Bool
  /// The `subscribed`.
  var stamp: RecordStamp
  /// The connection of that record, and its resource.
  var connection: ConnectionID
  var device: String?
  /// Whether the server has sent something since that it would have sent after the push.
  var isOverdue = false

  /// The number that is kept at once; beyond it the oldest is no longer awaited.
  static let limit = 64
  /// How much later another stanza must arrive to show that the push was not on its way, in
  /// milliseconds of log time.
  static let margin: Int64 = 2_000

  /// Whether it belongs to a session. What was sent in an earlier one may be lost with it.
  func belongs(to session: Session) -> Bool {
    connection == session.connection && session.openedAt < stamp.record
  }

  /// Whether something that a session receives now makes it overdue. A session that has not fetched
  /// the roster is not pushed it.
  func isDue(at now: RecordStamp, in session: Session) -> Bool {
    !isOverdue && session.hasFetched && belongs(to: session)
      && stamp.isEarlier(than: now, by: Self.margin)
  }
}
