package import XMPPStanza

extension XMPPElement {
  /// The element over several lines, children two spaces further in. For reading only: white
  /// space is added.
  package var indentedLines: [String] {
    lines(inheriting: Namespace.client, indent: "")
  }

  private func lines(inheriting namespace: String, indent: String) -> [String] {
    let hasChildren = children.contains { _ in true }
    guard hasChildren else {
      return [indent + String(decoding: serialized(inheriting: namespace), as: UTF8.self).visible]
    }
    let shell = XMPPElement(name, attributes: attributes)
    let tag = String(decoding: shell.serialized(inheriting: namespace), as: UTF8.self).dropLast(2)
    var lines = [indent + String(tag).visible + ">"]
    for item in content {
      switch item {
      case .element(let child):
        lines += child.lines(inheriting: name.namespace, indent: indent + "  ")
      case .text(let text):
        let trimmed = text.trimmedOfXMLSpace
        if !trimmed.isEmpty { lines.append(indent + "  " + trimmed.visible) }
      }
    }
    return lines + [indent + "</\(name.local)>"]
  }
}
