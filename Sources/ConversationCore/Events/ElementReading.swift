import RawBytes
import XMPPStanza

extension XMPPElement {
  /// An attribute that is not empty.
  func filledAttribute(_ name: WantedName) -> String? {
    attribute(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The address in an attribute; nil if it is missing or cannot be prepared.
  func address(_ name: WantedName) -> JID? {
    attribute(name).flatMap { try? JID(parsing: $0) }
  }

  /// The child elements with a name, in order.
  func children(_ local: WantedName, in namespace: String) -> [XMPPElement] {
    children.filter { $0.is(local, in: namespace) }
  }

  /// The text of the first child with a name; nil if there is none or it is empty.
  func filledText(ofChild local: WantedName, in namespace: String) -> String? {
    child(local, in: namespace).flatMap { child in
      let text = child.text.trimmedOfXMLSpace
      return text.isEmpty ? nil : text
    }
  }

  /// Whether the element names a language. Some libraries drop the prefix `xml` in their logs.
  var namesLanguage: Bool { attributes.contains { $0.name.local == "lang" } }

  /// The first child in one of several namespaces, with its namespace.
  func child(
    _ local: WantedName, in namespaces: [String]
  ) -> (element: XMPPElement, namespace: String)? {
    for namespace in namespaces {
      if let found = child(local, in: namespace) { return (found, namespace) }
    }
    return nil
  }
}

extension Int {
  /// A count as XML writes it: digits only.
  init?(count text: String?) {
    guard let text = text?.trimmedOfXMLSpace, !text.isEmpty, text.utf8.count <= 18,
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    self.init(text)
  }
}
