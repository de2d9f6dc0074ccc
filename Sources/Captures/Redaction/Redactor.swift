package import XMPPStanza

/// Everything that has to be known of a capture before its stand-ins can be given out.
///
/// Two passes make the stand-ins sort as the originals do, so that what happens in the order of
/// addresses happens in the same order in the redacted capture.
package struct RedactionPlan: Sendable {
  fileprivate var accounts: Set<BareJID> = []
  fileprivate var domains: Set<String> = []
  fileprivate var resources: Set<String> = []

  /// A plan that knows of nothing yet.
  package init() {}

  /// Takes note of the addresses in an element.
  package mutating func note(_ node: XMLNode) {
    for attribute in node.attributes {
      if let jid = Redactor.address(attribute) { note(jid) }
    }
    if let jid = Redactor.address(inTextOf: node) { note(jid) }
    if Redactor.isResource(node) { resources.insert(node.text) }
    for child in node.children { note(child) }
  }

  /// Takes note of an address.
  package mutating func note(_ jid: JID) {
    if jid.bare.local != nil { accounts.insert(jid.bare) }
    domains.insert(jid.bare.domain)
    if let resource = jid.resource { resources.insert(resource) }
  }
}

/// Puts stand-ins in the place of everything in an element that says who somebody is or what they
/// wrote.
///
/// Equal originals have equal stand-ins, different ones different; a name keeps the letter it is
/// filed under. What the protocol defines is kept, everything else is replaced: a value that
/// nobody has thought of is opaque, not public. So the redacted capture gives the same history and
/// the same findings about other people.
package struct Redactor {
  private let accounts: [BareJID: String]
  private let domains: [String: String]
  private let resources: [String: String]
  private let letter: (String) -> Character
  private var names: [String: String] = [:]
  private var groups: [String: String] = [:]
  private var texts: [String: String] = [:]
  private var values: [String: String] = [:]
  private var malformed: [String: String] = [:]
  private var bookmarks: [String: String] = [:]

  /// - Parameter letter: The letter that a name is filed under, A to Z or `#`.
  package init(_ plan: RedactionPlan, letter: @escaping (String) -> Character) {
    self.letter = letter
    // A contact without a name is filed under its address.
    accounts = Self.numbered(plan.accounts.sorted()) { jid, number in
      Self.filed(under: letter(jid.local ?? ""), "user\(number)").lowercased()
    }
    domains = Self.numbered(plan.domains.sorted(by: Self.precedes)) { domain, number in
      Self.filed(under: letter(domain), "server\(number).example").lowercased()
    }
    resources = Self.numbered(plan.resources.sorted(by: Self.precedes)) { "resource\($1)" }
  }

  /// The element with stand-ins.
  package mutating func redacted(_ node: XMLNode) -> XMLNode {
    let attributes = node.attributes.map { attribute in
      XMLAttribute(attribute.name, redacted(attribute, of: node))
    }
    let content = node.content.map { (item) -> XMLNode.Content in
      switch item {
      case .element(let child): .element(redacted(child))
      case .text(let text): .text(redacted(text, in: node))
      }
    }
    return XMLNode(node.name, attributes: attributes, content: content)
  }

  /// The address with stand-ins.
  package func redacted(_ jid: JID) -> JID {
    let domain = domains[jid.bare.domain] ?? "server.example"
    let bare = BareJID(prepared: accounts[jid.bare].map { "\($0)@\(domain)" } ?? domain)
    return JID(prepared: bare, resource: jid.resource.map { resources[$0] ?? "resource" })
  }

  /// The stand-in for the name of a bookmark.
  package mutating func redacted(bookmark name: String) -> String {
    Self.standIn(for: name, in: &bookmarks) { "bookmark\($0)" }
  }

  // MARK: What is an address

  private static let addressAttributes: Set<String> = ["from", "to", "jid", "by"]
  private static let addressElements: Set<String> = ["jid", "authorization-identifier"]

  fileprivate static func address(_ attribute: XMLAttribute) -> JID? {
    guard attribute.name.namespace.isEmpty, isAddress(attribute) else { return nil }
    return try? JID(parsing: attribute.value)
  }

  private static func isAddress(_ attribute: XMLAttribute) -> Bool {
    addressAttributes.contains(attribute.name.local) || attribute.value.contains("@")
  }

  fileprivate static func address(inTextOf node: XMLNode) -> JID? {
    guard addressElements.contains(node.name.local) else { return nil }
    return try? JID(parsing: node.text.trimmedOfXMLSpace)
  }

  fileprivate static func isResource(_ node: XMLNode) -> Bool {
    node.is("resource", in: Namespace.bind)
  }

  // MARK: Attributes

  private mutating func redacted(_ attribute: XMLAttribute, of node: XMLNode) -> String {
    let value = attribute.value
    if let jid = Self.address(attribute) { return redacted(jid).description }
    guard attribute.name.namespace.isEmpty, !value.isEmpty else { return value }
    if Self.addressAttributes.contains(attribute.name.local) {
      // What cannot be prepared must stay so.
      return Self.standIn(for: value, in: &malformed) { "@\($0)" }
    }
    if node.is("item", in: Namespace.roster), attribute.name.local == "name" {
      return name(value)
    }
    if Self.isProtocol(attribute) { return value }
    return Self.standIn(for: value, in: &values) { "value\($0)" }
  }

  /// Values that specifications define, by attribute.
  private static let protocolValues: [String: Set<String>] = [
    "type": [
      "get", "set", "result", "error", "unavailable", "subscribe", "subscribed", "unsubscribe",
      "unsubscribed", "probe", "chat", "groupchat", "headline", "normal", "cancel", "auth",
      "modify", "wait", "continue", "form", "submit", "hidden",
    ],
    "subscription": ["none", "to", "from", "both", "remove"],
    "ask": ["subscribe"],
    "approved": ["true", "false", "1", "0"],
    "node": [Namespace.nick],
    "version": ["1.0"],
    "resume": ["true", "false", "1", "0"],
    "mechanism": ["PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-256", "SCRAM-SHA-512", "EXTERNAL"],
    "kind": ["sasl", "password", "token", "form", "registration"],
  ]

  private static func isProtocol(_ attribute: XMLAttribute) -> Bool {
    switch attribute.name.local {
    // Times tell no more than the records' own.
    case "stamp": attribute.value.utf8.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "@") }
    case let name: protocolValues[name]?.contains(attribute.value) ?? false
    }
  }

  // MARK: Texts

  private mutating func redacted(_ text: String, in node: XMLNode) -> String {
    let trimmed = text.trimmedOfXMLSpace
    guard !trimmed.isEmpty else { return text }
    if let jid = Self.address(inTextOf: node) { return redacted(jid).description }
    if Self.isResource(node) { return resources[node.text] ?? "resource" }
    switch (node.name.namespace, node.name.local) {
    case (Namespace.roster, "group"): return group(trimmed)
    case (Namespace.nick, "nick"), (Namespace.vCard, "NICKNAME"), (Namespace.vCard, "FN"):
      return name(trimmed)
    case (Namespace.client, "show") where Self.shows.contains(trimmed),
      (Namespace.client, "priority") where Int8(trimmed) != nil:
      return text
    default: return Self.standIn(for: text, in: &texts) { "text\($0)" }
    }
  }

  private static let shows: Set<String> = ["chat", "away", "xa", "dnd"]

  private mutating func name(_ text: String) -> String {
    let trimmed = text.trimmedOfXMLSpace
    guard !trimmed.isEmpty else { return text }
    let letter = self.letter(trimmed)
    return Self.standIn(for: trimmed, in: &names) { Self.filed(under: letter, "name\($0)") }
  }

  private mutating func group(_ text: String) -> String {
    let letter = self.letter(text)
    return Self.standIn(for: text, in: &groups) { Self.filed(under: letter, "group\($0)") }
  }

  /// A stand-in that begins with the letter, or with a digit for what is filed under none.
  private static func filed(under letter: Character, _ text: String) -> String {
    letter == "#" ? "0-\(text)" : "\(letter)-\(text)"
  }

  // MARK: Numbers

  private static func standIn(
    for original: String, in known: inout [String: String], _ make: (Int) -> String
  ) -> String {
    if let made = known[original] { return made }
    let made = make(known.count + 1)
    known[original] = made
    return made
  }

  /// Numbers of equal length, so that the stand-ins sort as their numbers do.
  private static func numbered<Key: Hashable>(
    _ keys: [Key], _ make: (Key, String) -> String
  ) -> [Key: String] {
    let digits = String(keys.count).count
    return Dictionary(
      uniqueKeysWithValues: keys.enumerated().map { index, key in
        let number = String(index + 1)
        return (key, make(key, String(repeating: "0", count: digits - number.count) + number))
      })
  }

  private static func precedes(_ a: String, _ b: String) -> Bool {
    a.utf8.lexicographicallyPrecedes(b.utf8)
  }
}
