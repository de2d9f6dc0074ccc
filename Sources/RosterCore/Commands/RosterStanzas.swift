package import XMPPStanza

// The stanzas that carry out commands, and those that policies add.
extension XMPPElement {
  package static func rosterGet(id: String, version: String?) -> XMPPElement {
    let attributes = version.map { [XMLAttribute("ver", $0)] } ?? []
    return iq(
      "get", id: id, XMPPElement(XMLName("query", in: Namespace.roster), attributes: attributes))
  }

  /// A set of what a user may edit: the name and all groups.
  static func rosterSet(id: String, _ item: RosterItem) -> XMPPElement {
    iq("set", id: id, rosterQuery([rosterItem(item)]))
  }

  /// The push with which a server shows an item.
  package static func rosterPush(id: String, _ item: RosterItem) -> XMPPElement {
    iq("set", id: id, rosterQuery([rosterItem(item, item.shownAttributes)]))
  }

  /// The result with which a server sends the roster.
  package static func rosterResult(id: String, _ items: [RosterItem]) -> XMPPElement {
    iq("result", id: id, rosterQuery(items.map { rosterItem($0, $0.shownAttributes) }))
  }

  /// A set of an item's removal, and the push that shows it.
  package static func rosterSet(id: String, removing jid: BareJID) -> XMPPElement {
    let attributes = [XMLAttribute("jid", jid.text), XMLAttribute("subscription", "remove")]
    let item = XMPPElement(XMLName("item", in: Namespace.roster), attributes: attributes)
    return iq("set", id: id, rosterQuery([item]))
  }

  /// The stanza that asks for, grants, refuses or ends a subscription.
  ///
  /// - Parameters:
  ///   - kind: What is asked or answered.
  ///   - jid: The contact.
  ///   - message: A message for the contact (RFC 6121 §3.1.1); none if it is nil or empty.
  static func subscription(
    _ kind: SubscriptionStanza.Kind, to jid: BareJID, saying message: String? = nil
  ) -> XMPPElement {
    let message = message.flatMap { $0.isEmpty ? nil : $0 }
    let status = message.map { text in
      Content.element(
        XMPPElement(XMLName("status", in: Namespace.client), content: [.text(text)]))
    }
    return XMPPElement(
      XMLName("presence", in: Namespace.client),
      attributes: [XMLAttribute("type", kind.rawValue), XMLAttribute("to", jid.text)],
      content: status.map { [$0] } ?? [])
  }

  static func blocking(_ name: String, _ jid: JID, id: String) -> XMPPElement {
    let item = XMPPElement(
      XMLName("item", in: Namespace.blocking),
      attributes: [XMLAttribute("jid", jid.description)])
    return iq(
      "set", id: id, XMPPElement(XMLName(name, in: Namespace.blocking), content: [.element(item)]))
  }

  /// An empty result, which also acknowledges a push.
  package static func result(id: String, to: JID? = nil) -> XMPPElement {
    var attributes = [XMLAttribute("type", "result"), XMLAttribute("id", id)]
    if let to { attributes.append(XMLAttribute("to", to.description)) }
    return XMPPElement(XMLName("iq", in: Namespace.client), attributes: attributes)
  }

  /// Whether an inbound set with this child is a push.
  var isPushPayload: Bool {
    self.is("query", in: Namespace.roster) || self.is("block", in: Namespace.blocking)
      || self.is("unblock", in: Namespace.blocking)
  }

  private static func rosterItem(
    _ item: RosterItem, _ further: [XMLAttribute] = []
  ) -> XMPPElement {
    var attributes = [XMLAttribute("jid", item.jid.text)]
    if let name = item.name { attributes.append(XMLAttribute("name", name)) }
    let groups = item.groups.map { group in
      Content.element(XMPPElement(XMLName("group", in: Namespace.roster), content: [.text(group)]))
    }
    return XMPPElement(
      XMLName("item", in: Namespace.roster), attributes: attributes + further, content: groups)
  }

  private static func rosterQuery(_ items: [XMPPElement]) -> XMPPElement {
    XMPPElement(XMLName("query", in: Namespace.roster), content: items.map { .element($0) })
  }

  /// Whether XML allows every character in it (XML 1.0 §2.2). A stream ends at any other.
  var hasOnlyXMLCharacters: Bool {
    String(decoding: serialized(), as: UTF8.self).unicodeScalars.allSatisfy { character in
      switch character.value {
      case 0x09, 0x0A, 0x0D: true
      case ..<0x20, 0xFFFE, 0xFFFF: false
      default: true
      }
    }
  }

  private static func iq(_ type: String, id: String, _ payload: XMPPElement) -> XMPPElement {
    XMPPElement(
      XMLName("iq", in: Namespace.client),
      attributes: [XMLAttribute("type", type), XMLAttribute("id", id)],
      content: [.element(payload)])
  }
}

extension RosterItem {
  /// What a server shows of an item besides what the user may edit.
  fileprivate var shownAttributes: [XMLAttribute] {
    var attributes = [XMLAttribute("subscription", subscription.rawValue)]
    if isPending { attributes.append(XMLAttribute("ask", "subscribe")) }
    if isApproved { attributes.append(XMLAttribute("approved", "true")) }
    return attributes
  }
}

extension XMLAttribute {
  /// An attribute without a prefix.
  init(_ local: String, _ value: String) {
    self.init(XMLName(local, in: ""), value)
  }
}
