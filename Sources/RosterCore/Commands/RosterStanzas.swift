import XMPPStanza

// The stanzas that commands are made of.
extension XMLNode {
  static func rosterGet(id: String, version: String?) -> XMLNode {
    let attributes = version.map { [XMLAttribute("ver", $0)] } ?? []
    return iq(
      "get", id: id, XMLNode(XMLName("query", in: Namespace.roster), attributes: attributes))
  }

  /// A set of what a user may edit: the name and all groups.
  static func rosterSet(id: String, _ item: RosterItem) -> XMLNode {
    var attributes = [XMLAttribute("jid", item.jid.text)]
    if let name = item.name { attributes.append(XMLAttribute("name", name)) }
    let groups = item.groups.map { group in
      Content.element(XMLNode(XMLName("group", in: Namespace.roster), content: [.text(group)]))
    }
    return rosterSet(id: id, attributes, groups)
  }

  static func rosterSet(id: String, removing jid: BareJID) -> XMLNode {
    let attributes = [XMLAttribute("jid", jid.text), XMLAttribute("subscription", "remove")]
    return rosterSet(id: id, attributes, [])
  }

  static func subscription(_ type: String, to jid: BareJID) -> XMLNode {
    XMLNode(
      XMLName("presence", in: Namespace.client),
      attributes: [XMLAttribute("type", type), XMLAttribute("to", jid.text)])
  }

  static func blocking(_ name: String, _ jid: JID, id: String) -> XMLNode {
    let item = XMLNode(
      XMLName("item", in: Namespace.blocking),
      attributes: [XMLAttribute("jid", jid.description)])
    return iq(
      "set", id: id, XMLNode(XMLName(name, in: Namespace.blocking), content: [.element(item)]))
  }

  /// Whether an inbound set with this child is a push.
  var isPushPayload: Bool {
    self.is("query", in: Namespace.roster) || self.is("block", in: Namespace.blocking)
      || self.is("unblock", in: Namespace.blocking)
  }

  private static func rosterSet(
    id: String, _ attributes: [XMLAttribute], _ groups: [Content]
  ) -> XMLNode {
    let item = XMLNode(
      XMLName("item", in: Namespace.roster), attributes: attributes, content: groups)
    return iq(
      "set", id: id, XMLNode(XMLName("query", in: Namespace.roster), content: [.element(item)]))
  }

  private static func iq(_ type: String, id: String, _ payload: XMLNode) -> XMLNode {
    XMLNode(
      XMLName("iq", in: Namespace.client),
      attributes: [XMLAttribute("type", type), XMLAttribute("id", id)],
      content: [.element(payload)])
  }
}

extension XMLAttribute {
  /// An attribute without a prefix.
  init(_ local: String, _ value: String) {
    self.init(XMLName(local, in: ""), value)
  }
}
