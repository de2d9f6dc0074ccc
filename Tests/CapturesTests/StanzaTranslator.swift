import RawBytes
import TestSupport
import XMPPStanza

@testable import RosterCore

/// Translates stream elements to events as values: the oracle for `EventEncoder`, which writes the
/// bytes of events in place.
enum StanzaTranslator {
  /// Returns the event of an element, if it has a meaning for the roster, and its sender or
  /// recipient, if that is a valid address.
  ///
  /// Only direct children of a stanza count, so a stanza forwarded inside a message does not.
  static func read(
    _ node: XMPPElement, _ direction: Direction
  ) -> (event: RosterEvent?, peer: BareJID?) {
    do {
      guard let kind = try Stanza.Kind(node) else {
        return (translateNonza(node, direction), peer(of: node, direction))
      }
      let head = try StanzaHead(node, id: id(of: node, kind))
      let peer = direction == .inbound ? head.from : head.to
      return (translate(kind, head, node, direction), peer?.bare)
    } catch {
      let event =
        switch error {
        case .address: rejection(.address, error.description)
        case .unknownType: rejection(.type, error.description)
        }
      return (event, peer(of: node, direction))
    }
  }

  /// The id of a request or an answer; it has no meaning in other stanzas.
  private static func id(of node: XMPPElement, _ kind: Stanza.Kind) -> String? {
    guard case .iq = kind else { return nil }
    return node.attribute("id")
  }

  private static func translate(
    _ kind: Stanza.Kind, _ head: StanzaHead, _ node: XMPPElement, _ direction: Direction
  ) -> RosterEvent? {
    switch kind {
    case .iq(let kind): translate(kind, head, node, direction)
    case .presence(let kind): translate(kind, head, node, direction).map { .stanza($0) }
    case .message: translateMessage(head, node, direction).map { .stanza($0) }
    }
  }

  private static func peer(of node: XMPPElement, _ direction: Direction) -> BareJID? {
    let text = node.attribute(direction == .inbound ? "from" : "to")
    return text.flatMap { try? JID(parsing: $0) }?.bare
  }

  private static func rejection(_ kind: Rejection.Kind, _ reason: String) -> RosterEvent {
    .stanza(.rejected(Rejection(kind: kind, reason: reason)))
  }

  // MARK: Elements that are not stanzas

  private static func translateNonza(_ node: XMPPElement, _ direction: Direction) -> RosterEvent? {
    switch (node.name.namespace, node.name.local) {
    case (Namespace.streams, "stream"): .session(.negotiated)
    case (Namespace.streams, "error"): .session(.closed(isLost: false))
    case (Namespace.streams, "features") where direction == .inbound:
      .session(
        .featuresOffered(
          StreamFeatures(
            versioning: node.hasChild("ver", in: Namespace.rosterVersioning),
            preApproval: node.hasChild("sub", in: Namespace.preApproval))))
    case (Namespace.streamManagement, "resumed") where direction == .inbound,
      (Namespace.streamManagement2, "resumed") where direction == .inbound:
      .session(.resumed(nil, id: node.attribute("previd")))
    case (Namespace.streamManagement, "enabled") where direction == .inbound,
      (Namespace.streamManagement2, "enabled") where direction == .inbound:
      node.attribute("id").map { .session(.resumable(id: $0)) }
    case (Namespace.sasl2, "success") where direction == .inbound: translateSuccess(node)
    default: nil
    }
  }

  /// XEP-0388 §2.5: authentication, resumption and binding may all be in one answer.
  private static func translateSuccess(_ node: XMPPElement) -> RosterEvent? {
    let text = node.child("authorization-identifier", in: Namespace.sasl2)?.text
    guard let text, let jid = try? JID(parsing: text.trimmedOfXMLSpace) else {
      return rejection(.payload, "the success names no account that can be prepared")
    }
    if let resumed = node.child("resumed", in: Namespace.streamManagement) {
      return .session(.resumed(jid, id: resumed.attribute("previd")))
    }
    guard let bound = node.child("bound", in: Namespace.bind2) else {
      return .session(.authenticated(jid))
    }
    // XEP-0386 §3.2: stream management may be enabled in the same step.
    let enabled = bound.child("enabled", in: Namespace.streamManagement)
    return .session(.opened(jid, resumptionID: enabled?.attribute("id")))
  }

