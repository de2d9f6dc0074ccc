public import RosterCore
import XMPPStanza

extension RosterChange {
  /// Whether something came, went, or became different: the mark in front of its line.
  public var mark: String {
    switch kind {
    case .itemAdded, .requestOpened, .outgoingOpened, .connected(true), .connection(_, _, true),
      .blocking(_, true), .annotated(_, .starred(true)), .annotated(_, .reading(before: nil, _)),
      .annotated(_, .note(before: nil, _)):
      "+"
    case .itemRemoved, .requestEnded, .outgoingEnded, .connected(false), .connection(_, _, false),
      .blocking(_, false), .annotated(_, .starred(false)), .annotated(_, .reading(_, after: nil)),
      .annotated(_, .note(_, after: nil)):
      "-"
    case .presence(_, _, nil, _), .ownPresence(_, nil, _): "+"
    case .presence(_, _, _, nil), .ownPresence(_, _, nil): "-"
    case .account, .completeness, .version, .outgoingReflected, .itemChanged, .requestRepeated,
      .requestUnconfirmed, .presence, .ownPresence, .nickname, .vCard, .requestSeen,
      .annotated:
      "~"
    }
  }

  /// What changed, in a clause for a person: “request of bob@example.test: “it is me””.
  public var clause: String {
    switch kind {
    case .account(let jid): "the account is \(jid)"
    case .connected(let isOn): isOn ? "connected" : "disconnected: no presence is shown"
    case .connection(let id, let resource, let isOn):
      "\(resource ?? "connection \(id.number)") is \(isOn ? "connected" : "disconnected"), too"
    case .completeness(_, let after): after.clause
    case .version(_, let after): "roster version \(quoted(after))"
    case .itemAdded(let item): "contact \(item.clause)"
    case .itemChanged(let jid, let field): "\(jid) \(field.clause)"
    case .itemRemoved(let item): "contact \(item.clause)"
    case .requestOpened(let jid, let request): "request of \(jid)" + request.words
    case .requestRepeated(let jid, let request):
      "request of \(jid), sent \(request.count) times" + request.words
    case .requestUnconfirmed(let jid, .notSentAgain):
      "request of \(jid): the server has not sent it again in this session"
    case .requestUnconfirmed(let jid, .itemRemoved):
      "request of \(jid): the server removed the contact, and perhaps the request with it"
    case .requestUnconfirmed(let jid, .crossed):
      "request of \(jid): the server may have sent it before it had our refusal"
    case .requestEnded(let jid, let end):
      "request of \(jid) of record \(end.since.record): \(end.way.clause)"
    case .outgoingOpened(let jid, _): "we wait for \(jid)"
    case .outgoingReflected(let jid): "the server shows our request to \(jid)"
    case .outgoingEnded(let jid, let end): "we no longer wait for \(jid): \(end.clause)"
    case .presence(let jid, let resource, _, let after):
      "\(jid)\(resource.isEmpty ? "" : "/" + resource) \(after?.availability.clause ?? "offline")"
    case .ownPresence(let resource, _, let after):
      "our other resource \(resource) \(after?.availability.clause ?? "offline")"
    case .blocking(let jid, let isOn): isOn ? "\(jid) is blocked" : "\(jid) is not blocked"
    case .nickname(let jid, let before, let after):
      "\(jid) nickname \(quoted(before)) → \(quoted(after))"
    case .vCard(let jid, let before, let after):
      "\(jid) vCard \(quoted(before?.nickname ?? before?.fullName)) → "
        + quoted(after?.nickname ?? after?.fullName)
    case .requestSeen(let jid, let request):
      "request of \(jid) of record \(request.since.record): seen"
    case .annotated(let jid, let field): "\(jid) \(field.clause)"
    }
  }
}

/// A text in quotes, or that there is none.
func quoted(_ text: String?) -> String { text.map { "“\($0)”" } ?? "none" }

extension Completeness {
  /// What is known of the roster, and where something is missing how to get it, in a clause.
  package var clause: String {
    switch self {
    case .complete: "the whole roster is known"
    case .neverFetched:
      "the whole roster was not seen: up to this point no roster get was answered by one, and "
        + "the items are what pushes told; a capture that begins before the client logs in has it"
    case .baseUnknown:
      "the whole roster was never seen: the server said that nothing had changed since a version "
        + "that is not in the log; import the capture of an earlier login first, or let the client "
        + "forget the roster it keeps"
    }
  }
}

extension RosterChange.ItemField {
  /// What changed, in a clause without the contact.
  var clause: String {
    switch self {
    case .name(let before, let after): "name \(quoted(before)) → \(quoted(after))"
    case .subscription(let before, let after):
      "subscription \(before.rawValue) → \(after.rawValue)"
    case .ask(_, let after): after ? "ask: we wait for an answer" : "ask: no longer"
    case .approved(_, let after): after ? "approved in advance" : "no longer approved in advance"
    case .groups(let before, let after): "groups \(list(before)) → \(list(after))"
    }
  }

  private func list(_ groups: [String]) -> String {
    groups.isEmpty ? "none" : groups.joined(separator: ", ")
  }
}

extension RosterChange.AnnotationField {
  /// What changed, in a clause without the contact.
  var clause: String {
    switch self {
    case .starred(let isStarred): isStarred ? "starred" : "no longer starred"
    case .reading(let before, let after): "read as \(quoted(before)) → \(quoted(after))"
    case .note(let before, let after): "note \(quoted(before)) → \(quoted(after))"
    }
  }
}

extension IncomingRequest {
  fileprivate var words: String {
    (nickname.map { " as “\($0)”" } ?? "") + (status.map { ": “\($0)”" } ?? "")
  }
}

extension EndedRequest.Way {
  /// How it ended, in a clause.
  package var clause: String {
    switch self {
    case .accepted: "we accepted it"
    case .denied: "we denied it"
    case .withdrawn: "withdrawn by the contact"
    case .acceptedElsewhere: "the roster shows it accepted, by another of our devices"
    }
  }
}

extension RosterChange.OutgoingEnd {
  /// Why we wait no longer, in a clause.
  package var clause: String {
    switch self {
    case .accepted: "accepted"
    case .refused: "refused"
    case .cancelled: "we cancelled it"
    case .subscribed: "the roster shows that we see its presence"
    case .dropped: "the roster no longer shows it"
    case .removed: "the contact left the roster"
    }
  }
}
