package import RosterCore
import XMPPStanza

// What events and changes are in words: one clause each, for a person.
extension RosterEvent {
  /// What the element means to the roster.
  package var clause: String {
    switch self {
    case .session(let event): event.clause
    case .stanza(let event): event.clause
    case .annotation(let annotation): annotation.clause
    }
  }
}

extension RosterAnnotation {
  fileprivate var clause: String {
    switch self {
    case .starred(let jid, let isStarred): "the user \(isStarred ? "stars" : "unstars") \(jid)"
    case .reading(let jid, let text): "the user has \(jid) read as \(quoted(text))"
    case .note(let jid, let text): "the user notes about \(jid): \(quoted(text))"
    case .requestsSeen(let jids):
      "the user has seen the requests of " + jids.map(\.text).joined(separator: ", ")
    }
  }
}

extension SessionEvent {
  fileprivate var clause: String {
    switch self {
    case .captureBegan(let account, let inboundOnly):
      "the capture of \(account?.description ?? "an account yet unknown") begins"
        + (inboundOnly ? ", inbound stanzas only" : "")
    case .negotiated: "a stream is negotiated"
    case .serverIdentified(let domain, true):
      "the server\(domain.map { " of \($0)" } ?? "") is verified by its certificate"
    case .serverIdentified(let domain, false):
      "the server\(domain.map { " of \($0)" } ?? "") is not verified: no TLS"
    case .featuresOffered(let features):
      "the server offers " + (features.versioning ? "roster versions" : "no roster versions")
        + (features.preApproval ? " and pre-approval" : "")
    case .authenticated(let jid): "the account is authenticated as \(jid)"
    case .opened(let jid, _, _): "a session is bound as \(jid)"
    case .resumable: "the session can be resumed"
    case .resumed(let jid, _): "the session\(jid.map { " of \($0)" } ?? "") is resumed"
    case .ended: "the stream is closed"
    case .streamFailed(.inbound, let report): "the server ends the stream (\(report.clause))"
    case .streamFailed(.outbound, let report): "we end the stream (\(report.clause))"
    case .loginFailed(let report): "the server refuses the login (\(report.clause))"
    case .closed(let isLost): isLost ? "the connection is lost" : "the stream is closed"
    }
  }
}

extension StanzaEvent {
  fileprivate var clause: String {
    switch self {
    case .querySent(let query): query.clause
    case .setSent(let set):
      "we ask \(set.recipient) to \(set.query.clause { "set \($0.editClause)" })"
    case .answerReceived(let answer): answer.clause
    case .pushReceived(let push):
      "\(push.peer?.description ?? "the server") pushes: \(push.query.clause(\.clause))"
    case .answerSent(let id, _, let error):
      "we answer the request “\(id)”" + (error.map { " with an error: \($0.clause)" } ?? "")
    case .subscriptionReceived(let stanza): stanza.inboundClause
    case .subscriptionSent(let stanza): stanza.outboundClause
    case .availableReceived(let from, let availability):
      "\(from) is \(availability.clause)"
    case .unavailableReceived(let from, let status):
      "\(from) is offline" + (status.map { ": “\($0)”" } ?? "")
    case .presenceErrorReceived(let from, let report):
      "\(from) returns an error: \(report.clause)"
    case .presenceSent(nil, let isAvailable):
      isAvailable ? "we show our presence" : "we go offline"
    case .presenceSent(let to?, let isAvailable):
      isAvailable ? "we show our presence to \(to)" : "we go offline to \(to)"
    case .blocked(let from, let jids): "\(from.pushing)blocked: \(jids.clause)"
    case .unblocked(let from, let jids):
      from.pushing + (jids.isEmpty ? "everybody is unblocked" : "unblocked: \(jids.clause)")
    case .blockingSent(let request):
      "we ask the server to \(request.isBlock ? "block" : "unblock") "
        + (request.jids.isEmpty ? "everybody" : request.jids.clause)
    case .nicknamePublished(let jid, let name):
      "\(jid) \(name.map { "calls itself “\($0)”" } ?? "withdraws its nickname")"
    case .vCardPublished(let jid, let names):
      "\(jid) publishes its vCard: \(names.nickname ?? names.fullName ?? "no name")"
    case .rejected(let rejection): "ignored: \(rejection.reason)"
    }
  }
}