  // MARK: IQ

  private static func translate(
    _ kind: IQ.Kind, _ head: StanzaHead, _ node: XMPPElement, _ direction: Direction
  ) -> RosterEvent? {
    switch (kind, direction) {
    case (.result, .outbound), (.error, .outbound):
      head.id.map { .stanza(.answerSent(id: $0, to: head.to)) }
    case (.result, .inbound): translateResult(head, node)
    case (.error, .inbound):
      .stanza(
        .answerReceived(
          Answer(id: head.id, from: head.from, payload: .error(condition: condition(of: node))))
      )
    case (.get, .outbound): translateGet(head, node).map { .stanza($0) }
    case (.get, .inbound): nil
    case (.set, .outbound):
      node.child("query", in: Namespace.roster).map {
        .stanza(.setSent(RosterSet(id: head.id, peer: head.to, query: RosterQuery($0))))
      }
    case (.set, .inbound): translatePush(head, node).map { .stanza($0) }
    }
  }

  private static func translateGet(_ head: StanzaHead, _ node: XMPPElement) -> StanzaEvent? {
    guard let (payload, child) = IQPayload.first(of: IQPayload.asked, in: node) else { return nil }
    let subject: Query.Subject
    switch payload {
    case .bind: return nil
    case .roster: subject = .roster(version: child.attribute("ver"))
    case .blockList: subject = .blockList
    case .vCard, .vCard4: subject = .vCard
    case .published:
      switch child.child("items", in: Namespace.pubsub)?.attribute("node") {
      case Namespace.nick: subject = .nickname
      case Namespace.vCard4Node: subject = .vCard
      default: return nil
      }
    }
    return .querySent(Query(id: head.id, to: head.to, subject: subject))
  }

  private static func translateResult(_ head: StanzaHead, _ node: XMPPElement) -> RosterEvent? {
    var answer = Answer.Payload.other
    switch IQPayload.first(of: IQPayload.answered, in: node) {
    case (.bind, let bind)?: return translateBind(head, bind)
    case (.roster, let query)?: answer = .roster(RosterQuery(query))
    case (.blockList, let list)?: answer = .blockList(blockItems(list))
    case (.vCard, let card)?:
      answer = .vCard(
        VCardNames(
          nickname: card.child("NICKNAME", in: Namespace.vCard).flatMap(name),
          fullName: card.child("FN", in: Namespace.vCard).flatMap(name)))
    case (.vCard4, let card)?: answer = .vCard(VCardNames(vCard4: card))
    case (.published, let published)?:
      if let items = published.child("items", in: Namespace.pubsub),
        let names = publishedNames(items)
      {
        answer = names
      }
    case nil:
      if node.children.first(where: { _ in true }) == nil { answer = .nothing }
    }
    return .stanza(.answerReceived(Answer(id: head.id, from: head.from, payload: answer)))
  }

  /// RFC 6120 §7.6.1.
  private static func translateBind(_ head: StanzaHead, _ bind: XMPPElement) -> RosterEvent? {
    guard let text = bind.child("jid", in: Namespace.bind)?.text.trimmedOfXMLSpace,
      let jid = try? JID(parsing: text), jid.resource != nil
    else {
      return rejection(.payload, "the bind result has no full address to prepare")
    }
    return .session(.opened(jid, from: head.from))
  }

