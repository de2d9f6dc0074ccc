import RawBytes
package import XMPPStanza

/// Replaces what people wrote to each other, and the pictures and recordings that they sent, with
/// stand-ins; everything else is kept.
///
/// Equal texts get equal stand-ins. It is for a page about the roster, whose reader has no use for
/// the messages of its author. A `Redactor` also hides who the people are.
package struct MessageMask {
  private var texts = StandIns { "text\($0)" }
  private var media = StandIns { Base64.encode(Array("media\($0)".utf8)) }

  /// Creates a mask without stand-ins.
  package init() {}

  /// Returns an element with stand-ins, at any depth, because a copy of a message is inside other
  /// elements. Complexity: linear in the element.
  package mutating func masked(_ node: XMPPElement) -> XMPPElement {
    masked(node, in: nil, extent: .known)
  }

  /// What of an element is what a person wrote.
  private enum Extent {
    /// The elements and attributes that are known to be.
    case known
    /// All text and all addresses of files: whatever a message carries, a client may show.
    case message
    /// Everything.
    case whole

    /// The extent of a child or an element in another extent.
    func extended(to node: XMPPElement) -> Extent {
      switch self {
      case .whole: .whole
      case .known, .message:
        if node.name.namespace == MessageMask.formattedText {
          .whole
        } else if node.is("message", in: Namespace.client) {
          .message
        } else {
          self
        }
      }
    }
  }

  private mutating func masked(
    _ node: XMPPElement, in parent: XMPPElement?, extent outer: Extent
  ) -> XMPPElement {
    let extent = outer.extended(to: node)
    let attributes = node.attributes.map { attribute in
      Self.isWritten(attribute, of: node, extent)
        ? XMLAttribute(attribute.name, texts[attribute.value]) : attribute
    }
    var text: String? = Self.isWritten(node, in: parent, extent) ? standIn(of: node) : nil
    let isMasked = text != nil
    let content = node.content.compactMap { item -> XMPPElement.Content? in
      switch item {
      case .element(let child):
        return .element(masked(child, in: node, extent: extent))
      case .text:
        guard isMasked else { return item }
        // All text of an element is one text, even if children separate its parts.
        defer { text = nil }
        return text.map { .text($0) }
      }
    }
    return XMPPElement(node.name, attributes: attributes, content: content)
  }

  /// Nil if there is nothing to hide.
  private mutating func standIn(of node: XMPPElement) -> String? {
    let text = node.text
    guard !text.trimmedOfXMLSpace.isEmpty, ProtocolVocabulary.text(text, of: node) == nil else {
      return nil
    }
    let isMedia =
      !Self.bodies.contains(node.name.local) && text.utf8.count >= 8
      && text.withUTF8Bytes { Base64.decode($0) != nil }
    return isMedia ? media[text] : texts[text]
  }

  // MARK: What people wrote

  /// XEP-0071.
  private static let formattedText = "http://www.w3.org/1999/xhtml"
  private static let bodies: Set<String> = ["body", "subject"]

  /// Elements by namespace, whose text a person wrote, or is a picture, a recording, a file's name
  /// or its address. Of messages, all text is.
  private static let written: [String: Set<String>] = [
    // XEP-0066, of an iq.
    "jabber:iq:oob": ["url", "desc"],
    // XEP-0045: the reason of an invitation, a kick or a ban.
    "http://jabber.org/protocol/muc#user": ["reason"],
    "http://jabber.org/protocol/muc#admin": ["reason"],
    "http://jabber.org/protocol/muc#owner": ["reason"],
    "urn:xmpp:message-moderate:0": ["reason"],
    "urn:xmpp:message-moderate:1": ["reason"],
    // XEP-0234, XEP-0096, XEP-0047.
    "urn:xmpp:jingle:apps:file-transfer:5": ["name", "desc", "size"],
    "http://jabber.org/protocol/si/profile/file-transfer": ["desc"],
    "http://jabber.org/protocol/ibb": ["data"],
    // The first version of XEP-0363.
    "urn:xmpp:http:upload": ["filename", "size", "get", "put"],
    // XEP-0231, XEP-0084.
    "urn:xmpp:bob": ["data"],
    "urn:xmpp:avatar:data": ["data"],
    Namespace.vCard: ["BINVAL"],
  ]

  private static func isWritten(
    _ node: XMPPElement, in parent: XMPPElement?, _ extent: Extent
  ) -> Bool {
    switch extent {
    case .whole: return true
    case .message:
      // What contacts are called is no message, and the page says it anyway.
      if case .name = RedactedPart(textOf: node, in: parent) { return false }
      return true
    case .known: break
    }
    if written[node.name.namespace]?.contains(node.name.local) == true { return true }
    // A digest identifies a file.
    if node.name.local == "hash", let parent, written[parent.name.namespace] != nil { return true }
    // A picture of vCard4 is an address that has its data (RFC 6350 §6.2.4).
    return node.is("uri", in: Namespace.vCard4) && parent?.is("photo", in: Namespace.vCard4) == true
  }

  /// Attributes with the address of a file, its name, its digest, or a reason.
  private static let links: Set<String> = [
    "cid", "filename", "href", "reason", "src", "target", "uri", "url",
  ]

  private static func isWritten(
    _ attribute: XMLAttribute, of node: XMPPElement, _ extent: Extent
  ) -> Bool {
    guard !attribute.value.isEmpty, attribute.name.namespace.isEmpty else { return false }
    switch extent {
    case .whole: return true
    case .message: return links.contains(attribute.name.local)
    case .known: break
    }
    // XEP-0363, XEP-0096 and XEP-0231.
    return switch (node.name.namespace, attribute.name.local) {
    case ("urn:xmpp:http:upload:0", "filename"), ("urn:xmpp:http:upload:0", "size"),
      ("urn:xmpp:http:upload:0", "url"),
      ("http://jabber.org/protocol/si/profile/file-transfer", "name"),
      ("http://jabber.org/protocol/si/profile/file-transfer", "hash"),
      ("http://jabber.org/protocol/si/profile/file-transfer", "size"), ("urn:xmpp:bob", "cid"):
      true
    default: false
    }
  }
}
