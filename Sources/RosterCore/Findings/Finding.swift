public import XMPPStanza

/// What was odd in a session: where, on which device, and by which rule.
public struct Finding: Hashable, Sendable {
  /// The record at which it showed.
  public let record: UInt64
  /// The earlier record that it goes back to; nil if there is none.
  public let cause: UInt64?
  /// The contact that it is about; nil if it is not about one.
  public let contact: BareJID?
  /// The connection that it is about; nil if it is about the account.
  public let connection: ConnectionID?
  /// The resource that the server bound to that connection; nil if the log has shown only one
  /// connection by then, or does not name the resource.
  public let device: String?
  /// What the finding covers if it stands for several cases of one cause; nil for a single one.
  public let extent: Extent?
  /// What was odd, with its values.
  package let kind: Kind

  /// The cases of one cause that a finding stands for.
  public struct Extent: Hashable, Sendable {
    /// How many there were, at least two.
    public let count: Int
    /// The records of the first and of the last one.
    public let first, last: UInt64
  }

  /// What kind of finding it is; stable from release to release.
  public var code: Code { kind.code }

  /// How much the finding matters; at most as much as its code says.
  public var severity: Severity { kind.severity ?? code.severity }

  /// How many cases of one cause the finding stands for.
  public var count: Int { extent?.count ?? 1 }

  /// How much a finding matters.
  public enum Severity: String, Hashable, Sendable, CaseIterable {
    /// Allowed, but worth knowing.
    case info
    /// A deviation from the specification, or a loss.
    case warning
    /// An attempt to change the roster that must not have an effect, or a wrong roster.
    case error
  }

  /// The kinds of finding, each with what was found.
  package enum Kind: Hashable, Sendable {
    /// An element that concerns the roster was not taken.
    case rejected(Rejection)
    /// A stream of another account, in the log of this one.
    case foreignAccount(BareJID, log: BareJID?)
    /// The server of one domain says that a stream is an account's of another.
    case otherDomain(BareJID, server: BareJID)
    /// A stream to a server whose certificate was not checked.
    case unverifiedServer(BareJID?)
    /// A stanza that was sent after its sender, the server or we, had ended the stream.
    case lateStanza(Direction)
    case session(SessionFinding)
    case answer(AnswerFinding)
    case item(ItemFinding)
    case edit(EditFinding)
    case subscription(SubscriptionFinding)
    case presence(PresenceFinding)
    /// A push of the block list from a sender that has no right to send it.
    case foreignBlocking(PushRefusal)
  }
}

/// What can be odd about the ends of sessions.
package enum SessionFinding: Hashable, Sendable {
  /// The server or we ended the stream with an error.
  case streamError(Direction, ErrorReport)
  /// Sessions of one resource replace each other again and again.
  case conflictLoop(resource: String?, ErrorReport)
}

/// What can be odd about requests of ours and what came back.
package enum AnswerFinding: Hashable, Sendable {
  /// A result that answers no open request; without a sender, it is from the server.
  case unsolicited(from: JID?)
  /// A roster result answers a get that was sent before the log began.
  case unseenQuery
  /// The answer to a roster set of ours holds a roster.
  case unsolicitedRoster
  /// An answer from an address that was not asked.
  case spoofed(from: JID?, to: SpoofedRequest)
  /// A roster result from a sender that has no right to send ours.
  case foreignRoster(PushRefusal)
  /// A roster result from the server's domain.
  case rosterFromDomain(JID)
  /// Our result that answers an answer, or a push for the second time.
  case toNothing
  /// A roster get to another address.
  case misdirectedQuery
  case refusedQuery(ErrorReport)
  /// The answer to a roster get holds none.
  case missingRoster
  /// A get without a version was answered as if nothing had changed.
  case unchangedFromNothing
  /// Nothing has changed since a version that the log does not hold.
  case unknownBase(version: String)
  case unansweredQuery(Silence)
  case missingID(Request)

  /// A request that was answered by an address to which it had not been sent.
  package enum SpoofedRequest: Hashable, Sendable {
    case query, set, bind
  }

  /// How long an answer has not come.
  package enum Silence: Hashable, Sendable {
    /// Longer than an answer may take.
    case overdue
    /// The session is over, or too many requests came after it.
    case forEver
  }

  /// What wants an id.
  package enum Request: Hashable, Sendable {
    case get, set, push
  }
}

