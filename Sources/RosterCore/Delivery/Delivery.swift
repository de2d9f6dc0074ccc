import RawBytes
import XMPPStanza

/// What a session was told of a contact, and may be told again once it is resumed: the server sends
/// what was not acknowledged a second time (XEP-0198 §5), and a server's log has both.
struct Told: Hashable, Sendable {
  let contact: BareJID
  let content: Delivery.Content

  /// Whether it is the same again. Servers differ in whether they add a stamp of the delay, which
  /// is no part of it.
  func isSame(as other: Told) -> Bool {
    contact == other.contact
      && Delivery(content: content, record: 0, waiting: []).isSame(as: other.content)
  }

  /// Whether something later says otherwise of a subscription.
  func isTakenBack(by later: Told) -> Bool {
    guard contact == later.contact, case .subscription = content,
      case .subscription = later.content
    else { return false }
    return true
  }

  /// How many are kept of a session: more than wait for an acknowledgement at a time.
  static let limit = 32
}

/// An `unsubscribed` that a session sent. It ends a request that the server has sent before it took
/// the refusal, and that comes after it.
struct Refusal: Hashable, Sendable {
  let contact: BareJID
  let sent: RecordStamp
  /// Whether it refuses what an earlier session was told, and this one is told once more after its
  /// first presence (RFC 6121 §3.1.3).
  let isOfBefore: Bool

  /// How many are kept of a session: more than are on their way at a time.
  static let limit = 32
}

/// Something that one connection was told of a contact, and others are still to be told.
///
/// A server sends what happens to every device of an account, to each in its own time: what comes
/// to the second is no news. Until it has come there, it is known to be on its way.
struct Delivery: Hashable, Sendable {
  enum Content: Hashable, Sendable {
    /// A roster push, with what the item was before; nil where there is no item.
    case push(RosterItem?, before: RosterItem?, version: String?)
    case subscription(SubscriptionStanza)
    /// What a resource said, nil where it went; the empty name is presence of the bare address.
    case presence(resource: String, Availability?)
  }

  let content: Content
  /// The record that told it first, or the get that was answered with it: whoever asks for the
  /// roster after that is given it.
  let record: UInt64
  /// Who is still to be told.
  var waiting: SessionSet

  /// After so many records, what was not told a connection is no longer on its way.
  static let patience: UInt64 = 256

  /// Whether it says anew what the other one says: of both the later one holds.
  func replaces(_ other: Content) -> Bool {
    switch content {
    case .push, .presence: isInOrder(with: other)
    case .subscription: false
    }
  }

  /// How many are kept for a contact: what a device was not told by then, it will not be told.
  static let limit = 32

  /// Whether what comes now is the same, sent to another device. Servers leave the version out for
  /// clients that did not ask for one.
  func isSame(as other: Content) -> Bool {
    switch (content, other) {
    case (.push(let mine, _, let version), .push(let others, _, let otherVersion)):
      mine == others
        && (version == nil || otherVersion == nil || version.hasSameBytes(as: otherVersion))
    case (.subscription(let mine), .subscription(let others)): mine == others
    case (.presence(let name, let mine), .presence(let otherName, let others)):
      name.hasSameBytes(as: otherName) && mine == others
    case (.push, _), (.subscription, _), (.presence, _): false
    }
  }

  /// Whether a server tells both in their order, so that who is told the later one will not be told
  /// the earlier one any more.
  func isInOrder(with other: Content) -> Bool {
    switch (content, other) {
    case (.push, .push), (.subscription, .subscription): true
    case (.presence(let name, _), .presence(let otherName, _)): name.hasSameBytes(as: otherName)
    case (.push, _), (.subscription, _), (.presence, _): false
    }
  }
}
