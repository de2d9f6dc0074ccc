public import XMPPStanza

// The elements that a client sends, apart from the stanzas of its commands.
extension XMPPElement {
  /// An element with attributes without prefixes.
  ///
  /// - Parameters:
  ///   - name: The local name.
  ///   - namespace: The namespace, such as `jabber:client` for a stanza.
  ///   - attributes: Names and values; those without a value are left out.
  ///   - children: The child elements, after the text.
  ///   - text: The text.
  public static func element(
    _ name: String, _ namespace: String, _ attributes: [(String, String?)] = [],
    _ children: [XMPPElement] = [], text: String? = nil
  ) -> XMPPElement {
    XMPPElement(
      XMLName(name, in: namespace),
      attributes: attributes.compactMap { name, value in
        value.map { XMLAttribute(XMLName(name, in: ""), $0) }
      },
      content: (text.map { [.text($0)] } ?? []) + children.map { .element($0) })
  }

  /// A request of the client's own.
  static func request(_ type: String, id: String, to: String? = nil, _ payload: XMPPElement)
    -> XMPPElement
  {
    element("iq", Namespace.client, [("type", type), ("id", id), ("to", to)], [payload])
  }

  static let startTLS = element("starttls", Namespace.tls)

  static func bind(_ resource: String?) -> XMPPElement {
    element(
      "bind", Namespace.bind, [],
      resource.map { [element("resource", Namespace.bind, text: $0)] } ?? [])
  }

  static func enable() -> XMPPElement {
    element("enable", Namespace.streamManagement, [("resume", "true")])
  }

  static func resume(_ session: Resumption) -> XMPPElement {
    element(
      "resume", Namespace.streamManagement,
      [("h", "\(session.management.handled)"), ("previd", session.id)])
  }

  static func acknowledge(_ handled: UInt32) -> XMPPElement {
    element("a", Namespace.streamManagement, [("h", "\(handled)")])
  }

  static let askForAcknowledgement = element("r", Namespace.streamManagement)

  /// An error that ends the stream (RFC 6120 §4.9).
  static func streamError(_ condition: String) -> XMPPElement {
    element("error", Namespace.streams, [], [element(condition, Namespace.streamErrors)])
  }

  /// The condition of an error, and what it says in words.
  func condition(in namespace: String) -> (name: String, text: String?) {
    let report = ErrorReport(self, in: namespace)
    return (report.condition ?? "undefined-condition", report.text)
  }

  /// The error of a stanza (RFC 6120 §8.3).
  var stanzaError: (name: String, text: String?) {
    let error = child("error", in: Namespace.client)
    return error?.condition(in: Namespace.stanzaErrors) ?? ("undefined-condition", nil)
  }
}

extension Namespace {
  package static let tls = "urn:ietf:params:xml:ns:xmpp-tls"
  /// XEP-0440.
  package static let channelBinding = "urn:xmpp:sasl-cb:0"
  /// XEP-0199.
  static let ping = "urn:xmpp:ping"
  /// RFC 3921 §3, which older servers still require.
  static let legacySession = "urn:ietf:params:xml:ns:xmpp-session"
}
