/// The progress of a connection (RFC 6120 §4 and §7).
package enum SessionPhase: Hashable, Sendable, CaseIterable {
  /// Nothing was seen yet; the log may begin in mid-session.
  case unseen
  /// A stream header was seen, but no session yet.
  case negotiating
  /// A session is bound or resumed, or is assumed because the log begins in mid-session.
  case open
  case closed
  /// The stream belongs to another account; its content is ignored.
  case foreign
}
