import RawBytes
package import XMPPStanza

/// What one record, mostly a stream element, means to the roster: a view of the event's canonical
/// bytes as a value, for stories and tests. `EventEncoder` makes the bytes.
///
/// An event contains everything that the reducer needs, so that a roster can be rebuilt without
/// parsing XML. Addresses are prepared. Nothing has been judged yet: the reducer decides whether a
/// sender may do what it asks. Copies share their contents, because a replay makes many.
package enum RosterEvent: Hashable, Sendable {
  /// The stream itself began, changed or ended.
  case session(SessionEvent)
  /// A stanza was sent or received.
  case stanza(StanzaEvent)
  /// The user noted something that no server stores.
  case annotation(RosterAnnotation)
}

/// The life of a capture and of the streams in it.
package indirect enum SessionEvent: Hashable, Sendable {
  /// The capture starts; its header may name the account, and may say that only inbound stanzas
  /// were captured.
  case captureBegan(account: JID?, inboundOnly: Bool)
  /// A stream header in either direction: negotiation starts (RFC 6120 §4.2).
  case negotiated
  /// The domain of the stream's server, nil if the log does not name it, and whether the server's
  /// certificate was checked.
  case serverIdentified(domain: BareJID?, isVerified: Bool)
  /// What the server offers (RFC 6120 §4.3.2).
  case featuresOffered(StreamFeatures)
  /// An account was authenticated; its session follows (XEP-0388).
  case authenticated(JID)
  /// A resource was bound: a new session (RFC 6120 §7, XEP-0386); with the sender of the stanza
  /// that says so, if it names one, and the id by which the session can be resumed, if the stanza
  /// has it.
  case opened(JID, from: JID? = nil, resumptionID: String? = nil)
  /// The session can be resumed by this id (XEP-0198 §3).
  case resumable(id: String)
  /// A session continues over a new stream (XEP-0198 §5), identified by the id that it was given.
  case resumed(JID?, id: String? = nil)
  /// One direction of the stream ended with its closing tag (RFC 6120 §4.4): the server's if it is
  /// inbound.
  case ended(Direction)
  /// A stream error, which ends the stream (RFC 6120 §4.9): the server sent it if it is inbound.
  case streamFailed(Direction, ErrorReport)
  /// The server refused to authenticate the client or to bind a resource (RFC 6120 §6.5, §7.6.2;
  /// XEP-0388 §2.6.2).
  case loginFailed(ErrorReport)
  /// The stream ended as a whole, perhaps because the connection was lost.
  case closed(isLost: Bool)
}

/// A stanza that means something to the roster.
package indirect enum StanzaEvent: Hashable, Sendable {
  // Requests and answers
  case querySent(Query)
  case setSent(RosterSet)
  case answerReceived(Answer)
  case pushReceived(RosterSet)
  /// We answered a request, by a result or by this error.
  case answerSent(id: String, to: JID?, error: ErrorReport? = nil)

  // Subscriptions
  case subscriptionReceived(SubscriptionStanza)
  case subscriptionSent(SubscriptionStanza)

  // Presence
  case availableReceived(from: JID, Availability)
  case unavailableReceived(from: JID, status: String? = nil)
  /// An error that answers presence or a subscription stanza that we sent to an address (RFC 6120
  /// §8.3.1, RFC 6121 §4.3.2).
  case presenceErrorReceived(from: JID, ErrorReport)
  /// Our own presence; `to` is nil for a broadcast.
  case presenceSent(to: JID?, isAvailable: Bool)

  // Blocking (XEP-0191)
  case blocked(from: JID?, [JID])
  /// An empty list unblocks all addresses.
  case unblocked(from: JID?, [JID])
  /// We asked the server to block or unblock.
  case blockingSent(BlockingRequest)

  /// A contact published its nickname (XEP-0172 by XEP-0163).
  case nicknamePublished(BareJID, String?)
  /// A contact published its vCard (XEP-0292 by XEP-0163).
  case vCardPublished(BareJID, VCardNames)

  /// The element concerns the roster but was rejected, with the reason.
  case rejected(Rejection)
}

/// The stream features that change how a roster is read.
package struct StreamFeatures: Hashable, Sendable {
  /// RFC 6121 §2.6.1.
  package var versioning: Bool
  /// RFC 6121 §3.4.1.
  package var preApproval: Bool
}

/// A request of ours whose answer matters to the roster.
package struct Query: Hashable, Sendable {
  package enum Subject: Hashable, Sendable {
    /// A roster get, with the version that the client says it holds.
    case roster(version: String?)
    case blockList
    /// A contact's vCard (XEP-0054).
    case vCard
    /// A contact's published nickname.
    case nickname
  }

  package var id: String?
  package var to: JID?
  package var subject: Subject
}

/// A roster set: of ours (RFC 6121 §2.1.5), or a push (RFC 6121 §2.1.6).
package struct RosterSet: Hashable, Sendable {
  package var id: String?
  /// The receiver of our set, or the sender of a push.
  package var peer: JID?
  package var query: RosterQuery
}

/// An inbound result or error.
package struct Answer: Hashable, Sendable {
  package enum Payload: Hashable, Sendable {
    case nothing
    /// A payload that means nothing to the roster.
    case other
    case roster(RosterQuery)
    case blockList([JID])
    case vCard(VCardNames)
    case nickname(String?)
    /// An error (RFC 6120 §8.3).
    case error(ErrorReport)
  }

  package var id: String?
  package var from: JID?
  package var payload: Payload
}

/// The names that a vCard gives its owner (XEP-0054).
public struct VCardNames: Sendable {
  /// `NICKNAME`.
  public var nickname: String?
  /// `FN`.
  public var fullName: String?
}

extension VCardNames: Hashable {
  /// Whether both names have the same bytes.
  public static func == (a: VCardNames, b: VCardNames) -> Bool {
    a.nickname.hasSameBytes(as: b.nickname) && a.fullName.hasSameBytes(as: b.fullName)
  }

  /// Feeds both names into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: nickname)
    hasher.combine(bytesOf: fullName)
  }
}

/// A presence stanza that manages a subscription (RFC 6121 §3).
package struct SubscriptionStanza: Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case subscribe, subscribed, unsubscribe, unsubscribed
  }

  package var kind: Kind
  /// The other side, whichever side sent the stanza.
  package var contact: BareJID
  package var status: String?
  /// XEP-0172.
  package var nickname: String?

  package init(
    kind: Kind, contact: BareJID, status: String? = nil, nickname: String? = nil
  ) {
    self.kind = kind
    self.contact = contact
    self.status = status
    self.nickname = nickname
  }
}

extension SubscriptionStanza: Hashable {
  /// Whether both have the same content; texts are compared by their bytes.
  package static func == (a: SubscriptionStanza, b: SubscriptionStanza) -> Bool {
    a.kind == b.kind && a.contact == b.contact && a.status.hasSameBytes(as: b.status)
      && a.nickname.hasSameBytes(as: b.nickname)
  }

  /// Feeds the fields that usually differ into a hasher.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(contact)
  }
}

/// Why an element that concerns the roster was rejected.
package struct Rejection: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// An address of the stanza itself cannot be prepared.
    case address
    /// The stanza's type is not defined.
    case type
    /// A subscription stanza names no contact.
    case nobody
    /// The payload is not what its kind of stanza must contain.
    case payload
    /// The element exceeds a limit, so it was skipped.
    case limit
  }

  package var kind: Kind
  /// A clause for a person.
  package var reason: String

  /// A rejected element of this kind.
  package init(kind: Kind, reason: String) {
    (self.kind, self.reason) = (kind, reason)
  }
}
