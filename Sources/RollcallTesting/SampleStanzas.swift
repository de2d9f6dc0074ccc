import RosterCore
import XMPPStanza

// The stanzas that samples are made of.
extension XMPPElement {
  static func stanza(
    _ name: String, _ attributes: [(String, String)], _ children: [XMPPElement]
  ) -> XMPPElement {
    XMPPElement(
      XMLName(name, in: Namespace.client),
      attributes: attributes.map { XMLAttribute(XMLName($0, in: ""), $1) },
      content: children.map { .element($0) })
  }

  static func text(
    _ name: String, _ text: String, in namespace: String = Namespace.client
  ) -> XMPPElement {
    XMPPElement(XMLName(name, in: namespace), content: [.text(text)])
  }
}

extension SampleRequest {
  var element: XMPPElement {
    .stanza(
      "presence", [("type", "subscribe"), ("from", jid.text)],
      [
        message.map { .text("status", $0) },
        nickname.map { .text("nick", $0, in: "http://jabber.org/protocol/nick") },
      ].compactMap { $0 })
  }
}

extension SamplePresence {
  var element: XMPPElement {
    .stanza(
      "presence", [("from", jid.description)],
      [
        show == .available ? nil : .text("show", show.rawValue),
        status.map { .text("status", $0) },
        priority == 0 ? nil : .text("priority", "\(priority)"),
      ].compactMap { $0 })
  }
}
