import CXMLPush
import RawBytes
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
    let uri = try namespace(of: element.local, element.uri)
    draft.open(RawSpan(interned: element.local), in: uri)
    // libxml2 says how many there are, and where each value is, for the time of a call.
    for attribute in UnsafeBufferPointer(start: element.attributes, count: count) {
      let uri = try namespace(of: attribute.local, attribute.uri)
      let value = RawSpan(
        _unsafeStart: attribute.value, byteCount: attribute.value_end - attribute.value)
      draft.addAttribute(RawSpan(interned: attribute.local), in: uri, value)
    }
    depth += 1
    elements += 1
  }

  /// The namespace of a name in the draft; both are of UTF-8.
  private mutating func namespace(
    of local: UnsafePointer<UInt8>, _ uri: UnsafePointer<UInt8>?
  ) throws(StreamError.Kind) -> UInt32 {
    guard RawSpan(interned: local).isUTF8 else { throw .unsupportedEncoding }
    guard let uri else { return 0 }
    let namespace = RawSpan(interned: uri)
    guard namespace.isUTF8 else { throw .unsupportedEncoding }
    return draft.namespace(namespace)
  }

  /// Character data of the innermost open element.
  mutating func append(text bytes: RawSpan) {
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

extension RawSpan {
  /// The text that ends with a zero at an address of libxml2's dictionary, valid as long as that.
  @_lifetime(borrow bytes)
  init(interned bytes: UnsafePointer<UInt8>) {
    var count = 0
    while bytes[count] != 0 { count += 1 }
    // So many bytes are there, and the context that owns them calls back only while it is there.
    self = RawSpan(_unsafeStart: bytes, byteCount: count)
  }
}

extension String {
  /// The text that ends with a zero at an address of libxml2's dictionary; nil where it is not
  /// UTF-8.
  init?(interned bytes: UnsafePointer<UInt8>) {
    self.init(utf8: RawSpan(interned: bytes))
  }
}
