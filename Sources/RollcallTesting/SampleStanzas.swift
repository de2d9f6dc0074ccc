import RosterCore
import XMPPStanza

// The stanzas that samples are made of.
extension XMPPElement {
  private static let rosterID = "roster"

  static var rosterRequest: XMPPElement {
    iq("get", [XMPPElement(XMLName("query", in: Namespace.roster))])
  }

  static func rosterResult(_ items: [RosterItem]) -> XMPPElement {
    let items = items.map { XMPPElement.Content.element($0.element) }
    return iq("result", [XMPPElement(XMLName("query", in: Namespace.roster), content: items)])
  }

  private static func iq(_ type: String, _ children: [XMPPElement]) -> XMPPElement {
    stanza("iq", [("type", type), ("id", rosterID)], children)
  }

  fileprivate static func stanza(
    _ name: String, _ attributes: [(String, String)], _ children: [XMPPElement]
  ) -> XMPPElement {
    XMPPElement(
      XMLName(name, in: Namespace.client),
      attributes: attributes.map { XMLAttribute(XMLName($0, in: ""), $1) },
      content: children.map { .element($0) })
  }

  /// An element with a text; nil without one.
  fileprivate static func text(
    _ name: String, _ text: String?, in namespace: String = Namespace.client
  ) -> XMPPElement? {
    text.map { XMPPElement(XMLName(name, in: namespace), content: [.text($0)]) }
  }

  var bytes: [UInt8] { serialized() }
}

extension RosterItem {
  fileprivate var element: XMPPElement {
    var attributes = [("jid", jid.text), ("subscription", subscription.rawValue)]
    if let name { attributes.append(("name", name)) }
    if isPending { attributes.append(("ask", "subscribe")) }
    if isApproved { attributes.append(("approved", "true")) }
    return XMPPElement(
      XMLName("item", in: Namespace.roster),
      attributes: attributes.map { XMLAttribute(XMLName($0, in: ""), $1) },
      content: groups.map { group in
        .element(XMPPElement(XMLName("group", in: Namespace.roster), content: [.text(group)]))
      })
  }
}

extension SampleRequest {
  var element: XMPPElement {
    .stanza(
      "presence", [("type", "subscribe"), ("from", jid.text)],
      [
        .text("status", message),
        .text("nick", nickname, in: "http://jabber.org/protocol/nick"),
      ].compactMap { $0 })
  }
}

extension SamplePresence {
  var element: XMPPElement {
    .stanza(
      "presence", [("from", jid.description)],
      [
        .text("show", show == .available ? nil : show.rawValue), .text("status", status),
        .text("priority", priority == 0 ? nil : "\(priority)"),
      ].compactMap { $0 })
  }
}
