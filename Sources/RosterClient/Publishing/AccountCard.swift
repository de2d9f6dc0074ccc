import Rollcall
import XMPPStanza

/// The names on the card of an account, in the two forms of cards.
///
/// A set replaces the whole card, so it is made of the card that the server has. What other devices
/// put on it, such as a picture, is kept.
enum AccountCard {
  /// The form of XEP-0054.
  static func legacy(
    _ card: XMPPElement?, fullName: String?, nickname: String?
  ) -> XMPPElement {
    let base = card ?? .element("vCard", Namespace.vCard)
    return base.replacing("FN", Namespace.vCard, fullName.map { named("FN", $0) })
      .replacing("NICKNAME", Namespace.vCard, nickname.map { named("NICKNAME", $0) })
  }

  /// The form of XEP-0292 (RFC 6351).
  static func modern(
    _ card: XMPPElement?, fullName: String?, nickname: String?
  ) -> XMPPElement {
    let base = card ?? .element("vcard", Namespace.vCard4)
    return base.replacing("fn", Namespace.vCard4, fullName.map { text("fn", $0) })
      .replacing("nickname", Namespace.vCard4, nickname.map { text("nickname", $0) })
  }

  private static func named(_ name: String, _ value: String) -> XMPPElement? {
    value.isEmpty ? nil : .element(name, Namespace.vCard, text: value)
  }

  private static func text(_ name: String, _ value: String) -> XMPPElement? {
    guard !value.isEmpty else { return nil }
    let text = XMPPElement.element("text", Namespace.vCard4, text: value)
    return .element(name, Namespace.vCard4, [], [text])
  }
}

extension XMPPElement {
  /// The element with all children of a name replaced by one, in the place of the first of them.
  ///
  /// - Parameter child: The new child; nil in it removes the children, and nil leaves them.
  fileprivate func replacing(
    _ name: String, _ namespace: String, _ child: XMPPElement??
  ) -> XMPPElement {
    guard let child else { return self }
    let wanted = XMLName(name, in: namespace)
    var content: [Content] = []
    var new = child
    for item in self.content {
      guard case .element(let old) = item, old.name == wanted else {
        content.append(item)
        continue
      }
      if let child = new.take() { content.append(.element(child)) }
    }
    if let child = new { content.append(.element(child)) }
    return XMPPElement(self.name, attributes: attributes, content: content)
  }
}
