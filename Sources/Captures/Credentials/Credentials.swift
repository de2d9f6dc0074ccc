import Crypto
package import XMPPStanza

/// Takes out of the elements of a capture, in their order, what lets one log in.
///
/// What is taken out leaves a mark of its kind: text becomes an element `removed` in
/// `urn:rollcall:removed:0` with an attribute `kind`, an attribute's value becomes that namespace,
/// with a digest after a `#` where equal ids must stay equal, and a secret in an address becomes
/// `removed`. It is the same whether done once or twice, and looks into every element, however deep
/// it is nested.
package struct Credentials {
  private static let removed = "urn:rollcall:removed:0"

  /// XEP-0388 before it was final.
  private static let earlierSASL2 = ["urn:xmpp:sasl:0", "urn:xmpp:sasl:1"]
  /// XEP-0480.
  private static let scramUpgrade = "urn:xmpp:scram-upgrade:0"
  /// XEP-0363, as it is and as it was.
  private static let httpUploads = [
    "urn:xmpp:http:upload:0", "urn:xmpp:http:upload", "eu:siacs:conversations:http:upload",
  ]
  /// XEP-0220.
  private static let dialback = "jabber:server:dialback"
  /// XEP-0124 and XEP-0206.
  private static let binding = "http://jabber.org/protocol/httpbind"
  /// XEP-0448: what an encrypted file is read with.
  private static let encryptedFiles = "urn:xmpp:esfs:0"

  /// What a secret was for.
  private enum Kind: String {
    case sasl
    case token
    case password
    case registration
    case handshake
    case authorization
    case dialback
    case key
  }

  /// Where something in one of them can be a secret, or can hold one.
  static let namespaces: [String] =
    [
      Namespace.dataForms, Namespace.sasl, Namespace.sasl2, Namespace.fast, Namespace.legacyAuth,
      Namespace.register, Namespace.streamManagement, Namespace.streamManagement2, scramUpgrade,
      dialback, binding, encryptedFiles,
    ] + earlierSASL2 + httpUploads
  private static let filter = NamespaceFilter(namespaces)

  private var names = XMLNameMemo()

  /// The names of fields that a form has said to be secret, for its answer need not say so again.
  private var privateFields: Set<String> = []
  /// The most that are remembered.
  private static let maximumFields = 1024

  /// At the beginning of a capture.
  package init() {}

  /// The element without its secrets, nil where it has none. Complexity: linear, and once more for
  /// each element around one of which something is taken out.
  package mutating func scrubbed(_ node: XMPPElement) -> XMPPElement? {
    areAbsent(from: node) ? nil : scrubbed(node, isRegistration: false)
  }

  /// Whether there is surely no secret in an element, as in nearly all: no name in it is one that a
  /// secret can have.
  mutating func areAbsent(from node: XMPPElement) -> Bool {
    (!Self.filter.mayHold(node) || node.isAcknowledgement)
      && !names.finds(in: node, SecretNames.mayMatter)
  }

  /// - Parameter field: What the element stands in is, where that is a field of a form.
  private mutating func scrubbed(
    _ node: XMPPElement, isRegistration: Bool, in field: Field = .plain
  ) -> XMPPElement? {
    let attributes = Self.scrubbedAttributes(of: node)
    let content: [XMPPElement.Content]?
    if field == .secret, node.is("value", in: Namespace.dataForms) {
      content = Self.mark(.password, insteadOf: node.content)
    } else if let kind = Self.kind(of: node, isRegistration: isRegistration) {
      content = Self.mark(kind, insteadOf: node.content)
    } else {
      content = scrubbedContent(of: node, isRegistration: isRegistration, in: field)
    }
    guard attributes != nil || content != nil else { return nil }
    return XMPPElement(
      node.name, attributes: attributes ?? node.attributes, content: content ?? node.content)
  }

  // MARK: Attributes

  static func scrubbedAttributes(of node: XMPPElement) -> [XMLAttribute]? {
    let attributes = node.attributes
    let clean = attributes.map { attribute in
      XMLAttribute(attribute.name, scrubbed(attribute, of: node) ?? attribute.value)
    }
    return clean == attributes ? nil : clean
  }

  private static func scrubbed(_ attribute: XMLAttribute, of node: XMPPElement) -> String? {
    guard !attribute.value.isEmpty else { return nil }
    let local = attribute.name.local
    if SecretNames.isSecret(local) { return removed }
    switch (node.name.namespace, local) {
    case (Namespace.streamManagement, "id"), (Namespace.streamManagement, "previd"),
      (Namespace.streamManagement2, "id"), (Namespace.streamManagement2, "previd"),
      (binding, "sid"), (binding, "authid"):
      return mark(ofID: attribute.value)
    case (binding, "key"), (binding, "newkey"): return removed
    default: break
    }
    if httpUploads.contains(node.name.namespace), local == "url" {
      return SecretParameters.withoutQuery(attribute.value)
    }
    return SecretNames.isAddress(local) ? SecretParameters.removed(from: attribute.value) : nil
  }

  /// What stands for an id that lets one go on with a session: the same for the same, as it tells
  /// who resumes what. It is a digest and no number in the order of coming, or an element read
  /// again from a rotated capture would not be known again.
  package static func mark(ofID id: String) -> String {
    guard !isMark(ofID: id) else { return id }
    let digest = SHA256.hash(data: Array(id.utf8)).prefix(8)
    return digest.reduce(removed + "#") { text, byte in
      text + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }

  private static func isMark(ofID id: String) -> Bool {
    let prefix = Array((removed + "#").utf8)
    guard id.utf8.starts(with: prefix), id.utf8.count == prefix.count + 16 else { return false }
    return id.utf8.dropFirst(prefix.count).allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }

  // MARK: Content

  private mutating func scrubbedContent(
    of node: XMPPElement, isRegistration: Bool, in outer: Field
  ) -> [XMPPElement.Content]? {
    let isInside = isRegistration || node.is("query", in: Namespace.register)
    let field = field(node, isRegistration: isInside)
    var isChanged = false
    let content = node.content.map { item -> XMPPElement.Content in
      let replacement: XMPPElement.Content?
      switch item {
      case .text(let text):
        replacement = Self.scrubbed(text: text, of: node, in: outer).map { .text($0) }
      case .element(let child):
        replacement = scrubbed(child, isRegistration: isInside, in: field).map { .element($0) }
      }
      guard let replacement else { return item }
      isChanged = true
      return replacement
    }
    return isChanged ? content : nil
  }

  /// The text of an address without its secrets; nil where it has none, or is none.
  private static func scrubbed(
    text: String, of node: XMPPElement, in field: Field
  ) -> String? {
    if node.is("value", in: Namespace.dataForms) {
      return field == .landingPage
        ? SecretParameters.withoutQuery(text) : SecretParameters.removed(from: text)
    }
    if httpUploads.contains(node.name.namespace), ["put", "get"].contains(node.name.local) {
      return SecretParameters.withoutQuery(text)
    }
    return SecretNames.isAddress(node.name.local) ? SecretParameters.removed(from: text) : nil
  }

  /// What a field of a form is.
  private enum Field {
    case secret
    /// An address whose query is an invitation (XEP-0401).
    case landingPage
    case plain
  }

  /// What an element is as a field of a form (XEP-0004). It holds a secret where it is typed so, or
  /// was in the form that this one answers, or has the name of one. In a registration every field
  /// may: their names are the server's.
  private mutating func field(_ node: XMPPElement, isRegistration: Bool) -> Field {
    guard node.is("field", in: Namespace.dataForms) else { return .plain }
    let name = node.attribute("var") ?? ""
    if node.attribute("type") == "text-private" {
      if !name.isEmpty, privateFields.count < Self.maximumFields { privateFields.insert(name) }
      return .secret
    }
    if SecretNames.isSecret(field: name) || privateFields.contains(name) { return .secret }
    if isRegistration, name != "FORM_TYPE", name != "username" { return .secret }
    return name == "landing-url" ? .landingPage : .plain
  }

  /// The content that stands for a secret; nil where there is none, or none any more.
  private static func mark(
    _ kind: Kind, insteadOf content: [XMPPElement.Content]
  ) -> [XMPPElement.Content]? {
    let isNothing = content.allSatisfy { item in
      switch item {
      case .text(let text): text.trimmedOfXMLSpace.isEmpty
      case .element(let child): isMark(child)
      }
    }
    guard !isNothing else { return nil }
    let name = XMLName("removed", in: removed)
    let attribute = XMLAttribute(XMLName("kind", in: ""), kind.rawValue)
    return [.element(XMPPElement(name, attributes: [attribute]))]
  }

  private static func isMark(_ node: XMPPElement) -> Bool {
    let attributes = node.attributes
    return node.is("removed", in: removed) && node.content.isEmpty && attributes.count == 1
      && attributes[0].name == XMLName("kind", in: "") && Kind(rawValue: attributes[0].value) != nil
  }

  /// The kind of secret that the content of an element is, nil where it is none.
  private static func kind(of node: XMPPElement, isRegistration: Bool) -> Kind? {
    let (local, namespace) = (node.name.local, node.name.namespace)
    if SecretNames.isSecret(local) {
      return local.lowercased().contains("token") ? .token : .password
    }
    if isSASLPayload(local, in: namespace) { return .sasl }
    switch namespace {
    case Namespace.legacyAuth:
      return ["digest", "hash"].contains(local) ? .password : nil
    case Namespace.register:
      let harmless = ["query", "username", "instructions", "registered", "remove"]
      return isRegistration && !harmless.contains(local) ? .registration : nil
    // XEP-0114; its namespace is the default one of a stream that a log does not show.
    case Namespace.component, Namespace.client: return local == "handshake" ? .handshake : nil
    // What a server needs to check a password is enough to use it.
    case scramUpgrade: return local == "hash" ? .password : nil
    case dialback: return ["result", "verify"].contains(local) ? .dialback : nil
    case encryptedFiles: return ["key", "iv"].contains(local) ? .key : nil
    // Headers with which a file is put on a server.
    default: return httpUploads.contains(namespace) && local == "header" ? .authorization : nil
    }
  }

  /// Whether an element carries what an exchange of SASL, or of something like it, says.
  private static func isSASLPayload(_ local: String, in namespace: String) -> Bool {
    switch namespace {
    case Namespace.sasl: return ["auth", "response", "challenge", "success"].contains(local)
    case Namespace.sasl2: return sasl2Payloads.contains(local)
    default:
      guard sasl2Payloads.contains(local) || local == "auth" else { return false }
      let namespace = namespace.lowercased()
      return namespace.contains("sasl") || namespace.contains("auth")
    }
  }

  private static let sasl2Payloads: Set = [
    "initial-response", "response", "challenge", "additional-data", "next", "task-data",
  ]
}
