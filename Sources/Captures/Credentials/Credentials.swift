package import XMPPStanza

/// An element with what lets one log in taken out, and its bytes.
///
/// What is taken out leaves a mark of its kind: text becomes an element `removed` in
/// `urn:rollcall:removed:0` with an attribute `kind`, an attribute's value becomes that namespace.
/// Where there is nothing to take out, node and bytes are those that came; else the bytes are the
/// serialised node. It is the same whether done once or twice, and looks into every element,
/// however deep it is nested. Complexity: linear.
package func withoutCredentials(
  _ node: XMLNode, _ bytes: [UInt8]
) -> (node: XMLNode, bytes: [UInt8]) {
  guard let clean = Credentials.scrubbed(node) else { return (node, bytes) }
  return (clean, clean.serialized())
}

enum Credentials {
  private static let removed = "urn:rollcall:removed:0"

  /// XEP-0480.
  fileprivate static let scramUpgrade = "urn:xmpp:scram-upgrade:0"
  /// XEP-0363.
  fileprivate static let httpUpload = "urn:xmpp:http:upload:0"

  /// What a secret was for.
  private enum Kind: String {
    case sasl
    case token
    case password
    case registration
    case handshake
    case authorization
  }

  /// Where something in one of them can be a secret, or can hold one.
  private static let namespaces = NamespaceFilter([
    Namespace.dataForms, Namespace.sasl, Namespace.sasl2, Namespace.fast, Namespace.legacyAuth,
    Namespace.register, scramUpgrade, httpUpload,
  ])
  /// Names that are a secret's in any namespace.
  private static let names = (XMLPackedName("password"), XMLPackedName("handshake"))

  /// The element without its secrets, nil where it has none.
  static func scrubbed(_ node: XMLNode) -> XMLNode? {
    // Nearly all elements have none: no name in them is one that a secret can have.
    guard namespaces.mayHold(node) || node.mentions(names.0, or: names.1) else { return nil }
    return scrubbed(node, isRegistration: false)
  }

  private static func scrubbed(_ node: XMLNode, isRegistration: Bool) -> XMLNode? {
    let attributes = scrubbedAttributes(of: node)
    let kind = kind(of: node, isRegistration: isRegistration)
    let content =
      if let kind {
        mark(kind, insteadOf: node.content)
      } else {
        scrubbedContent(of: node, isRegistration: isRegistration)
      }
    guard attributes != nil || content != nil else { return nil }
    return XMLNode(
      node.name, attributes: attributes ?? node.attributes, content: content ?? node.content)
  }

  private static func scrubbedAttributes(of node: XMLNode) -> [XMLAttribute]? {
    let attributes = node.attributes
    let clean = attributes.map { attribute in
      isSecret(attribute, of: node) ? XMLAttribute(attribute.name, removed) : attribute
    }
    return clean == attributes ? nil : clean
  }

  private static func scrubbedContent(
    of node: XMLNode, isRegistration: Bool
  ) -> [XMLNode.Content]? {
    var clean: [XMLNode.Content]?
    let content = node.content
    let isInside = isRegistration || node.is("query", in: Namespace.register)
    let isField = isSecretField(node, isRegistration: isInside)
    for (index, item) in content.enumerated() {
      guard case .element(let child) = item else { continue }
      let replacement: XMLNode?
      if isField, child.is("value", in: Namespace.dataForms) {
        replacement = mark(.password, insteadOf: child.content).map {
          XMLNode(child.name, attributes: child.attributes, content: $0)
        }
      } else {
        replacement = scrubbed(child, isRegistration: isInside)
      }
      guard let replacement else { continue }
      var changed = clean ?? content
      clean = nil
      changed[index] = .element(replacement)
      clean = changed
    }
    return clean
  }

  /// The content that stands for a secret; nil where there is none, or none any more.
  private static func mark(
    _ kind: Kind, insteadOf content: [XMLNode.Content]
  ) -> [XMLNode.Content]? {
    let isNothing = content.allSatisfy { item in
      switch item {
      case .text(let text): text.trimmedOfXMLSpace.isEmpty
      case .element(let child): child.is("removed", in: removed) && child.content.isEmpty
      }
    }
    guard !isNothing else { return nil }
    let name = XMLName("removed", in: removed)
    let attribute = XMLAttribute(XMLName("kind", in: ""), kind.rawValue)
    return [.element(XMLNode(name, attributes: [attribute]))]
  }

  private static func isSecret(_ attribute: XMLAttribute, of node: XMLNode) -> Bool {
    if isPassword(attribute.name.local) { return true }
    // XEP-0484: the token that stands for a password from now on.
    return attribute.name.local == "token" && node.name.namespace == Namespace.fast
  }

  fileprivate static func isPassword(_ name: String) -> Bool {
    name.utf8.count == 8 && name.lowercased() == "password"
  }

  /// The kind of secret that the content of an element is, nil where it is none.
  private static func kind(of node: XMLNode, isRegistration: Bool) -> Kind? {
    let local = node.name.local
    if isPassword(local) { return .password }
    switch node.name.namespace {
    case Namespace.sasl:
      return ["auth", "response", "challenge", "success"].contains(local) ? .sasl : nil
    case Namespace.sasl2:
      let names = ["initial-response", "response", "challenge", "additional-data"]
      return names.contains(local) ? .sasl : nil
    case Namespace.legacyAuth:
      return ["digest", "hash", "token"].contains(local) ? .password : nil
    case Namespace.register:
      let harmless = ["query", "username", "instructions", "registered", "remove"]
      return isRegistration && !harmless.contains(local) ? .registration : nil
    // XEP-0114; its namespace is the default one of a stream that a log does not show.
    case Namespace.component, Namespace.client: return local == "handshake" ? .handshake : nil
    // What a server needs to check a password is enough to use it.
    case scramUpgrade: return local == "hash" ? .password : nil
    // Headers with which a file is put on a server.
    case httpUpload: return local == "header" ? .authorization : nil
    default: return nil
    }
  }

  /// Whether an element is a field of a form that holds a secret (XEP-0004). In a registration
  /// every field may: their names are the server's.
  private static func isSecretField(_ node: XMLNode, isRegistration: Bool) -> Bool {
    guard node.is("field", in: Namespace.dataForms) else { return false }
    if node.attribute("type") == "text-private" { return true }
    let name = node.attribute("var") ?? ""
    if name.lowercased().contains("password") { return true }
    return isRegistration && name != "FORM_TYPE" && name != "username"
  }
}