extension StanzaEvent {
  /// The clause of an `unsubscribed` that ends what there was; of another stanza nil.
  var clauseOfEnding: String? {
    switch self {
    case .subscriptionReceived(let stanza) where stanza.kind == .unsubscribed:
      "\(stanza.contact) no longer lets us see its presence"
    case .subscriptionSent(let stanza) where stanza.kind == .unsubscribed:
      "we no longer let \(stanza.contact) see our presence"
    default: nil
    }
  }
}

extension Query {
  fileprivate var clause: String {
    switch subject {
    case .roster(nil): "we fetch the roster"
    case .roster(let version?): "we fetch the roster, holding version “\(version)”"
    case .blockList: "we fetch the block list"
    case .vCard: "we fetch the vCard of \(to?.description ?? "our own account")"
    case .nickname: "we fetch the nickname of \(to?.description ?? "our own account")"
    }
  }
}

extension Answer {
  fileprivate var clause: String {
    let who = from?.description ?? "the server"
    return switch payload {
    case .nothing, .other: "\(who) answers “\(id ?? "")”"
    case .roster(let query):
      "\(who) sends a roster of \(query.items.count)"
        + (query.version.map { ", version “\($0)”" } ?? "")
    case .blockList(let jids): "\(who) sends a block list of \(jids.count)"
    case .vCard: "\(who) sends a vCard"
    case .nickname(let name): "\(who) sends a nickname: \(name ?? "none")"
    case .error(let report):
      id.map { "\(who) refuses “\($0)”: \(report.clause)" }
        ?? "\(who) sends an error without an id: \(report.clause)"
    }
  }
}

extension RosterSet {
  /// The recipient of a set of ours: the server, if no address is named.
  var recipient: String { peer?.description ?? "the server" }
}

extension JID? {
  /// The sender of a push about blocking; empty for the server that names no address.
  fileprivate var pushing: String { map { "\($0) pushes: " } ?? "" }
}

extension RosterQuery {
  /// What becomes of each item.
  ///
  /// - Parameter words: The words for an item that is not removed.
  fileprivate func clause(_ words: (RosterItem) -> String) -> String {
    let clauses = items.map { item in
      switch item.change {
      case .set(let item): words(item)
      case .remove(let jid): "remove \(jid)"
      }
    }
    return clauses.isEmpty ? "nothing that can be read" : clauses.joined(separator: "; ")
  }
}

extension RosterItem {
  /// The item on one line: address, name, subscription, groups.
  package var clause: String { jid.text + words }

  /// The part of the item that a set can change, on one line: address, name, groups. A set cannot
  /// change a subscription (RFC 6121 §2.1.2.5), and one without a subscription does not ask for
  /// “none”.
  fileprivate var editClause: String {
    jid.text + (name.map { " “\($0)”" } ?? "")
      + (groups.isEmpty ? "" : " in " + groups.joined(separator: ", "))
  }

  /// The same after the address.
  var words: String {
    var words = name.map { " “\($0)”" } ?? ""
    words += " " + subscription.rawValue + (isPending ? ", asked" : "")
    if isApproved { words += " approved" }
    if !groups.isEmpty { words += " in " + groups.joined(separator: ", ") }
    return words
  }
}

extension SubscriptionStanza {
  fileprivate var inboundClause: String {
    switch kind {
    case .subscribe:
      "\(contact) asks to see our presence" + (status.map { ": “\($0)”" } ?? "")
    case .subscribed: "\(contact) lets us see its presence"
    case .unsubscribe: "\(contact) no longer wants to see our presence"
    case .unsubscribed: "\(contact) does not let us see its presence"
    }
  }

  fileprivate var outboundClause: String {
    switch kind {
    case .subscribe: "we ask \(contact) to see its presence"
    case .subscribed: "we let \(contact) see our presence"
    case .unsubscribe: "we no longer want to see the presence of \(contact)"
    case .unsubscribed: "we do not let \(contact) see our presence"
    }
  }
}

extension Availability {
  /// The availability on one line: show, status, priority where it is not 0.
  package var clause: String {
    var text = show.rawValue
    if let status { text += " “\(status)”" }
    if priority != 0 { text += ", priority \(priority)" }
    return text
  }
}

extension [JID] {
  fileprivate var clause: String { map(\.description).joined(separator: ", ") }
}
