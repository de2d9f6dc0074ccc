extension XMPPElement {
  /// The element as standalone UTF-8 XML, to be placed where `inherited` is the default namespace.
  ///
  /// An element declares a default namespace if it differs from its parent's, so that only
  /// attributes need prefixes. Parsing the result gives an equal element. Complexity: linear.
  package func serialized(inheriting inherited: String = Namespace.client) -> [UInt8] {
    var output: [UInt8] = []
    write(to: &output, inherited: inherited)
    return output
  }

  private func write(to output: inout [UInt8], inherited: String) {
    let (name, attributes, content) = (name, attributes, content)
    // The namespace of `xml` must not be declared as the default (Namespaces in XML 1.0 §3).
    let isXML = name.namespace == Namespace.xml
    let qualified = isXML ? "xml:" + name.local : name.local
    let inside = isXML ? inherited : name.namespace
    output.append(UInt8(ascii: "<"))
    output += qualified.utf8
    if inside != inherited { output.appendAttribute("xmlns", inside) }
    for (index, attribute) in attributes.enumerated() {
      switch attribute.name.namespace {
      case "": output.appendAttribute(attribute.name.local, attribute.value)
      case Namespace.xml: output.appendAttribute("xml:" + attribute.name.local, attribute.value)
      case let namespace:
        let first = attributes.firstIndex { $0.name.namespace == namespace } ?? index
        if first == index { output.appendAttribute("xmlns:a\(first)", namespace) }
        output.appendAttribute("a\(first):" + attribute.name.local, attribute.value)
      }
    }
    guard !content.isEmpty else {
      output += "/>".utf8
      return
    }
    output.append(UInt8(ascii: ">"))
    for item in content {
      switch item {
      case .element(let child): child.write(to: &output, inherited: inside)
      case .text(let text): output.appendEscaped(text, inAttribute: false)
      }
    }
    output += "</".utf8
    output += qualified.utf8
    output.append(UInt8(ascii: ">"))
  }
}

extension [UInt8] {
  fileprivate mutating func appendAttribute(_ name: String, _ value: String) {
    append(UInt8(ascii: " "))
    self += name.utf8
    self += "=\"".utf8
    appendEscaped(value, inAttribute: true)
    append(UInt8(ascii: "\""))
  }

  /// Appends text and escapes the characters that XML would read differently: markup, and the white
  /// space that XML 1.0 §2.11 and §3.3.3 would normalize.
  package mutating func appendEscaped(_ text: String, inAttribute: Bool) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): self += "&amp;".utf8
      case UInt8(ascii: "<"): self += "&lt;".utf8
      case UInt8(ascii: ">"): self += "&gt;".utf8
      case 0x0D: self += "&#13;".utf8
      case UInt8(ascii: "\"") where inAttribute: self += "&quot;".utf8
      case 0x09 where inAttribute: self += "&#9;".utf8
      case 0x0A where inAttribute: self += "&#10;".utf8
      default: append(byte)
      }
    }
  }
}
