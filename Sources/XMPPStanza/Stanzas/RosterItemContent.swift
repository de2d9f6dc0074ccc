/// What an `<item/>` of a roster query says, read from its element (RFC 6121 §2.1.2).
package struct RosterItemContent {
  private static let subscriptions = Words(RosterSubscription.self)

  private let node: XMPPElement
  /// The state of the subscription; nil where the item is removed.
  package let subscription: RosterSubscription?
  /// A `subscription` that is not defined, and was read as `none`.
  package let unknownSubscription: String?

  /// Reads an `<item/>`.
  package init(_ node: XMPPElement) {
    self.node = node
    // Empty is as good as none.
    let word = node.word("subscription") ?? XMLPackedName()
    guard word != "remove" else {
      (subscription, unknownSubscription) = (nil, nil)
      return
    }
    let known = word == XMLPackedName() ? RosterSubscription.none : Self.subscriptions[word]
    subscription = known ?? RosterSubscription.none
    unknownSubscription = known == nil ? node.attribute("subscription") : nil
  }

  /// Whether a request of ours waits for an answer.
  package var isPending: Bool { node.word("ask") == "subscribe" }

  /// Whether a later request of the contact is approved already: XML Schema's boolean, whose white
  /// space collapses.
  package var isApproved: Bool {
    switch node.attribute("approved")?.trimmedOfXMLSpace {
    case "true", "1": true
    default: false
    }
  }

  /// Hands the name to `body`, nil where there is none or an empty one; the bytes are valid while
  /// it runs.
  package func withName(_ body: (RawSpan?) -> Void) {
    guard let part = node.attributePart("name") else { return body(nil) }
    node.tree.withBytes(of: part) { bytes in
      let name = bytes.trimmedOfXMLSpace
      body(name.isEmpty ? nil : name)
    }
  }

  /// Hands each group to `body`, in the order in which they stand, those left out that have no
  /// name; the bytes are valid while it runs.
  package func forEachGroup(_ body: (RawSpan) -> Void) {
    for child in node.children where child.is("group", in: Namespace.roster) {
      child.withText { text in
        let name = text.trimmedOfXMLSpace
        if !name.isEmpty { body(name) }
      }
    }
  }
}
