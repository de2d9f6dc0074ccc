import RosterCore
package import XMPPStanza

/// A clause about a record with the contact that it is about apart, so that a list can begin with
/// the contact's name: “Carol: we ask to see its presence”, “Carol is away”.
package struct SubjectClause: Hashable, Sendable {
  /// The contact; nil if the record is about the account, or about several contacts.
  package let who: BareJID?
  /// What is said of the contact, to be read after its name; the whole clause without a contact.
  package let text: String
  /// The whole clause, with the address.
  package let full: String

  /// A clause about a contact.
  ///
  /// - Parameter text: What is said of it: a verb about the contact, or a clause about us or the
  ///   user, which is read after a colon.
  package init(of who: BareJID, _ text: String, full: String) {
    (self.who, self.text, self.full) = (who, text, full)
  }

  /// A clause about the account, or about several contacts.
  package init(_ full: String) {
    (who, text, self.full) = (nil, full, full)
  }
}

extension Timeline.Moment {
  /// What the record means, with the contact that it is about apart.
  package var subjectClause: SubjectClause {
    let full = clause
    guard let (who, text) = subject else { return SubjectClause(full) }
    return SubjectClause(of: who, text, full: full)
  }

  private var subject: (BareJID, String)? {
    switch event {
    case .session: nil
    case .stanza(let stanza):
      outcome.news?.endsSubscription == true
        ? stanza.subjectOfEnding ?? stanza.subject : stanza.subject
    case .annotation(let annotation): annotation.subject
    }
  }
}

extension RosterAnnotation {
  fileprivate var subject: (BareJID, String)? {
    switch self {
    case .starred(let jid, let isStarred): (jid, "the user \(isStarred ? "stars" : "unstars") it")
    case .reading(let jid, let text): (jid, "the user has it read as \(quoted(text))")
    case .note(let jid, let text): (jid, "the user notes: \(quoted(text))")
    case .requestsSeen(let jids):
      jids.count == 1 ? jids.first.map { ($0, "the user has seen its request") } : nil
    }
  }
}

extension StanzaEvent {
  /// The contact that the stanza is about, and what is said of it.
  fileprivate var subject: (BareJID, String)? {
    switch self {
    case .querySent(let query): query.subjectClause
    case .setSent(let set):
      set.query.onlyChange { (jid: BareJID, item: RosterItem?) in
        (jid, "we ask \(set.recipient) to " + (item.map { "set it\($0.editWords)" } ?? "remove it"))
      }
    case .pushReceived(let push):
      push.peer == nil
        ? push.query.onlyChange {
          ($0, $1.map { "is pushed:\($0.words)" } ?? "is pushed as removed")
        }
        : nil
    case .answerReceived, .answerSent, .rejected: nil
    case .subscriptionReceived(let stanza): (stanza.contact, stanza.inboundWords)
    case .subscriptionSent(let stanza): (stanza.contact, stanza.outboundWords)
    case .availableReceived(let from, let availability):
      (from.bare, "is \(availability.clause)" + from.resourceWords)
    case .unavailableReceived(let from, let status):
      (from.bare, "is offline" + (status.map { ": “\($0)”" } ?? "") + from.resourceWords)
    case .presenceErrorReceived(let from, let report):
      (from.bare, "returns an error: \(report.clause)")
    case .presenceSent(let to, let isAvailable):
      to.map { ($0.bare, isAvailable ? "we show our presence to it" : "we go offline to it") }
    case .blocked(nil, let jids): jids.onlyContact.map { ($0, "is blocked") }
    case .unblocked(nil, let jids): jids.onlyContact.map { ($0, "is unblocked") }
    case .blocked, .unblocked: nil
    case .blockingSent(let request):
      request.jids.onlyContact
        .map { ($0, "we ask the server to \(request.isBlock ? "block" : "unblock") it") }
    case .nicknamePublished(let jid, let name):
      (jid, name.map { "calls itself “\($0)”" } ?? "withdraws its nickname")
    case .vCardPublished(let jid, let names):
      (jid, "publishes its vCard: \(names.nickname ?? names.fullName ?? "no name")")
    }
  }

  /// The same of an `unsubscribed` that ends what there was; nil for another stanza.
  fileprivate var subjectOfEnding: (BareJID, String)? {
    switch self {
    case .subscriptionReceived(let stanza) where stanza.kind == .unsubscribed:
      (stanza.contact, "no longer lets us see its presence")
    case .subscriptionSent(let stanza) where stanza.kind == .unsubscribed:
      (stanza.contact, "we no longer let it see our presence")
    default: nil
    }
  }
}

extension Query {
  fileprivate var subjectClause: (BareJID, String)? {
    guard let contact = to?.bare else { return nil }
    return switch subject {
    case .roster, .blockList: nil
    case .vCard: (contact, "we fetch its vCard")
    case .nickname: (contact, "we fetch its nickname")
    }
  }
}

extension RosterQuery {
  /// What `words` says of the only change; nil if there are several or none.
  fileprivate func onlyChange(
    _ words: (BareJID, RosterItem?) -> (BareJID, String)
  ) -> (BareJID, String)? {
    guard items.count == 1, let change = items.first?.change else { return nil }
    return switch change {
    case .set(let item): words(item.jid, item)
    case .remove(let jid): words(jid, nil)
    }
  }
}

extension RosterItem {
  /// What a set can change, after the contact: name and groups.
  fileprivate var editWords: String {
    (name.map { " “\($0)”" } ?? "")
      + (groups.isEmpty ? "" : " in " + groups.joined(separator: ", "))
  }
}

extension SubscriptionStanza {
  fileprivate var inboundWords: String {
    switch kind {
    case .subscribe: "asks to see our presence" + (status.map { ": “\($0)”" } ?? "")
    case .subscribed: "lets us see its presence"
    case .unsubscribe: "no longer wants to see our presence"
    case .unsubscribed: "does not let us see its presence"
    }
  }

  fileprivate var outboundWords: String {
    switch kind {
    case .subscribe: "we ask to see its presence"
    case .subscribed: "we let it see our presence"
    case .unsubscribe: "we no longer want to see its presence"
    case .unsubscribed: "we do not let it see our presence"
    }
  }
}

extension JID {
  /// The resource in parentheses, after what is said of it.
  fileprivate var resourceWords: String { resource.map { " (\($0))" } ?? "" }
}

extension [JID] {
  /// The contact of the only address; nil if there are several or none.
  fileprivate var onlyContact: BareJID? { count == 1 ? first?.bare : nil }
}