  private static func translatePush(_ head: StanzaHead, _ node: XMPPElement) -> StanzaEvent? {
    if let query = node.child("query", in: Namespace.roster) {
      let push = RosterSet(id: head.id, peer: head.from, query: RosterQuery(query))
      return .pushReceived(push)
    }
    if let block = node.child("block", in: Namespace.blocking) {
      return .blocked(from: head.from, blockItems(block))
    }
    if let unblock = node.child("unblock", in: Namespace.blocking) {
      let items = blockItems(unblock)
      // Empty means all (XEP-0191 §3.5); a list of only unreadable items does not.
      guard items.isEmpty, unblock.hasChild("item", in: Namespace.blocking) else {
        return .unblocked(from: head.from, items)
      }
      return .rejected(
        Rejection(kind: .payload, reason: "no address to unblock can be prepared"))
    }
    return nil
  }

  private static func blockItems(_ node: XMPPElement) -> [JID] {
    node.children.filter { $0.is("item", in: Namespace.blocking) }
      .compactMap { $0.attribute("jid").flatMap { try? JID(parsing: $0) } }
  }

  private static func condition(of node: XMPPElement) -> String? {
    node.child("error", in: Namespace.client)?.children
      .first { $0.name.namespace == Namespace.stanzaErrors && $0.name.local != "text" }?.name.local
  }

  // MARK: Presence

  private static func translate(
    _ kind: Presence.Kind, _ head: StanzaHead, _ node: XMPPElement, _ direction: Direction
  ) -> StanzaEvent? {
    if let kind = SubscriptionStanza.Kind(kind) { return translate(kind, head, node, direction) }
    switch (kind, direction) {
    case (.probe, _), (.error, _): return nil
    case (.available, .outbound), (.unavailable, .outbound):
      return .presenceSent(to: head.to, isAvailable: kind == .available)
    case (.available, .inbound):
      guard let from = head.from, !isRoom(node) else { return nil }
      return .availableReceived(from: from, Availability(PresenceContent(node)))
    case (.unavailable, .inbound):
      guard let from = head.from, !isRoom(node) else { return nil }
      return .unavailableReceived(from: from)
    case (.subscribe, _), (.subscribed, _), (.unsubscribe, _), (.unsubscribed, _): return nil
    }
  }

  private static func translate(
    _ kind: SubscriptionStanza.Kind, _ head: StanzaHead, _ node: XMPPElement, _ direction: Direction
  ) -> StanzaEvent {
    let other = direction == .inbound ? head.from : head.to
    guard let other else {
      let missing = direction == .inbound ? "from" : "to"
      return .rejected(
        Rejection(kind: .nobody, reason: "a \(kind.rawValue) without a '\(missing)' address"))
    }
    let stanza = SubscriptionStanza(
      kind: kind, contact: other.bare, status: statusText(node),
      nickname: node.child("nick", in: Namespace.nick).flatMap(name))
    return direction == .inbound ? .subscriptionReceived(stanza) : .subscriptionSent(stanza)
  }

  /// XEP-0045 §7.2.2: presence that a chat room sends for an occupant.
  private static func isRoom(_ node: XMPPElement) -> Bool {
    node.hasChild("x", in: Namespace.mucUser)
  }

  // MARK: Messages

  /// XEP-0163 §4.3: an event comes from the publisher's bare address.
  private static func translateMessage(
    _ head: StanzaHead, _ node: XMPPElement, _ direction: Direction
  ) -> StanzaEvent? {
    guard direction == .inbound, let from = head.from, from.resource == nil,
      let event = node.child("event", in: Namespace.pubsubEvent),
      node.attribute("type") != "error",
      let items = event.child("items", in: Namespace.pubsubEvent)
    else { return nil }
    switch items.attribute("node") {
    case Namespace.nick:
      return .nicknamePublished(from.bare, publishedNickname(items, in: Namespace.pubsubEvent))
    case Namespace.vCard4Node:
      // A notification may lack the content.
      return publishedVCard(items, in: Namespace.pubsubEvent).map { .vCardPublished(from.bare, $0) }
    default: return nil
    }
  }

