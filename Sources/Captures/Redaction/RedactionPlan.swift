package import XMPPStanza

/// Everything that has to be known of a capture before its stand-ins can be given out.
///
/// Two passes make the stand-ins sort as the originals do, so that what stands or happens in an
/// order does so in the redacted capture.
package struct RedactionPlan: Sendable {
  private(set) var bare: Set<BareJID> = []
  private(set) var resources: Set<[UInt8]> = []
  private(set) var names: Set<[UInt8]> = []
  private(set) var groups: Set<[UInt8]> = []

  /// A plan that knows of nothing yet.
  package init() {}

  /// Takes note of what is in an element.
  package mutating func note(_ node: XMPPElement) { note(node, in: nil) }

  private mutating func note(_ node: XMPPElement, in parent: XMPPElement?) {
    for attribute in node.attributes { note(RedactedPart(attribute, of: node)) }
    note(RedactedPart(textOf: node, in: parent))
    for child in node.children { note(child, in: node) }
  }

  private mutating func note(_ part: RedactedPart) {
    switch part {
    case .address(let jid): note(jid)
    case .name(let name): names.insert(Array(name.utf8))
    case .group(let group): groups.insert(Array(group.utf8))
    case .resource(let resource): resources.insert(Array(resource.utf8))
    case .kept, .malformedAddress, .language, .value, .text: break
    }
  }

  /// Takes note of what is in an annotation.
  package mutating func note(_ line: AnnotationLine) {
    for jid in line.contacts { note(JID(prepared: jid, resource: nil)) }
    if case .reading(_, let text?) = line { names.insert(Array(text.utf8)) }
  }

  /// Takes note of an address.
  package mutating func note(_ jid: JID) {
    bare.insert(jid.bare)
    bare.insert(BareJID(prepared: jid.bare.domain))
    if let resource = jid.resource { resources.insert(Array(resource.utf8)) }
  }
}

/// What an attribute's value or an element's text is to those who redact it.
enum RedactedPart {
  /// It stays, perhaps without white space around it.
  case kept(String)
  case address(JID)
  /// Where an address belongs, and none can be prepared: it must stay so.
  case malformedAddress(String)
  /// What somebody is called; it is filed under a letter.
  case name(String)
  case group(String)
  case resource(String)
  case language(String)
  /// Any other value of an attribute.
  case value(String)
  /// Any other text.
  case text(String)

  // MARK: Attributes

  private static let addressAttributes: Set<String> = [
    "from", "to", "jid", "by", "initiator", "responder",
  ]

  init(_ attribute: XMLAttribute, of node: XMPPElement) {
    let value = attribute.value
    let isPlain = attribute.name.namespace.isEmpty
    if value.isEmpty {
      self = .kept(value)
    } else if isPlain, Self.addressAttributes.contains(attribute.name.local) {
      self = Self.addressed(value)
    } else if isPlain, attribute.name.local == "name", node.is("item", in: Namespace.roster) {
      self = Self.named(value)
    } else if attribute.name == XMLName("lang", in: Namespace.xml) {
      self = .language(value)
    } else if let kept = ProtocolVocabulary.value(attribute) {
      self = .kept(kept)
    } else {
      self = .value(value)
    }
  }

  private static func addressed(_ text: String) -> RedactedPart {
    (try? JID(parsing: text)).map { .address($0) } ?? .malformedAddress(text)
  }

  /// A reader takes the white space around a name off.
  private static func named(_ text: String) -> RedactedPart {
    let name = text.trimmedOfXMLSpace
    return name.isEmpty ? .kept(text) : .name(name)
  }

  // MARK: Texts

  /// - Parameters:
  ///   - node: The element; what text it has between its children is one text.
  ///   - parent: What it stands in.
  init(textOf node: XMPPElement, in parent: XMPPElement?) {
    let text = node.text
    let trimmed = text.trimmedOfXMLSpace
    if trimmed.isEmpty {
      self = .kept(text)
    } else if let kept = ProtocolVocabulary.text(text, of: node) {
      self = .kept(kept)
    } else if Self.isAddress(node) {
      self = Self.addressed(trimmed)
    } else if node.is("resource", in: Namespace.bind) {
      self = .resource(trimmed)
    } else if node.is("group", in: Namespace.roster) {
      self = .group(trimmed)
    } else if Self.isName(node, in: parent) {
      self = .name(trimmed)
    } else {
      self = .text(text)
    }
  }

  private static func isAddress(_ node: XMPPElement) -> Bool {
    ["jid", "authorization-identifier"].contains(node.name.local)
  }

  /// XEP-0172, XEP-0054, and of XEP-0292 the texts of `nickname` and `fn`.
  private static func isName(_ node: XMPPElement, in parent: XMPPElement?) -> Bool {
    if node.is("nick", in: Namespace.nick) { return true }
    if node.name.namespace == Namespace.vCard {
      return ["NICKNAME", "FN"].contains(node.name.local)
    }
    guard node.is("text", in: Namespace.vCard4), let parent else { return false }
    return parent.is("nickname", in: Namespace.vCard4) || parent.is("fn", in: Namespace.vCard4)
  }
}
