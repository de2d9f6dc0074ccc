import CXMLPush
import XMPPStanza

/// Puts one top-level element together from the callbacks of the parser.
///
/// Values and text are taken to be UTF-8; the parser checks the bytes of the element as a whole.
struct ElementBuilder: ~Copyable {
  private let limits: StreamLimits
  private var names: NameTable
  private var draft = XMLDraft()
  /// How many elements are open, but for those that nobody wants.
  private var depth = 0
  /// How many elements are open that nobody wants; they are inside the last of the others.
  private var unwanted = 0
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
  var isEmpty: Bool { depth == 0 }

  /// Drops a half-built element, and the names, whose addresses go with their context.
  mutating func reset() {
    draft.clear()
    begin()
    depth = 0
    unwanted = 0
    names.forget(&draft)
  }

  /// Nothing is noted of the element that comes next.
  private mutating func begin() {
    elements = 0
    isPruned = false
    isAskedForAll = false
  }

  /// A start tag as a node without content.
  mutating func node(_ element: xml_push_start) throws(StreamError.Kind) -> XMLNode {
    try open(element, try name(of: element))
    draft.close()
    begin()
    return draft.finish()
  }

  /// A start tag.
  mutating func start(_ element: xml_push_start) throws(StreamError.Kind) {
    guard depth + unwanted < limits.depth else { throw .limit(.depth) }
    guard elements < limits.elementsPerStanza else { throw .limit(.elementsPerStanza) }
    if elements == 0 { names.makeRoom(&draft) }
    elements += 1
    let name = try name(of: element)
    if unwanted > 0 || (depth == 1 && !name.isKept) { return try leaveOut(element, name) }
    try open(element, name)
    depth += 1
  }

  /// Character data of the innermost open element.
  mutating func append(text bytes: UnsafeBufferPointer<UInt8>) {
    guard unwanted == 0, depth > 0 else { return }
    draft.addText(bytes)
  }

  /// An end tag: gives the top-level element where it was that element's.
  mutating func end() -> Result? {
    guard unwanted == 0 else {
      unwanted -= 1
      return nil
    }
    guard depth > 0 else { return nil }
    draft.close()
    depth -= 1
    guard depth == 0 else { return nil }
    let result = Result(node: draft.finish(), isPruned: isPruned, asksForAll: isAskedForAll)
    begin()
    return result
  }

  private mutating func open(
    _ element: xml_push_start, _ name: NameTable.Entry
  ) throws(StreamError.Kind) {
    draft.open(name.number)
    let count = Int(element.attribute_count)
    for attribute in UnsafeBufferPointer(start: element.attributes, count: count) {
      let name = try self.name(of: attribute)
      draft.addAttribute(
        name.number,
        UnsafeBufferPointer(
          start: attribute.value, count: attribute.value_end - attribute.value))
    }
  }

  /// An element that nobody wants: only its names are looked at.
  private mutating func leaveOut(
    _ element: xml_push_start, _ name: NameTable.Entry
  ) throws(StreamError.Kind) {
    unwanted += 1
    if !isPruned {
      isPruned = true
      draft.open(name.number)
      draft.close()
    }
    let count = Int(element.attribute_count)
    for attribute in UnsafeBufferPointer(start: element.attributes, count: count) {
      _ = try self.name(of: attribute)
    }
  }

  private mutating func name(
    of element: xml_push_start
  ) throws(StreamError.Kind) -> NameTable.Entry {
    let count = Int(element.attribute_count) + Int(element.namespace_count)
    guard count <= limits.attributesPerElement else { throw .limit(.attributesPerElement) }
    return try name(element.local, element.uri)
  }

  private mutating func name(
    of attribute: xml_push_attribute
  ) throws(StreamError.Kind) -> NameTable.Entry {
    try name(attribute.local, attribute.uri)
  }

  private mutating func name(
    _ local: UnsafePointer<UInt8>, _ uri: UnsafePointer<UInt8>?
  ) throws(StreamError.Kind) -> NameTable.Entry {
    guard let name = names.entry(local, uri, &draft) else { throw .unsupportedEncoding }
    if name.asksForAll { isAskedForAll = true }
    return name
  }
}
