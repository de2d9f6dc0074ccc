import CShims
import RawBytes
import XMPPStanza

/// Builds one top-level element from the callbacks of libxml2.
///
/// Assumes that values and text are UTF-8; the parser checks the bytes of the whole element.
struct ElementBuilder: ~Copyable {
  private let limits: StreamLimits
  private var draft = XMLDraft()
  /// The number of open elements.
  private var depth = 0
  private var elements = 0

  init(limits: StreamLimits) {
    self.limits = limits
  }

  /// Whether no element is open.
  var isEmpty: Bool { depth == 0 }

  /// Drops the unfinished element.
  mutating func reset() {
    draft.clear()
    depth = 0
    elements = 0
  }

  /// A start tag as an element without content.
  mutating func node(_ element: xml_push_start) throws(StreamError.Kind) -> XMPPElement {
    try start(element)
    draft.close()
    let node = draft.finish()
    reset()
    return node
  }

  /// Adds a start tag.
  mutating func start(_ element: xml_push_start) throws(StreamError.Kind) {
    let count = Int(element.attribute_count)
    guard depth < limits.depth else { throw .limit(.depth) }
    guard elements < limits.elementsPerStanza else { throw .limit(.elementsPerStanza) }
    guard count + Int(element.namespace_count) <= limits.attributesPerElement else {
      throw .limit(.attributesPerElement)
    }
    let uri = try namespace(of: element.local, element.uri)
    draft.open(RawSpan(interned: element.local), in: uri)
    // libxml2 gives the number of attributes, and the range of each value, which is valid during
    // the callback.
    for attribute in UnsafeBufferPointer(start: element.attributes, count: count) {
      let uri = try namespace(of: attribute.local, attribute.uri)
      let value = RawSpan(
        _unsafeStart: attribute.value, byteCount: attribute.value_end - attribute.value)
      draft.addAttribute(RawSpan(interned: attribute.local), in: uri, value)
    }
    depth += 1
    elements += 1
  }

  /// The number of a name's namespace in the draft, after checking that both are UTF-8.
  private mutating func namespace(
    of local: UnsafePointer<UInt8>, _ uri: UnsafePointer<UInt8>?
  ) throws(StreamError.Kind) -> UInt32 {
    guard RawSpan(interned: local).isUTF8 else { throw .unsupportedEncoding }
    guard let uri else { return 0 }
    let namespace = RawSpan(interned: uri)
    guard namespace.isUTF8 else { throw .unsupportedEncoding }
    return draft.namespace(namespace)
  }

  /// Adds character data to the innermost open element.
  mutating func append(text bytes: RawSpan) {
    if depth > 0 { draft.addText(bytes) }
  }

  /// Adds an end tag; returns the top-level element if this tag completes it.
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
  /// A zero-terminated text in libxml2's dictionary, valid as long as the dictionary.
  @_lifetime(borrow bytes)
  init(interned bytes: UnsafePointer<UInt8>) {
    var count = 0
    while bytes[count] != 0 { count += 1 }
    // All bytes before the zero exist, and the owner of the dictionary is alive during its
    // callbacks.
    self = RawSpan(_unsafeStart: bytes, byteCount: count)
  }
}

extension String {
  /// Copies a zero-terminated text from libxml2's dictionary; nil if it is not UTF-8.
  init?(interned bytes: UnsafePointer<UInt8>) {
    self.init(utf8: RawSpan(interned: bytes))
  }
}
