import Digests
import RawBytes
package import XMPPStanza

/// Removes credentials from the elements of a capture, in their order.
///
/// Each secret leaves a mark of its kind. Text becomes an element `removed` in
/// `urn:rollcall:removed:0` with an attribute `kind`. An attribute's value becomes that namespace,
/// with a digest after a `#` if equal ids must stay equal. A secret in an address becomes
/// `removed`. Every element is searched, however deeply nested. Scrubbing is idempotent.
package struct Credentials {
  private static let removed = Namespace.removed

  /// XEP-0388 before it was final.
  private static let earlierSASL2 = ["urn:xmpp:sasl:0", "urn:xmpp:sasl:1"]
  /// XEP-0480.
  private static let scramUpgrade = "urn:xmpp:scram-upgrade:0"
  /// XEP-0363, in its present and its earlier versions.
  private static let httpUploads = [
    "urn:xmpp:http:upload:0", "urn:xmpp:http:upload", "eu:siacs:conversations:http:upload",
  ]
  /// XEP-0220.
  private static let dialback = "jabber:server:dialback"
  /// XEP-0124 and XEP-0206.
  private static let binding = "http://jabber.org/protocol/httpbind"
  /// XEP-0070.
  private static let httpAuth = "http://jabber.org/protocol/http-auth"
  /// XEP-0050.
  private static let commands = "http://jabber.org/protocol/commands"
  /// XEP-0448: the key of an encrypted file.
  private static let encryptedFiles = "urn:xmpp:esfs:0"

  /// The kind of a secret.
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

  /// The namespaces in which a name or text can be a secret or hold one.
  static let namespaces: [String] =
    [
      Namespace.dataForms, Namespace.sasl, Namespace.sasl2, Namespace.fast, Namespace.legacyAuth,
      Namespace.register, Namespace.streamManagement, Namespace.streamManagement2, scramUpgrade,
      dialback, binding, encryptedFiles, httpAuth,
    ] + earlierSASL2 + httpUploads
  private static let filter = NamespaceFilter(namespaces)
  private static let httpAuthFilter = NamespaceFilter([httpAuth])

  private var names = XMLNameMemo()

  /// The names of fields that a form declared secret; the answer to it need not repeat that.
  package var privateFields: Set<String> = []
  /// The maximum number of private fields that are remembered.
  private static let maximumFields = 1024

  /// Creates a value for the beginning of a capture.
  package init() {}

  /// Returns the element without its secrets, or nil if it has none.
  ///
  /// Complexity: linear, and once more for each element around a secret.
  package mutating func scrubbed(_ node: XMPPElement) -> XMPPElement? {
    guard !areAbsent(from: node) else { return nil }
    return scrubbed(node, in: Surroundings(transactions: Self.transactions(in: node)))
  }

  /// Whether an element certainly has no secret, as is true of nearly all.
  ///
  /// No name in it is one that a secret can have, and no text has the address of an encrypted file.
  mutating func areAbsent(from node: XMPPElement) -> Bool {
    (!Self.filter.mayHold(node) || node.isAcknowledgement)
      && !names.finds(in: node, SecretNames.needsInspection)
      && !node.hasText(
        ofAtLeast: SecretParameters.minimumBytesWithKey, where: SecretParameters.mayHaveKey)
  }

  /// The context of an element.
  private struct Surroundings {
    var isRegistration = false
    var isInvitation = false
    /// The kind of the enclosing form field.
    var field = Field.plain
    /// The ids of the requests that the stanza asks the user to confirm.
    var transactions: [String] = []
  }

  private mutating func scrubbed(
    _ node: XMPPElement, in surroundings: Surroundings
  ) -> XMPPElement? {
    let isInvitation = surroundings.isInvitation || Self.isInvitation(node)
    let attributes = Self.scrubbedAttributes(of: node, isInvitation: isInvitation)
    let content: [XMPPElement.Content]?
    if surroundings.field == .secret, node.is("value", in: Namespace.dataForms) {
      content = Self.mark(.password, insteadOf: node.content)
    } else if let kind = Self.kind(of: node, isRegistration: surroundings.isRegistration) {
      content = Self.mark(kind, insteadOf: node.content)
    } else {
      var inner = surroundings
      inner.isInvitation = isInvitation
      content = scrubbedContent(of: node, in: inner)
    }
    guard attributes != nil || content != nil else { return nil }
    return XMPPElement(
      node.name, attributes: attributes ?? node.attributes, content: content ?? node.content)
  }

  // MARK: Attributes

  static func scrubbedAttributes(
    of node: XMPPElement, isInvitation: Bool = false
  ) -> [XMLAttribute]? {
    let attributes = node.attributes
    let clean = attributes.map { attribute in
      let value = scrubbed(attribute, of: node, isInvitation: isInvitation)
      return XMLAttribute(attribute.name, value ?? attribute.value)
    }
    return clean == attributes ? nil : clean
  }

  private static func scrubbed(
    _ attribute: XMLAttribute, of node: XMPPElement, isInvitation: Bool
  ) -> String? {
    guard !attribute.value.isEmpty else { return nil }
    let local = attribute.name.local
    if SecretNames.isSecret(local) { return removed }
    switch (node.name.namespace, local) {
    case (Namespace.streamManagement, "id"), (Namespace.streamManagement, "previd"),
      (Namespace.streamManagement2, "id"), (Namespace.streamManagement2, "previd"),
      (binding, "sid"), (binding, "authid"):
      return mark(ofID: attribute.value)
    // An id that people compare by eye can be guessed from its digest (XEP-0070 §4).
    case (binding, "key"), (binding, "newkey"), (httpAuth, "id"): return removed
    case (httpAuth, "url"):
      let url = SecretParameters.withoutSecrets(attribute.value)
      return SecretParameters.withoutQuery(url ?? attribute.value) ?? url
    default: break
    }
    if httpUploads.contains(node.name.namespace), local == "url" {
      return SecretParameters.withoutQuery(attribute.value)
    }
    return scrubbed(address: attribute.value, named: local, isInvitation: isInvitation)
  }

  /// Returns the value of an attribute or element without its secrets, or nil if it has none.
  ///
  /// Only a value whose name says that it is an address can have one.
  private static func scrubbed(
    address: String, named name: String, isInvitation: Bool
  ) -> String? {
    if SecretNames.isLandingPage(name) { return SecretParameters.hostAlone(address) }
    guard SecretNames.isAddress(name) || isInvitation && SecretNames.isInvitation(name) else {
      return nil
    }
    return isInvitation && SecretParameters.isWebAddress(address)
      ? SecretParameters.hostAlone(address) : SecretParameters.withoutSecrets(address)
  }

  /// Returns the mark that replaces an id with which a session can be taken over.
  ///
  /// Equal ids have equal marks, which shows which session is resumed. The mark is a digest rather
  /// than a running number, so that an element read again from a rotated capture is recognized.
  package static func mark(ofID id: String) -> String {
    guard !isMark(ofID: id) else { return id }
    return removed + "#" + Digest.sha256(Array(id.utf8)).prefix(8).hexadecimal
  }

  private static func isMark(ofID id: String) -> Bool {
    let prefix = Array((removed + "#").utf8)
    guard id.utf8.starts(with: prefix), id.utf8.count == prefix.count + 16 else { return false }
    return id.utf8.dropFirst(prefix.count).allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }

  // MARK: Content

  private mutating func scrubbedContent(
    of node: XMPPElement, in outer: Surroundings
  ) -> [XMPPElement.Content]? {
    var inner = outer
    inner.isRegistration = outer.isRegistration || node.is("query", in: Namespace.register)
    inner.field = field(node, in: inner)
    var isChanged = false
    let content = node.content.map { item -> XMPPElement.Content in
      let replacement: XMPPElement.Content?
      switch item {
      case .text(let text):
        replacement = Self.scrubbed(text: text, of: node, in: outer).map { .text($0) }
      case .element(let child):
        replacement = scrubbed(child, in: inner).map { .element($0) }
      }
      guard let replacement else { return item }
      isChanged = true
      return replacement
    }
    return isChanged ? content : nil
  }

  /// Returns the text of an element without its secrets, or nil if it has none.
  private static func scrubbed(
    text: String, of node: XMPPElement, in surroundings: Surroundings
  ) -> String? {
    var clean = scrubbed(address: text, of: node, in: surroundings)
    // People send each other the addresses of encrypted files in bodies.
    clean = SecretParameters.withoutKeys(clean ?? text) ?? clean
    // The body repeats the id for clients that do not support such requests.
    for transaction in surroundings.transactions {
      clean = SecretParameters.without(word: transaction, in: clean ?? text) ?? clean
    }
    return clean
  }

  /// Returns a text without its secrets if it is an address, or nil if it has none.
  private static func scrubbed(
    address: String, of node: XMPPElement, in surroundings: Surroundings
  ) -> String? {
    if node.is("value", in: Namespace.dataForms) {
      let isLandingPage =
        surroundings.field == .landingPage
        || surroundings.isInvitation && SecretParameters.isWebAddress(address)
      return isLandingPage
        ? SecretParameters.hostAlone(address) : SecretParameters.withoutSecrets(address)
    }
    if httpUploads.contains(node.name.namespace), ["put", "get"].contains(node.name.local) {
      return SecretParameters.withoutQuery(address)
    }
    return scrubbed(
      address: address, named: node.name.local, isInvitation: surroundings.isInvitation)
  }

  // MARK: Invitations and requests to confirm

  /// Whether an element is an invitation, or the form in which a server issues one (XEP-0401 §3).
  private static func isInvitation(_ node: XMPPElement) -> Bool {
    SecretNames.isInvitation(node.name.local) || SecretNames.isInvitation(node.name.namespace)
      || node.is("command", in: commands)
        && SecretNames.isInvitation(node.attribute("node") ?? "")
  }

  /// How many ids of one stanza are searched for in its texts; a valid one has one (XEP-0070 §4).
  private static let maximumTransactions = 2

  /// The ids of the requests in an element that the user is asked to confirm.
  ///
  /// They are searched for at any depth, because the stanza can be a forwarded one.
  private static func transactions(in node: XMPPElement) -> [String] {
    var ids: [String] = []
    func collect(from node: XMPPElement) {
      guard ids.count < maximumTransactions else { return }
      if node.is("confirm", in: httpAuth), let id = node.attribute("id"), !id.isEmpty,
        id != removed, !ids.contains(where: { $0.hasSameBytes(as: id) })
      {
        ids.append(id)
      }
      for child in node.children { collect(from: child) }
    }
    if httpAuthFilter.mayHold(node) { collect(from: node) }
    return ids
  }

  // MARK: Forms

  /// The kind of a form field.
  private enum Field {
    case secret
    /// The address of a page that is an invitation (XEP-0401).
    case landingPage
    case plain
  }

  /// The kind of an element as a form field (XEP-0004).
  ///
  /// A field is secret by its type, by its type in the form that this one answers, or by its name.
  /// In a registration any field may be secret, because the server chooses the names.
  private mutating func field(_ node: XMPPElement, in surroundings: Surroundings) -> Field {
    guard node.is("field", in: Namespace.dataForms) else { return .plain }
    let name = node.attribute("var") ?? ""
    if node.attribute("type") == "text-private" {
      if !name.isEmpty, privateFields.count < Self.maximumFields { privateFields.insert(name) }
      return .secret
    }
    if SecretNames.isSecret(field: name) || privateFields.contains(name) { return .secret }
    if surroundings.isRegistration, name != "FORM_TYPE", name != "username" { return .secret }
    return SecretNames.isLandingPage(name) ? .landingPage : .plain
  }

  // MARK: Marks

  /// Returns the content that replaces a secret, or nil if it is empty or already a mark.
  private static func mark(
    _ kind: Kind, insteadOf content: [XMPPElement.Content]
  ) -> [XMPPElement.Content]? {
    let hasNoSecret = content.allSatisfy { item in
      switch item {
      case .text(let text): text.trimmedOfXMLSpace.isEmpty
      case .element(let child): isMark(child)
      }
    }
    guard !hasNoSecret else { return nil }
    let name = XMLName("removed", in: removed)
    let attribute = XMLAttribute(XMLName("kind", in: ""), kind.rawValue)
    return [.element(XMPPElement(name, attributes: [attribute]))]
  }

  private static func isMark(_ node: XMPPElement) -> Bool {
    let attributes = node.attributes
    return node.is("removed", in: removed) && node.content.isEmpty && attributes.count == 1
      && attributes[0].name == XMLName("kind", in: "") && Kind(rawValue: attributes[0].value) != nil
  }

  /// The kind of secret that the content of an element is, or nil if it is none.
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
    // XEP-0114. The log may lack the stream header, which declares the namespace of components.
    case Namespace.component, Namespace.client: return local == "handshake" ? .handshake : nil
    // The hash with which a server checks a password is enough to log in.
    case scramUpgrade: return local == "hash" ? .password : nil
    case dialback: return ["result", "verify"].contains(local) ? .dialback : nil
    case encryptedFiles: return ["key", "iv"].contains(local) ? .key : nil
    // The headers of a file upload.
    default: return httpUploads.contains(namespace) && local == "header" ? .authorization : nil
    }
  }

  /// Whether an element carries the payload of an exchange of SASL, or of something like it.
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
