/// The content of an `<item/>` of a roster query, read from its element (RFC 6121 §2.1.2).
package struct RosterItemContent {
  private static let subscriptions = Words(RosterSubscription.self)

  private let node: XMPPElement
  /// The state of the subscription; nil if the item is removed.
  package let subscription: RosterSubscription?
  /// A `subscription` value that is not defined and was read as `none`.
  package let unknownSubscription: String?

  /// Reads an `<item/>`.
  package init(_ node: XMPPElement) {
    self.node = node
    // An empty value counts as a missing one.
    let word = node.word("subscription") ?? XMLPackedName()
    guard word != "remove" else {
      (subscription, unknownSubscription) = (nil, nil)
      return
    }
    let known = word == XMLPackedName() ? RosterSubscription.none : Self.subscriptions[word]
    subscription = known ?? RosterSubscription.none
    unknownSubscription = known == nil ? node.attribute("subscription") : nil
  }

  /// Whether our request awaits an answer.
  package var isPending: Bool { node.word("ask") == "subscribe" }

  /// Whether a later request from the contact is pre-approved. The value is an XML Schema boolean,
  /// whose surrounding white space is ignored.
  package var isApproved: Bool {
    switch node.attribute("approved")?.trimmedOfXMLSpace {
    case "true", "1": true
    default: false
    }
  }

  /// Calls `body` with the name, or with nil if it is missing or empty; the bytes are valid during
  /// the call.
  package func withName(_ body: (RawSpan?) -> Void) {
    guard let part = node.attributePart("name") else { return body(nil) }
    node.tree.withBytes(of: part) { bytes in
      let name = bytes.trimmedOfXMLSpace
      body(name.isEmpty ? nil : name)
    }
  }

  /// Calls `body` with each group that has a name, in document order; the bytes are valid during
  /// the call.
  package func forEachGroup(_ body: (RawSpan) -> Void) {
    for child in node.children where child.is("group", in: Namespace.roster) {
      child.withText { text in
        let name = text.trimmedOfXMLSpace
        if !name.isEmpty { body(name) }
      }
    }
  }
}
