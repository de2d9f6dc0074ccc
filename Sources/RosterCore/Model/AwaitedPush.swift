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

  /// The number that one session can await; beyond it the oldest is no longer awaited. So a session
  /// that is lost and never resumed takes no place from others.
  static let limit = 64
  /// How much later another stanza must arrive on a connection to show that the push was not on its
  /// way: milliseconds of log time, or records in a log without times.
  static let margin: (time: Int64, records: UInt64) = (2_000, 8)
}
