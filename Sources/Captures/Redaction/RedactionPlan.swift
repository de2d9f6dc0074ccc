import RawBytes
package import XMPPStanza

/// What must be known about a capture before its stand-ins can be assigned.
///
/// A first pass collects it, so that the stand-ins of the second one sort as the originals do and
/// everything in the redacted capture keeps its order.
package struct RedactionPlan: Sendable {
  private(set) var bare: Set<BareJID> = []
  private(set) var resources: Set<[UInt8]> = []
  private(set) var names: Set<[UInt8]> = []
  private(set) var groups: Set<[UInt8]> = []

  /// Creates an empty plan.
  package init() {}

  /// Adds the content of an element.
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
    case .kept, .malformedAddress, .language, .value, .text, .media, .unreadableMedia: break
    }
  }

  /// Adds the content of an annotation.
  package mutating func note(_ line: AnnotationLine) {
    for jid in line.contacts { note(JID(prepared: jid, resource: nil)) }
    if case .reading(_, let text?) = line { names.insert(Array(text.utf8)) }
  }

  /// Adds an address.
  package mutating func note(_ jid: JID) {
    bare.insert(jid.bare)
    bare.insert(BareJID(prepared: jid.bare.domain))
    if let resource = jid.resource { resources.insert(Array(resource.utf8)) }
  }
}

/// An attribute's value or an element's text, classified by how it is redacted.
enum RedactedPart {
  /// A text that is kept, perhaps without the white space around it.
  case kept(String)
  case address(JID)
  /// A text in the place of an address that cannot be prepared; its stand-in is malformed too.
  case malformedAddress(String)
  /// The name of a person; it is filed under a letter.
  case name(String)
  case group(String)
  case resource(String)
  case language(String)
  /// Any other value of an attribute.
  case value(String)
  /// Any other text.
  case text(String)
  /// A picture or a recording in Base64, without white space; its stand-in is Base64 too.
  case media(String)
  /// A text in the place of a picture or a recording; its stand-in is not Base64 either.
  case unreadableMedia(String)

  // MARK: Attributes

  private static let addressAttributes: Set<String> = [
    "from", "to", "jid", "by", "initiator", "responder",
  ]

  /// Attributes with the address of a file (XEP-0103, XEP-0363, XEP-0372).
  private static let linkAttributes: Set<String> = ["url", "target", "uri"]

  init(_ attribute: XMLAttribute, of node: XMPPElement) {
    let value = attribute.value
    let isPlain = attribute.name.namespace.isEmpty
    if value.isEmpty {
      self = .kept(value)
    } else if isPlain, Self.addressAttributes.contains(attribute.name.local) {
      self = Self.addressed(value)
    } else if isPlain, attribute.name.local == "name", node.is("item", in: Namespace.roster) {
      self = Self.named(value)
    } else if isPlain, attribute.name.local == "id", Self.isReadPosition(node) {
      self = Self.addressed(value)
    } else if isPlain, Self.linkAttributes.contains(attribute.name.local) {
      // The address of a file may also be a text, which must stay equal.
      self = .text(value)
    } else if attribute.name == XMLName("lang", in: Namespace.xml) {
      self = .language(value)
    } else if let kept = ProtocolVocabulary.value(attribute) {
      self = .kept(kept)
    } else {
      self = .value(value)
    }
  }

  /// Whether an item says up to which message a conversation was read; its id is the address of the
  /// conversation (XEP-0490).
  private static func isReadPosition(_ node: XMPPElement) -> Bool {
    node.name.local == "item" && node.hasChild("displayed", in: "urn:xmpp:mds:displayed:0")
  }

  private static func addressed(_ text: String) -> RedactedPart {
    (try? JID(parsing: text)).map { .address($0) } ?? .malformedAddress(text)
  }

  /// Readers remove the white space around a name.
  private static func named(_ text: String) -> RedactedPart {
    let name = text.trimmedOfXMLSpace
    return name.isEmpty ? .kept(text) : .name(name)
  }

  // MARK: Texts

  /// - Parameters:
  ///   - node: The element; its texts between its children count as one text.
  ///   - parent: Its parent, if it has one.
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
    } else if Self.isMedia(node, in: parent) {
      let isReadable = text.withUTF8Bytes { Base64.decode($0) != nil }
      self =
        isReadable
        ? .media(String(decoding: text.utf8.filter { !$0.isXMLSpace }, as: UTF8.self))
        : .unreadableMedia(text)
    } else if Self.isPageBoundary(node) {
      self = .value(trimmed)
    } else {
      self = .text(text)
    }
  }

  private static func isAddress(_ node: XMPPElement) -> Bool {
    ["jid", "authorization-identifier"].contains(node.name.local)
  }

  /// Whether it should have a picture or a recording in Base64: an element of a demo that sends
  /// them, or a body that its subject declares to be one.
  private static func isMedia(_ node: XMPPElement, in parent: XMPPElement?) -> Bool {
    guard node.name.namespace == Namespace.client else { return false }
    if ProtocolVocabulary.isMediaWord(node.name.local) { return true }
    guard node.name.local == "body",
      let subject = parent?.child("subject", in: Namespace.client)?.text.trimmedOfXMLSpace
    else { return false }
    return ProtocolVocabulary.isMediaWord(subject)
  }

  /// Whether it has the id of a result in an archive, which results have as an attribute
  /// (XEP-0059).
  private static func isPageBoundary(_ node: XMPPElement) -> Bool {
    node.name.namespace == "http://jabber.org/protocol/rsm"
      && ["first", "last", "before", "after"].contains(node.name.local)
  }

  /// Whether it has a person's name (XEP-0172, XEP-0054, `nickname` and `fn` of XEP-0292).
  private static func isName(_ node: XMPPElement, in parent: XMPPElement?) -> Bool {
    if node.is("nick", in: Namespace.nick) { return true }
    if node.name.namespace == Namespace.vCard {
      return ["NICKNAME", "FN"].contains(node.name.local)
    }
    guard node.is("text", in: Namespace.vCard4), let parent else { return false }
    return parent.is("nickname", in: Namespace.vCard4) || parent.is("fn", in: Namespace.vCard4)
  }
}
