package import RosterCore
import XMPPStanza

// What events are in words: one clause each, for a person, with the contact apart.
extension RosterEvent {
  /// What the element means to the roster.
  package var clause: String { subjectClause(endsSubscription: false).full }

  /// What the element means to the roster, with the contact apart from the clause.
  ///
  /// - Parameter endsSubscription: Whether the event ends a subscription, instead of refusing a
  ///   request.
  func subjectClause(endsSubscription: Bool) -> SubjectClause {
    switch self {
    case .session(let event): SubjectClause(event.clause)
    case .stanza(let event): event.subjectClause(endsSubscription)
    case .annotation(let annotation): annotation.subjectClause
    }
  }
}

extension RosterAnnotation {
  fileprivate var subjectClause: SubjectClause {
    switch self {
    case .starred(let jid, let isStarred):
      SubjectClause(of: jid) { "the user \(isStarred ? "stars" : "unstars") \($0)" }
    case .reading(let jid, let text):
      SubjectClause(of: jid) { "the user has \($0) read as \(quoted(text))" }
    case .note(let jid, let text):
      SubjectClause(
        of: jid, "the user notes: \(quoted(text))",
        full: "the user notes about \(jid): \(quoted(text))")
    case .requestsSeen(let jids):
      SubjectClause(
        ofOnly: jids, "the user has seen its request",
        full: "the user has seen the requests of " + jids.map(\.text).joined(separator: ", "))
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
  fileprivate func subjectClause(_ endsSubscription: Bool) -> SubjectClause {
    switch self {
    case .querySent(let query): query.subjectClause
    case .setSent(let set): set.clauseOfSent
    case .answerReceived(let answer): SubjectClause(answer.clause)
    case .pushReceived(let push): push.clauseOfPush
    case .answerSent(let id, _, let error):
      SubjectClause(
        "we answer the request “\(id)”" + (error.map { " with an error: \($0.clause)" } ?? ""))
    case .subscriptionReceived(let stanza): stanza.inboundClause(endsSubscription)
    case .subscriptionSent(let stanza): stanza.outboundClause(endsSubscription)
    case .availableReceived(let from, let availability):
      SubjectClause(by: from, "is \(availability.clause)")
    case .unavailableReceived(let from, let status):
      SubjectClause(by: from, "is offline" + (status.map { ": “\($0)”" } ?? ""))
    case .presenceErrorReceived(let from, let report):
      SubjectClause(by: from, "returns an error: \(report.clause)")
    case .presenceSent(nil, let isAvailable):
      SubjectClause(isAvailable ? "we show our presence" : "we go offline")
    case .presenceSent(let to?, let isAvailable):
      SubjectClause(of: to) { "\(isAvailable ? "we show our presence" : "we go offline") to \($0)" }
    case .blocked(let from, let jids):
      SubjectClause(
        ofOnly: from == nil ? jids.map(\.bare) : [], "is blocked",
        full: "\(from.pushing)blocked: \(jids.clause)")
    case .unblocked(let from, let jids):
      SubjectClause(
        ofOnly: from == nil ? jids.map(\.bare) : [], "is unblocked",
        full: from.pushing + (jids.isEmpty ? "everybody is unblocked" : "unblocked: \(jids.clause)")
      )
    case .blockingSent(let request): request.subjectClause
    case .nicknamePublished(let jid, let name):
      SubjectClause(by: jid, name.map { "calls itself “\($0)”" } ?? "withdraws its nickname")
    case .vCardPublished(let jid, let names):
      SubjectClause(
        by: jid, "publishes its vCard: \(names.nickname ?? names.fullName ?? "no name")")
    case .rejected(let rejection): SubjectClause("ignored: \(rejection.reason)")
    }
  }
}

extension BlockingRequest {
  fileprivate var subjectClause: SubjectClause {
    let request = "we ask the server to \(isBlock ? "block" : "unblock") "
    return SubjectClause(
      ofOnly: jids.map(\.bare), request + "it",
      full: request + (jids.isEmpty ? "everybody" : jids.clause))
  }
}

extension Query {
  fileprivate var subjectClause: SubjectClause {
    switch subject {
    case .roster(nil): SubjectClause("we fetch the roster")
    case .roster(let version?): SubjectClause("we fetch the roster, holding version “\(version)”")
    case .blockList: SubjectClause("we fetch the block list")
    case .vCard: fetching("vCard")
    case .nickname: fetching("nickname")
    }
  }

  private func fetching(_ what: String) -> SubjectClause {
    guard let to else { return SubjectClause("we fetch the \(what) of our own account") }
    return SubjectClause(of: to.bare, "we fetch its \(what)", full: "we fetch the \(what) of \(to)")
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
  /// The other side: the server, if no address is named.
  private var other: String { peer?.description ?? "the server" }

  fileprivate var clauseOfSent: SubjectClause {
    let full = "we ask \(other) to \(query.clause { "set \($0.jid)\($0.editWords)" })"
    guard let (jid, item) = query.onlyChange else { return SubjectClause(full) }
    let edit = item.map { "set it\($0.editWords)" } ?? "remove it"
    return SubjectClause(of: jid, "we ask \(other) to \(edit)", full: full)
  }

  fileprivate var clauseOfPush: SubjectClause {
    let full = "\(other) pushes: \(query.clause(\.clause))"
    guard peer == nil, let (jid, item) = query.onlyChange else { return SubjectClause(full) }
    return SubjectClause(
      of: jid, item.map { "is pushed:\($0.words)" } ?? "is pushed as removed", full: full)
  }
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

  /// The contact of the only change, and its item unless it is removed; nil if there are several
  /// changes or none.
  fileprivate var onlyChange: (BareJID, RosterItem?)? {
    guard items.count == 1, let change = items.first?.change else { return nil }
    return switch change {
    case .set(let item): (item.jid, item)
    case .remove(let jid): (jid, nil)
    }
  }
}

extension RosterItem {
  /// The item on one line: address, name, subscription, groups.
  package var clause: String { jid.text + words }

  /// What a set can change, after the address: name and groups. A set cannot change a subscription
  /// (RFC 6121 §2.1.2.5), and one without a subscription does not ask for “none”.
  fileprivate var editWords: String {
    (name.map { " “\($0)”" } ?? "")
      + (groups.isEmpty ? "" : " in " + groups.joined(separator: ", "))
  }

  /// The words of `clause` after the address.
  var words: String {
    var words = name.map { " “\($0)”" } ?? ""
    words += " " + subscription.rawValue + (isPending ? ", asked" : "")
    if isApproved { words += " approved" }
    if !groups.isEmpty { words += " in " + groups.joined(separator: ", ") }
    return words
  }
}

extension SubscriptionStanza {
  /// What the stanza means, with the contact apart from the clause.
  ///
  /// - Parameter endsSubscription: Whether an `unsubscribed` ends a subscription, instead of
  ///   refusing a request.
  fileprivate func inboundClause(_ endsSubscription: Bool) -> SubjectClause {
    switch kind {
    case .subscribe:
      SubjectClause(
        by: contact, "asks to see our presence" + (status.map { ": “\($0)”" } ?? ""))
    case .subscribed: SubjectClause(by: contact, "lets us see its presence")
    case .unsubscribe: SubjectClause(by: contact, "no longer wants to see our presence")
    case .unsubscribed:
      SubjectClause(
        by: contact, "\(endsSubscription ? "no longer lets" : "does not let") us see its presence")
    }
  }

  /// What the stanza means, with the contact apart from the clause.
  ///
  /// - Parameter endsSubscription: Whether an `unsubscribed` ends a subscription, instead of
  ///   refusing a request.
  fileprivate func outboundClause(_ endsSubscription: Bool) -> SubjectClause {
    switch kind {
    case .subscribe:
      SubjectClause(
        of: contact, "we ask to see its presence", full: "we ask \(contact) to see its presence")
    case .subscribed: SubjectClause(of: contact) { "we let \($0) see our presence" }
    case .unsubscribe:
      SubjectClause(
        of: contact, "we no longer want to see its presence",
        full: "we no longer want to see the presence of \(contact)")
    case .unsubscribed:
      SubjectClause(of: contact) {
        "we \(endsSubscription ? "no longer" : "do not") let \($0) see our presence"
      }
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
