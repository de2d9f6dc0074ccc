import CXMLPush
import XMPPStanza

/// Puts one top-level element together from the callbacks of the parser.
///
/// Values and text are taken to be UTF-8; the parser checks the bytes of the element as a whole.
struct ElementBuilder {
  private let limits: StreamLimits
  private var names: NameTable
  /// The elements whose end tag is still to come, the outermost first, but for those that nobody
  /// wants.
  private var open: [XMLNode] = []
  /// How many elements are open that nobody wants; they are inside the last of `open`.
  private var unwanted = 0
  /// The character data since the last tag: libxml2 hands it over in arbitrary pieces.
  private var text: [UInt8] = []
  private var elements = 0
  private var isPruned = false
  private var isAskedForAll = false

  /// The top-level element, once its end has come.
  struct Result {
    let node: XMLNode
    /// Whether something was left out.
    let isPruned: Bool
    /// Whether there is a name in it that asks for everything.
    let asksForAll: Bool
  }

  init(limits: StreamLimits, interest: ElementInterest) {
    self.limits = limits
    names = NameTable(interest)
  }

  /// Whether no element is open.
  var isEmpty: Bool { open.isEmpty }

  /// Drops a half-built element, and the names, whose addresses go with their context.
  mutating func reset() {
    open.removeAll(keepingCapacity: true)
    unwanted = 0
    text.removeAll(keepingCapacity: true)
    elements = 0
    isPruned = false
    isAskedForAll = false
    names.forget()
  }

  /// A start tag as a node without content.
  mutating func node(_ element: xml_push_start) throws(StreamError.Kind) -> XMLNode {
    try node(element, at: index(of: element))
  }

  /// A start tag.
  mutating func start(_ element: xml_push_start) throws(StreamError.Kind) {
    guard open.count + unwanted < limits.depth else { throw .limit(.depth) }
    guard elements < limits.elementsPerStanza else { throw .limit(.elementsPerStanza) }
    elements += 1
    let index = try index(of: element)
    let answers = names.answers(at: index)
    if answers.asksForAll { isAskedForAll = true }
    if unwanted > 0 || (open.count == 1 && !answers.isKept) {
      return try leaveOut(element, at: index)
    }
    flushText()
    open.append(try node(element, at: index))
  }

  /// Character data of the innermost open element.
  mutating func append(text bytes: UnsafeBufferPointer<UInt8>) {
    guard unwanted == 0, !open.isEmpty else { return }
    text.append(contentsOf: bytes)
  }

  /// An end tag: gives the top-level element where it was that element's.
  mutating func end() -> Result? {
    guard unwanted == 0 else {
      unwanted -= 1
      return nil
    }
    flushText()
    guard let node = open.popLast() else { return nil }
    guard open.isEmpty else {
      open[open.count - 1].content.append(.element(node))
      return nil
    }
    let result = Result(node: node, isPruned: isPruned, asksForAll: isAskedForAll)
    elements = 0
    isPruned = false
    isAskedForAll = false
    return result
  }

  private mutating func node(
    _ element: xml_push_start, at index: Int
  ) throws(StreamError.Kind) -> XMLNode {
    var node = XMLNode(names.name(at: index))
    let count = Int(element.attribute_count)
    guard count > 0 else { return node }
    node.attributes.reserveCapacity(count)
    for attribute in UnsafeBufferPointer(start: element.attributes, count: count) {
      let index = try self.index(of: attribute)
      let bytes = UnsafeBufferPointer(
        start: attribute.value, count: attribute.value_end - attribute.value)
      let value = String(decoding: bytes, as: UTF8.self)
      node.attributes.append(XMLAttribute(names.name(at: index), value))
    }
    return node
  }

  /// An element that nobody wants: only its names are looked at.
  private mutating func leaveOut(
    _ element: xml_push_start, at index: Int
  ) throws(StreamError.Kind) {
    unwanted += 1
    if !isPruned {
      isPruned = true
      flushText()
      open[open.count - 1].content.append(.element(XMLNode(names.name(at: index))))
    }
    let count = Int(element.attribute_count)
    for attribute in UnsafeBufferPointer(start: element.attributes, count: count) {
      _ = try self.index(of: attribute)
    }
  }

  private mutating func index(of element: xml_push_start) throws(StreamError.Kind) -> Int {
    let count = Int(element.attribute_count) + Int(element.namespace_count)
    guard count <= limits.attributesPerElement else { throw .limit(.attributesPerElement) }
    guard let index = names.index(local: element.local, uri: element.uri) else {
      throw .unsupportedEncoding
    }
    return index
  }

  private mutating func index(of attribute: xml_push_attribute) throws(StreamError.Kind) -> Int {
    guard let index = names.index(local: attribute.local, uri: attribute.uri) else {
      throw .unsupportedEncoding
    }
    if names.answers(at: index).asksForAll { isAskedForAll = true }
    return index
  }

  private mutating func flushText() {
    guard !text.isEmpty, !open.isEmpty else { return }
    open[open.count - 1].content.append(.text(String(decoding: text, as: UTF8.self)))
    text.removeAll(keepingCapacity: true)
  }
}
