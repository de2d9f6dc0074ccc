import CXMLPush
import XMPPStanza

/// Puts one top-level element together from the callbacks of the parser.
struct ElementBuilder {
  private let limits: StreamLimits
  private var names = NameTable()
  /// The elements whose end tag is still to come, the outermost first.
  private var open: [XMLNode] = []
  /// The character data since the last tag: libxml2 hands it over in arbitrary pieces.
  private var text: [UInt8] = []
  private var elements = 0

  init(limits: StreamLimits) {
    self.limits = limits
  }

  /// Whether no element is open.
  var isEmpty: Bool { open.isEmpty }

  /// Drops a half-built element, and the names, whose addresses go with their context.
  mutating func reset() {
    open.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: true)
    elements = 0
    names.forget()
  }

  /// A start tag as a node without content.
  mutating func node(_ element: xml_push_start) throws(StreamError.Kind) -> XMLNode {
    let count = Int(element.attribute_count)
    guard count + Int(element.namespace_count) <= limits.attributesPerElement else {
      throw .limit(.attributesPerElement)
    }
    guard let name = names.name(local: element.local, uri: element.uri) else {
      throw .unsupportedEncoding
    }
    var node = XMLNode(name)
    guard count > 0 else { return node }
    node.attributes.reserveCapacity(count)
    for attribute in UnsafeBufferPointer(start: element.attributes, count: count) {
      let bytes = UnsafeBufferPointer(
        start: attribute.value, count: attribute.value_end - attribute.value)
      guard let name = names.name(local: attribute.local, uri: attribute.uri),
        let value = String(validating: bytes, as: UTF8.self)
      else { throw .unsupportedEncoding }
      node.attributes.append(XMLAttribute(name, value))
    }
    return node
  }

  /// A start tag.
  mutating func start(_ element: xml_push_start) throws(StreamError.Kind) {
    guard open.count < limits.depth else { throw .limit(.depth) }
    guard elements < limits.elementsPerStanza else { throw .limit(.elementsPerStanza) }
    try flushText()
    elements += 1
    open.append(try node(element))
  }

  /// Character data of the innermost open element.
  mutating func append(text bytes: UnsafeBufferPointer<UInt8>) {
    guard !open.isEmpty else { return }
    text.append(contentsOf: bytes)
  }

  /// An end tag: gives the top-level element where it was that element's.
  mutating func end() throws(StreamError.Kind) -> XMLNode? {
    try flushText()
    guard let node = open.popLast() else { return nil }
    guard !open.isEmpty else {
      elements = 0
      return node
    }
    open[open.count - 1].content.append(.element(node))
    return nil
  }

  private mutating func flushText() throws(StreamError.Kind) {
    guard !text.isEmpty, !open.isEmpty else { return }
    guard let joined = String(validating: text, as: UTF8.self) else {
      throw .unsupportedEncoding
    }
    open[open.count - 1].content.append(.text(joined))
    text.removeAll(keepingCapacity: true)
  }
}
