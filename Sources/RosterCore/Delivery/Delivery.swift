import RawBytes
import XMPPStanza

/// What a session received about a contact and may receive again after a resumption. The server
/// repeats what was not acknowledged (XEP-0198 §5), and a server's log contains both.
struct DeliveredItem: Hashable, Sendable {
  let contact: BareJID
  let content: Delivery.Content

  /// Whether this repeats the other. Servers differ in whether they add a delay stamp, so it is
  /// ignored.
  func isSame(as other: DeliveredItem) -> Bool {
    contact == other.contact
      && Delivery(content: content, record: 0, waiting: []).isSame(as: other.content)
  }

  /// Whether a later stanza contradicts this one about a subscription.
  func isTakenBack(by later: DeliveredItem) -> Bool {
    guard contact == later.contact, case .subscription = content,
      case .subscription = later.content
    else { return false }
    return true
  }

  /// The number kept per session: more than await an acknowledgement at a time.
  static let limit = 32
}

/// An `unsubscribed` that a session sent. It also ends a request that the server sent before it
/// received the refusal, although that request arrives later.
struct Refusal: Hashable, Sendable {
  let contact: BareJID
  let sent: RecordStamp
  /// Whether it refuses a request that an earlier session received and that this one receives again
  /// after its first presence (RFC 6121 §3.1.3).
  let isOfBefore: Bool

  /// The number kept per session: more than are on their way at a time.
  static let limit = 32
}

/// Something that one connection received about a contact and others have yet to receive.
///
/// A server sends every change to every device of an account, to each in its own time, so what the
/// second device receives is not news.
struct Delivery: Hashable, Sendable {
  enum Content: Hashable, Sendable {
    /// A roster push, with the item before and after; nil if there is no item.
    case push(RosterItem?, before: RosterItem?, version: String?)
    case subscription(SubscriptionStanza)
    /// The presence of a resource, nil if it became unavailable. The empty name is presence from
    /// the bare address.
    case presence(resource: String, Availability?)
  }

  let content: Content
  /// The record that first contained it, or the get whose result contained it. The results of later
  /// gets contain it too.
  let record: UInt64
  /// The sessions that have yet to receive it.
  var waiting: SessionSet

  /// The number of records after which a delivery is no longer expected.
  static let lifetime: UInt64 = 256
  /// How long it can be on its way: milliseconds of log time, or records in a log without times.
  static let delay: (time: Int64, records: UInt64) = (Timeout.answer, lifetime)

  /// Whether this replaces the other content, so that only the later of the two counts.
  func replaces(_ other: Content) -> Bool {
    switch content {
    case .push, .presence: isInOrder(with: other)
    case .subscription: false
    }
  }

  /// The number kept per contact. What a device has not received by then is no longer expected.
  static let limit = 32

  /// Whether this is the same content, sent to another device. Servers omit the version for clients
  /// that did not ask for one.
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

  /// Whether a server sends both in their order, so that a device that has received the later one
  /// will not receive the earlier one any more.
  func isInOrder(with other: Content) -> Bool {
    switch (content, other) {
    case (.push, .push), (.subscription, .subscription): true
    case (.presence(let name, _), .presence(let otherName, _)): name.hasSameBytes(as: otherName)
    case (.push, _), (.subscription, _), (.presence, _): false
    }
  }
}