  /// The names in an answer to our request for what a contact published.
  private static func publishedNames(_ items: XMPPElement) -> Answer.Payload? {
    switch items.attribute("node") {
    case Namespace.nick: .nickname(publishedNickname(items, in: Namespace.pubsub))
    case Namespace.vCard4Node: publishedVCard(items, in: Namespace.pubsub).map { .vCard($0) }
    default: nil
    }
  }

  private static func publishedVCard(_ items: XMPPElement, in namespace: String) -> VCardNames? {
    items.child("item", in: namespace)?.child("vcard", in: Namespace.vCard4)
      .map { VCardNames(vCard4: $0) }
  }

  private static func publishedNickname(_ items: XMPPElement, in namespace: String) -> String? {
    items.child("item", in: namespace)?.child("nick", in: Namespace.nick).flatMap(name)
  }

  private static func statusText(_ node: XMPPElement) -> String? {
    node.child("status", in: Namespace.client).map(\.text).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The name in an element's text; nil if it is empty.
  fileprivate static func name(_ node: XMPPElement) -> String? {
    let text = node.text.trimmedOfXMLSpace
    return text.isEmpty ? nil : text
  }
}

extension VCardNames {
  /// XEP-0292 and RFC 6351: the texts of `nickname` and `fn`.
  fileprivate init(vCard4 card: XMPPElement) {
    func text(_ property: WantedName) -> String? {
      card.child(property, in: Namespace.vCard4)?.child("text", in: Namespace.vCard4)
        .flatMap(StanzaTranslator.name)
    }
    self.init(nickname: text("nickname"), fullName: text("fn"))
  }
}

extension XMPPElement {
  /// Describes how the event that `EventEncoder` writes for an element differs from that of
  /// `StanzaTranslator`; nil if they agree.
  func encodedDifference(_ direction: Direction) -> String? {
    let (event, peer) = StanzaTranslator.read(self, direction)
    var encoder = EventEncoder()
    encoder.encode(self, direction)
    let contacts = Set((event?.contacts ?? []) + (peer.map { [$0] } ?? []))
    let names = contacts.map(\.text).sorted { $0.precedesByBytes($1) }
    guard encoder.event != event?.canonicalBytes || encoder.contacts != names else {
      return concernsDifference(encoder, names)
    }
    return "\(String(describing: encoder.event)) of \(encoder.contacts), not "
      + "\(String(describing: event?.canonicalBytes)) of \(names), for \(serialized())"
  }

  private func concernsDifference(_ encoder: EventEncoder, _ names: [String]) -> String? {
    guard let event = encoder.event else { return nil }
    for name in names + ["nobody@example.test"] {
      let concerns = try? RosterEvent.concerns(name, stored: event.span.bytes)
      if let concerns, concerns != names.contains(name) {
        return "\(name) is \(concerns ? "" : "not ")one of \(names) for \(serialized())"
      }
    }
    return nil
  }
}

extension RosterEvent {
  /// The contacts that an event names, in no particular order and possibly repeated.
  fileprivate var contacts: [BareJID] {
    switch self {
    case .session: []
    case .stanza(let event): event.contacts
    case .annotation(let annotation): annotation.contacts
    }
  }
}

extension StanzaEvent {
  fileprivate var contacts: [BareJID] {
    switch self {
    case .setSent(let set), .pushReceived(let set): return set.query.items.map(\.jid)
    case .answerReceived(let answer):
      switch answer.payload {
      case .roster(let query): return query.items.map(\.jid)
      case .blockList(let jids): return jids.map(\.bare)
      case .nothing, .other, .vCard, .nickname, .error: return []
      }
    case .subscriptionReceived(let stanza), .subscriptionSent(let stanza):
      return [stanza.contact]
    case .availableReceived(let from, _), .unavailableReceived(let from): return [from.bare]
    case .blocked(_, let jids), .unblocked(_, let jids): return jids.map(\.bare)
    case .nicknamePublished(let jid, _), .vCardPublished(let jid, _): return [jid]
    case .querySent, .answerSent, .presenceSent, .rejected: return []
    }
  }
}
