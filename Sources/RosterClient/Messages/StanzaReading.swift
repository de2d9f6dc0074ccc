public import XMPPStanza

// What an application reads of a stanza that arrived.
extension XMPPElement {
  /// The value of an attribute without a prefix; nil if it is missing. Complexity: linear in the
  /// attributes.
  public func value(of attribute: String) -> String? {
    let name = XMLName(attribute, in: "")
    return attributes.first { $0.name == name }?.value
  }

  /// The first child of a name; nil if there is none. Complexity: linear in the children.
  ///
  /// Only the children of a stanza are from its sender. What is forwarded in it (XEP-0297) is a
  /// quotation.
  public func firstChild(_ local: String, in namespace: String) -> XMPPElement? {
    let name = XMLName(local, in: namespace)
    return children.first { $0.name == name }
  }

  /// The text directly in the element, without that of its children. Complexity: linear in it.
  public var ownText: String { text }
}
