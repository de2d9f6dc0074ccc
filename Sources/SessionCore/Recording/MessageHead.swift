package import XMPPStanza

/// The head of a message: its addresses, ids and times, and what kinds of things it
/// carries, without what it says.
///
/// A head keeps
///
/// - the name and namespace of the message and of its children, and inside of envelopes and of
///   other elements whose structure is known, those of the elements in them;
/// - in the namespaces of such elements, the attributes that are addresses, ids, times, numbers or
///   words of a protocol;
/// - the thread, and what people are called: their nicknames (XEP-0172), and the names on a card
///   that they publish (XEP-0292), which are part of the roster.
///
/// A mark of the kind `text` takes the place of any other content, as for a credential. An element
/// without content gets no mark. The head of a head is the same.
package enum MessageHead {
  /// Returns the head of a message, or nil if the message has nothing else.
  ///
  /// - Parameters:
  ///   - node: The message.
  ///   - withBody: Whether the head says that there were a body and a subject.
  ///
  /// Complexity: linear in the message.
  package static func head(of node: XMPPElement, withBody: Bool = true) -> XMPPElement? {
    guard !withBody else { return reduced(node) }
    let content = node.content.filter { item in
      guard case .element(let child) = item else { return true }
      return !child.is("body", in: Namespace.client) && !child.is("subject", in: Namespace.client)
    }
    guard content.count < node.content.count else { return reduced(node) }
    let rest = XMPPElement(node.name, attributes: node.attributes, content: content)
    return reduced(rest) ?? rest
  }

  /// The head of an element in a message; nil if it is the same.
  private static func reduced(_ node: XMPPElement) -> XMPPElement? {
    let locals = structures[node.name.namespace]
    let attributes = node.attributes.filter { attribute in
      locals != nil && attribute.name.namespace.isEmpty
        && keptAttributes.contains(attribute.name.local)
    }
    let content =
      if isName(node) {
        name(in: node)
      } else if locals?.contains(node.name.local) == true {
        heads(in: node)
      } else {
        mark(node)
      }
    guard content != nil || attributes.count < node.attributes.count else { return nil }
    return XMPPElement(node.name, attributes: attributes, content: content ?? node.content)
  }

  /// The heads of the elements in an element, with one mark for its own text; nil if they are the
  /// same.
  private static func heads(in node: XMPPElement) -> [XMPPElement.Content]? {
    var isChanged = false
    var content = node.content.compactMap { item -> XMPPElement.Content? in
      switch item {
      case .text(let text):
        guard !text.trimmedOfXMLSpace.isEmpty else { return item }
      case .element(let child):
        guard !child.isTextMark, let head = reduced(child) else { return item }
        isChanged = true
        return .element(head)
      }
      isChanged = true
      return nil
    }
    if content.count < node.content.count, !node.hasTextMark { content.append(.element(textMark)) }
    return isChanged ? content : nil
  }

  /// The text of a name, which is in the element itself or, on a card, in an element `text` of it;
  /// nil if there is nothing else. A contact can put anything beside it.
  private static func name(in node: XMPPElement) -> [XMPPElement.Content]? {
    var isChanged = false
    let content = node.content.compactMap { item -> XMPPElement.Content? in
      guard case .element(let child) = item else { return item }
      guard node.name.namespace == Namespace.vCard4, child.is("text", in: Namespace.vCard4) else {
        isChanged = true
        return nil
      }
      let texts = child.content.filter { if case .text = $0 { true } else { false } }
      guard !child.attributes.isEmpty || texts.count < child.content.count else { return item }
      isChanged = true
      return .element(XMPPElement(child.name, attributes: [], content: texts))
    }
    return isChanged ? content : nil
  }

  /// The mark in place of the content of an element; nil if it has none or already is one.
  private static func mark(_ node: XMPPElement) -> [XMPPElement.Content]? {
    let hasContent = node.content.contains { item in
      switch item {
      case .text(let text): !text.trimmedOfXMLSpace.isEmpty
      case .element(let child): !child.isTextMark
      }
    }
    return hasContent ? [.element(textMark)] : nil
  }

  private static let textMark = XMPPElement(
    XMLName("removed", in: Namespace.removed),
    attributes: [XMLAttribute(XMLName("kind", in: ""), XMPPElement.kindOfText)])

  /// Whether an element is a thread or what a person is called.
  private static func isName(_ node: XMPPElement) -> Bool {
    switch (node.name.namespace, node.name.local) {
    case (Namespace.client, "thread"), (Namespace.nick, "nick"), (Namespace.vCard4, "nickname"),
      (Namespace.vCard4, "fn"):
      true
    default: false
    }
  }

  /// The names of attributes that are addresses, ids, times, numbers or words of a protocol.
  private static let keptAttributes: Set<String> = [
    "affiliation", "by", "bytes", "code", "from", "height", "id", "jid", "namespace", "node",
    "parent", "publisher", "queryid", "role", "stamp", "to", "type", "width",
  ]

  /// The namespaces whose attributes are known, each with the elements in which only elements are.
  private static let structures: [String: Set<String>] = [
    Namespace.client: ["message", "error"],
    Namespace.stanzaErrors: [],
    // Copies: XEP-0280, XEP-0313, XEP-0297.
    "urn:xmpp:carbons:2": ["sent", "received"],
    "urn:xmpp:mam:0": ["result"],
    "urn:xmpp:mam:1": ["result"],
    "urn:xmpp:mam:2": ["result"],
    "urn:xmpp:forward:0": ["forwarded"],
    // Ids and times: XEP-0359, XEP-0421, XEP-0203, XEP-0091.
    "urn:xmpp:sid:0": [],
    "urn:xmpp:occupant-id:0": [],
    Namespace.delay: [],
    "jabber:x:delay": [],
    // Signs: XEP-0184, XEP-0333, XEP-0085, XEP-0334.
    "urn:xmpp:receipts": [],
    "urn:xmpp:chat-markers:0": [],
    "http://jabber.org/protocol/chatstates": [],
    "urn:xmpp:hints": [],
    // What concerns another message: XEP-0308, XEP-0424, XEP-0425, XEP-0422, XEP-0444, XEP-0461,
    // XEP-0367.
    "urn:xmpp:message-correct:0": [],
    "urn:xmpp:message-retract:0": ["retract", "retracted"],
    "urn:xmpp:message-retract:1": ["retract", "retracted"],
    "urn:xmpp:message-moderate:0": ["moderated"],
    "urn:xmpp:message-moderate:1": ["moderated"],
    "urn:xmpp:fasten:0": ["apply-to"],
    "urn:xmpp:reactions:0": [],
    "urn:xmpp:reply:0": [],
    "urn:xmpp:message-attaching:1": [],
    // Rooms: XEP-0045, XEP-0249.
    Namespace.mucUser: ["x"],
    "jabber:x:conference": [],
    // What contacts publish: XEP-0060, XEP-0172, XEP-0292, XEP-0084, XEP-0490.
    Namespace.pubsubEvent: ["event", "items", "item"],
    Namespace.nick: [],
    Namespace.vCard4: ["vcard"],
    "urn:xmpp:avatar:metadata": ["metadata"],
    "urn:xmpp:mds:displayed:0": ["displayed"],
    // Whether it is encrypted: XEP-0380, XEP-0384.
    "urn:xmpp:eme:0": [],
    "eu.siacs.conversations.axolotl": ["encrypted"],
    "urn:xmpp:omemo:1": ["encrypted"],
    "urn:xmpp:omemo:2": ["encrypted"],
  ]
}

extension XMPPElement {
  fileprivate static let kindOfText = "text"

  /// Whether a recorder has left out what the element says: it has the mark and no text. A contact
  /// can send the mark, too, which hides nothing.
  package var isLeftOut: Bool { hasTextMark && text.trimmedOfXMLSpace.isEmpty }

  fileprivate var hasTextMark: Bool { children.contains(where: \.isTextMark) }

  fileprivate var isTextMark: Bool {
    self.is("removed", in: Namespace.removed) && attribute("kind") == Self.kindOfText
  }
}
