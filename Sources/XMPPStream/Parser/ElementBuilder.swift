import CXMLPush
import XMPPStanza

/// Puts one top-level element together from what libxml2 finds.
///
/// Values and text are taken to be UTF-8; the parser checks the bytes of the element as a whole.
struct ElementBuilder: ~Copyable {
  private let limits: StreamLimits
  private var draft = XMLDraft()
  /// How many elements are open.
  private var depth = 0
  private var elements = 0

  init(limits: StreamLimits) {
    self.limits = limits
  }

  /// Whether no element is open.
  var isEmpty: Bool { depth == 0 }

  /// Drops a half-built element.
  mutating func reset() {
    draft.clear()
    depth = 0
    elements = 0
  }

  /// A start tag as a node without content.
  mutating func node(_ element: xml_push_start) throws(StreamError.Kind) -> XMPPElement {
    try start(element)
    draft.close()
    let node = draft.finish()
    reset()
    return node
  }

  /// A start tag.
  mutating func start(_ element: xml_push_start) throws(StreamError.Kind) {
    let count = Int(element.attribute_count)
    guard depth < limits.depth else { throw .limit(.depth) }
    guard elements < limits.elementsPerStanza else { throw .limit(.elementsPerStanza) }
    guard count + Int(element.namespace_count) <= limits.attributesPerElement else {
      throw .limit(.attributesPerElement)
    }
    let (local, namespace) = try name(element.local, element.uri)
    draft.open(local, in: namespace)
    for attribute in UnsafeBufferPointer(start: element.attributes, count: count) {
      let (local, namespace) = try name(attribute.local, attribute.uri)
      let value = UnsafeRawBufferPointer(
        start: attribute.value, count: attribute.value_end - attribute.value)
      draft.addAttribute(local, in: namespace, value)
    }
    depth += 1
    elements += 1
  }

  private mutating func name(
    _ local: UnsafePointer<UInt8>, _ uri: UnsafePointer<UInt8>?
  ) throws(StreamError.Kind) -> (local: UnsafeRawBufferPointer, namespace: UInt32) {
    let local = UnsafeRawBufferPointer(interned: local)
    let uri = uri.map { UnsafeRawBufferPointer(interned: $0) }
    guard local.isUTF8, uri?.isUTF8 != false else { throw .unsupportedEncoding }
    return (local, uri.map { draft.namespace($0) } ?? 0)
  }

  /// Character data of the innermost open element.
  mutating func append(text bytes: UnsafeRawBufferPointer) {
    if depth > 0 { draft.addText(bytes) }
  }

  /// An end tag: gives the top-level element where it was that element's.
  mutating func end() -> XMPPElement? {
    guard depth > 0 else { return nil }
    draft.close()
    depth -= 1
    guard depth == 0 else { return nil }
    elements = 0
    return draft.finish()
  }
}

extension UnsafeRawBufferPointer {
  /// The text that ends with a zero at an address of libxml2's dictionary.
  init(interned bytes: UnsafePointer<UInt8>) {
    var count = 0
    while bytes[count] != 0 { count += 1 }
    self.init(start: bytes, count: count)
  }
}

extension String {
  /// The text that ends with a zero at an address of libxml2's dictionary; nil where it is not
  /// UTF-8.
  init?(interned bytes: UnsafePointer<UInt8>) {
    self.init(utf8: UnsafeRawBufferPointer(interned: bytes))
  }
}
