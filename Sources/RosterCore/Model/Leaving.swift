import XMPPStanza

/// A contact that has ended a subscription by a stanza, whose effect the server has shown.
///
/// A contact that ends both directions sends two stanzas, usually at once, and the server pushes
/// the item after each of them or once. Until that is over, what was ended is not known in full.
struct Leaving: Hashable, Sendable {
  var contact: BareJID
  /// What the first stanza ended.
  var effect: SubscriptionEffect
  /// The record of the first stanza.
  var stanza: UInt64
  /// The record of the stanza that ended the other direction, if it has come and has been shown.
  var other: UInt64?
  /// The subscription before.
  var before: RosterSubscription
  /// The record at which the first stanza and its push had met.
  var stamp: RecordStamp
  /// The connection of that record, and its resource.
  var connection: ConnectionID
  var device: String?

  /// The number that is kept at once; beyond it the oldest is reported as it is.
  static let limit = 64

  /// Whether the contact has nothing more to end once the server shows a subscription.
  func isOver(at after: RosterSubscription) -> Bool {
    after == .none && (before != .both || other != nil)
  }
}
