package import XMPPStanza

/// What one stream element means to the roster: the decoded form of a record.
///
/// It holds everything that the reducer looks at, so that a roster can be rebuilt without parsing
/// XML. Addresses are prepared; nothing has been judged yet: whether a sender may do what it asks
/// is for the reducer to say. What it holds is shared by its copies, of which a replay makes many.
package enum RosterEvent: Hashable, Sendable {
  /// The stream itself began, changed or ended.
  case session(SessionEvent)
  /// A stanza was sent or received.
  case stanza(StanzaEvent)
}

/// The life of a capture and of the streams in it.
package indirect enum SessionEvent: Hashable, Sendable {
  /// The capture starts; its header may name the account, and may say that only inbound stanzas
  /// were captured.
  case captureBegan(account: JID?, inboundOnly: Bool)
  /// A stream header in either direction: negotiation starts (RFC 6120 §4.2).
  case negotiated
  /// What the server offers (RFC 6120 §4.3.2).
  case featuresOffered(StreamFeatures)
  /// An account proved who it is; its session is still to come (XEP-0388).
  case authenticated(JID)
  /// A resource was bound: a new session (RFC 6120 §7, XEP-0386); with the sender of the stanza
  /// that says so, where it names one.
  case opened(JID, from: JID? = nil)
  /// A session goes on over a new stream (XEP-0198 §5).
  case resumed(JID?)
  /// The stream ended; by its closing tag or an error, or because the connection was lost.
  case closed(isLost: Bool)
}

/// A stanza that means something to the roster.
package indirect enum StanzaEvent: Hashable, Sendable {
  // Requests and answers
  case querySent(Query)
  case setSent(RosterSet)
  case answerReceived(Answer)
  case pushReceived(RosterPush)
  /// We answered a request, by a result or an error.
  case answerSent(id: String, to: JID?)

  // Subscriptions
  case subscriptionReceived(SubscriptionStanza)
  case subscriptionSent(SubscriptionStanza)

  // Presence
  case availableReceived(from: JID, Availability)
  case unavailableReceived(from: JID)
  /// Our own presence; `to` is nil for a broadcast.
  case presenceSent(to: JID?, isAvailable: Bool)

  // Blocking (XEP-0191)
  case blocked(from: JID?, [JID])
  /// An empty list unblocks everybody.
  case unblocked(from: JID?, [JID])

  /// A contact published the nickname it wants to be called by (XEP-0172 by XEP-0163).
  case nicknamePublished(BareJID, String?)
  /// A contact published its vCard (XEP-0292 by XEP-0163).
  case vCardPublished(BareJID, VCardNames)

  /// The element concerns the roster but cannot be taken, and why.
  case rejected(Rejection)
}

/// The stream features that change how a roster is read.
package struct StreamFeatures: Hashable, Sendable {
  /// RFC 6121 §2.6.1.
  package var versioning: Bool
  /// RFC 6121 §3.4.1.
  package var preApproval: Bool
}

/// A request of ours whose answer will matter.
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

/// A roster set of ours (RFC 6121 §2.1.5).
package struct RosterSet: Hashable, Sendable {
  package var id: String?
  package var to: JID?
  package var query: RosterQuery
}

/// A roster push (RFC 6121 §2.1.6).
package struct RosterPush: Hashable, Sendable {
  package var id: String?
  package var from: JID?
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
    /// An error, with the name of its defined condition (RFC 6120 §8.3.3).
    case error(condition: String?)
  }

  package var id: String?
  package var from: JID?
  package var payload: Payload
}

/// The names that a vCard gives its owner (XEP-0054).
public struct VCardNames: Hashable, Sendable {
  /// `NICKNAME`.
  public var nickname: String?
  /// `FN`.
  public var fullName: String?
}

/// A presence stanza that manages a subscription (RFC 6121 §3).
package struct SubscriptionStanza: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case subscribe, subscribed, unsubscribe, unsubscribed
  }

  package var kind: Kind
  /// The other side, whoever sent the stanza.
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

/// How available a resource says it is (RFC 6121 §4.7.2.1).
public enum Show: String, Hashable, Sendable, CaseIterable {
  /// Eager to chat.
  case chat
  /// No `<show/>`.
  case available
  /// Away for a short time.
  case away
  /// Away for an extended time.
  case xa
  /// Does not want to be disturbed.
  case dnd
}

/// What an available presence says (RFC 6121 §4.7.2).
public struct Availability: Hashable, Sendable {
  /// How available the resource is.
  public var show: Show
  /// From -128 to 127, by default 0.
  public var priority: Int8
  /// Most presence has none, and every state and change that holds a presence copies it.
  private var words: Words?

  /// What the user says in words.
  public var status: String? {
    get { words?.status }
    set { words = Words.unlessEmpty(status: newValue, delay: delay, oddity: oddity) }
  }

  /// The stamp of a delayed presence as it was written (XEP-0203).
  public var delay: String? {
    get { words?.delay }
    set { words = Words.unlessEmpty(status: status, delay: newValue, oddity: oddity) }
  }

  /// What could not be read and was taken as its default.
  package var oddity: String? {
    get { words?.oddity }
    set { words = Words.unlessEmpty(status: status, delay: delay, oddity: newValue) }
  }

  package init(
    show: Show = .available, priority: Int8 = 0, status: String? = nil, delay: String? = nil,
    oddity: String? = nil
  ) {
    self.show = show
    self.priority = priority
    words = Words.unlessEmpty(status: status, delay: delay, oddity: oddity)
  }

  /// The texts of a presence that has any.
  private final class Words: Hashable, Sendable {
    let status: String?
    let delay: String?
    let oddity: String?

    init(status: String?, delay: String?, oddity: String?) {
      self.status = status
      self.delay = delay
      self.oddity = oddity
    }

    /// Nil where there is no text at all.
    static func unlessEmpty(status: String?, delay: String?, oddity: String?) -> Words? {
      if status == nil, delay == nil, oddity == nil { return nil }
      return Words(status: status, delay: delay, oddity: oddity)
    }

    static func == (a: Words, b: Words) -> Bool {
      a === b || (a.status == b.status && a.delay == b.delay && a.oddity == b.oddity)
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(status)
      hasher.combine(delay)
      hasher.combine(oddity)
    }
  }
}

/// Why an element that concerns the roster was not taken.
package struct Rejection: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// An address of the stanza itself cannot be prepared.
    case address
    /// The stanza's type is not defined.
    case type
    /// A subscription stanza names nobody.
    case nobody
    /// The payload is not what its kind of stanza must hold.
    case payload
  }

  package var kind: Kind
  /// A clause for a person.
  package var reason: String
}
