import XMPPStanza

/// A contact that the server removed although no set of ours had asked for it, until it is clear
/// whether the contact has left.
struct UnaskedRemoval: Hashable, Sendable {
  var contact: BareJID
  /// The push.
  var stamp: RecordStamp
  /// The connection of that record, and its resource.
  var connection: ConnectionID
  var device: String?

  /// The number that is kept at once; beyond it the oldest is reported.
  static let limit = 64
}