/// What can be odd about pushes and items.
package enum ItemFinding: Hashable, Sendable {
  case foreignPush(PushRefusal)
  case pushItemCount(Int)
  case unacknowledgedPush
  /// Pushes that were answered by an error, the first of which said this.
  case refusedPush(ErrorReport)
  /// One device received a push and another, which the server should have sent it, did not.
  case missedPush(receivedBy: String?)
  case malformed(jid: String?, reason: String, Direction)
  case duplicate
  case removalInResult
  case unknownSubscription(String)
  case unusedVersion
  /// Many pushes that show what is known.
  case idlePushes
  /// A push takes a contact out, and none of our connections had asked for it.
  case removedElsewhere
  /// A session shows its presence and has not asked for the roster, as an earlier one had.
  case unfetched
}

/// What can be odd about roster sets of ours.
package enum EditFinding: Hashable, Sendable {
  case itemCount(Int)
  case groupsLost(by: LossyEdit, lost: [String])
  case refused(ErrorReport)
  /// If something is missing, the roster that came next does not show what the set asked for.
  case unanswered(isMissing: Bool)
  case unpushed
  /// The server stored something else than the set asked for.
  case altered(EditableFields, asked: EditableFields)
  /// With what the server shows now, nil where the contact is gone.
  case undone(EditableFields?)
  /// A set takes back what another of our devices had edited, and changes something else.
  case outdated(Loss, of: String)
  /// A set that was sent before the session's roster was known lost what the server had.
  case premature(Loss)
  /// A device put back what another one, or something that the log does not show, had changed or
  /// removed.
  case putBack(PutBack)
  case foreignSet

  /// What an edit gave a contact.
  package enum Field: Hashable, Sendable {
    case name(String?)
    case groups([String])
  }

  /// What a set lost of a contact that its client did not know.
  package struct Loss: Hashable, Sendable {
    /// The name that the contact had; nil if it was not lost.
    package var name: Field?
    /// The groups that the contact is no longer in.
    package var groups: [String]
    /// The groups that the contact is in again, although it had left them.
    package var returnedGroups: [String]
  }

  /// What an edit was meant to do that lost groups.
  package enum LossyEdit: Hashable, Sendable {
    case rename
    /// Into this group.
    case move(String)
  }
}

/// What can be odd about subscriptions and requests for them.
package enum SubscriptionFinding: Hashable, Sendable {
  /// A stanza to or from ourselves.
  case own(SubscriptionStanza.Kind, Direction)
  /// A request to see presence that its sender sees already.
  case needlessRequest(Direction)
  case unsolicitedSubscribed
  case unsolicitedUnsubscribe
  case unsolicitedUnsubscribed
  case preApproval
  /// We answered a request with the stanza that ends the other direction.
  case wrongRefusal
  /// The roster never showed that a request had been accepted, by us or by the contact.
  case unshownAcceptance(isOurs: Bool)
  /// A contact answered our request of a record by a request of its own, and did not accept it.
  case requestForRequest(ours: UInt64)
  /// We answered a contact's request by a request of ours of a record, and did not accept it.
  case askedBack(ours: UInt64)
  /// A contact sends its request again although we had answered it in this way.
  case returned(after: EndedRequest.Way)
  /// A subscription stanza of ours was answered with an error.
  case undelivered(SubscriptionStanza.Kind, ErrorReport)
  /// A contact does not let us see its presence.
  case denied
  /// A contact ended a subscription by a stanza, and perhaps the other direction at a record; with
  /// what the roster showed before and shows now, nil if the contact is not in it any more.
  case friendLeft(
    SubscriptionStanza.Kind, other: UInt64?, from: RosterSubscription, to: RosterSubscription?)
  /// Requests between a contact and us open again as soon as they have ended.
  case loop(rounds: Int)
  /// We accepted so soon after the request came that the user was probably not asked.
  case automaticAcceptance(milliseconds: Int64)
  /// A request has had no answer for days.
  case neglectedRequest(Direction)
}

/// What can be odd about presence.
package enum PresenceFinding: Hashable, Sendable {
  case uninvited(from: JID)
  case malformed(String)
  /// A contact sends the presence that it has again and again.
  case idle
  /// A session has the roster and never shows its presence. If no earlier one of its client did,
  /// the client may not need it.
  case unshown(hasEarlier: Bool)
  /// An address has more resources than this, so that the oldest is dropped.
  case crowded(limit: Int)
}

/// Why a push counts for nothing (RFC 6121 §2.1.6; CVE-2015-8688): who sent it.
package enum PushRefusal: Hashable, Sendable {
  /// The log does not say yet whose it is.
  case unknownAccount(JID)
  case ownFullAddress
  case otherResource(JID)
  case ownDomain(JID)
  /// An address whose presence we see, or that sees ours.
  case contact(JID)
  case stranger(JID)
}
