import XMPPStanza

/// The push that brought the roster's version.
struct VersionPush: Hashable, Sendable {
  var contact: BareJID
  /// The record that first showed it.
  var shown: RecordStamp
  /// The connection of that record, and its resource.
  var connection: ConnectionID
  var device: String?
}

/// A push that one device received and that other interested devices have yet to receive.
struct AwaitedPush: Hashable, Sendable {
  var contact: BareJID
  /// The item after the push; nil for a removal.
  var item: RosterItem?
  /// The record that first showed it.
  var shown: RecordStamp
  /// When the sessions could first receive it: that record, or the resumption since which the
  /// server sends what they have not received (XEP-0198 §5).
  var since: RecordStamp
  /// The connection of the record that first showed it, and its resource.
  var connection: ConnectionID
  var device: String?
  /// The sessions that have yet to receive it.
  var waiting: SessionSet
  /// Those of them that have received a push that the server sent later.
  var overtaken: SessionSet = []
  /// The sessions that have received a later push about the contact in its place, and when the last
  /// of them did. A server that carries out two sets at once may push them to two devices in
  /// opposite orders, so this one may still come.
  var passed: SessionSet = []
  var passedAt: RecordStamp?

  /// The number that one session can await; beyond it the oldest is no longer awaited. So a session
  /// that is lost and never resumed takes no place from others.
  static let limit = 64
  /// How much later another stanza must arrive on a connection to show that the push was not on its
  /// way: milliseconds of log time, or records in a log without times.
  static let margin: (time: Int64, records: UInt64) = (2_000, 8)

  /// A session has received a later push about the contact in place of this one.
  mutating func pass(_ session: SessionSet, at stamp: RecordStamp) {
    passed.formUnion(session)
    passedAt = stamp
  }

  /// Whether this push may still reach one of these sessions, which received a later one first.
  func mayStillCome(to sessions: SessionSet, at now: RecordStamp) -> Bool {
    guard let passedAt, !passed.isDisjoint(with: sessions) else { return false }
    return !passedAt.isLongBefore(now, Self.margin)
  }
}

/// How a push relates to what the other sessions have received.
enum PushArrival: Hashable, Sendable {
  /// No other session has received it; the record's session does not await it.
  case first
  /// Another session had received it; these have yet to receive it as well.
  case awaited(others: SessionSet)
  /// The record's session had received a later push about the contact before it, so the others know
  /// it already and something later.
  case late
}
