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
    masked(node, in: nil, isWhole: false)
  }

  /// - Parameter isWhole: Whether everything in the element is what a person wrote.
  private mutating func masked(
    _ node: XMPPElement, in parent: XMPPElement?, isWhole: Bool
  ) -> XMPPElement {
    let isWhole = isWhole || node.name.namespace == Self.formattedText
    let attributes = node.attributes.map { attribute in
      Self.isWritten(attribute, of: node, isWhole: isWhole)
        ? XMLAttribute(attribute.name, texts[attribute.value]) : attribute
    }
    var text: String? = isWhole || Self.isWritten(node, in: parent) ? standIn(of: node) : nil
    let isMasked = text != nil
    let content = node.content.compactMap { item -> XMPPElement.Content? in
      switch item {
      case .element(let child):
        return .element(masked(child, in: node, isWhole: isWhole))
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
  /// or its address.
  private static let written: [String: Set<String>] = [
    // Elements of a widespread demo, beside the two of RFC 6121.
    Namespace.client: [
      "body", "subject", "TextMessage", "ImageMessage", "VoiceMessage", "XMPPElementTextMessage",
      "XMPPElementImageMessage", "XMPPElementVoiceMessage",
    ],
    // XEP-0066, XEP-0444, XEP-0424.
    "jabber:x:oob": ["url", "desc"],
    "urn:xmpp:reactions:0": ["reaction"],
    "urn:xmpp:message-retract:1": ["reason"],
    // XEP-0446, XEP-0234.
    "urn:xmpp:file:metadata:0": ["name", "desc"],
    "urn:xmpp:jingle:apps:file-transfer:5": ["name", "desc"],
    // XEP-0231, XEP-0084.
    "urn:xmpp:bob": ["data"],
    "urn:xmpp:avatar:data": ["data"],
    Namespace.vCard: ["BINVAL"],
  ]

  private static func isWritten(_ node: XMPPElement, in parent: XMPPElement?) -> Bool {
    if written[node.name.namespace]?.contains(node.name.local) == true { return true }
    // A picture of vCard4 is an address that has its data (RFC 6350 §6.2.4).
    return node.is("uri", in: Namespace.vCard4) && parent?.is("photo", in: Namespace.vCard4) == true
  }

  private static func isWritten(
    _ attribute: XMLAttribute, of node: XMPPElement, isWhole: Bool
  ) -> Bool {
    guard !attribute.value.isEmpty else { return false }
    if isWhole { return attribute.name.namespace.isEmpty }
    // XEP-0103 and XEP-0385: addresses of files and pictures of their own.
    return switch (node.name.namespace, attribute.name.local) {
    case ("http://jabber.org/protocol/url-data", "target"), ("urn:xmpp:reference:0", "uri"),
      ("urn:xmpp:thumbs:1", "uri"), ("urn:xmpp:thumbs:0", "uri"):
      true
    default: false
    }
  }
}
