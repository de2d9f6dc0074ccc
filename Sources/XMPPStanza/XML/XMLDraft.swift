import RawBytes

/// Builds elements, one after another, in memory that it reuses.
///
/// It copies names and values, for elements whose bytes are not all in one buffer.
package struct XMLDraft: ~Copyable {
  private var parts = Scratch<XMLPart>()
  /// The ranges of the namespaces in `bytes`, numbered from 2.
  private var namespaces = Scratch<XMLRange>()
  private var bytes = Scratch<UInt8>()
  /// The innermost open element, or -1 if there is none.
  private var innermost = -1
  /// Whether the last part is a text that further text extends.
  private var isInText = false

  /// The number of recent namespaces with which a new one is compared. There may be any number of
  /// namespaces, and listing one twice does no harm.
  private static let comparedNamespaces = 4

  /// An empty draft.
  package init() {}

  // MARK: Names

  /// The number of a namespace in this draft.
  package mutating func namespace(_ uri: RawSpan) -> UInt32 {
    if uri.isEmpty { return 0 }
    if Namespace.client.hasBytes(uri) { return 1 }
    for index in (0..<namespaces.count).suffix(Self.comparedNamespaces) {
      // The draft stored this range itself.
      let known = bytes.elements.bytes[namespaces[index].range]
      if known.isSame(as: uri) { return UInt32(index + 2) }
    }
    let appended = append(uri)
    var range = XMLRange()
    range.start = UInt32(appended.lowerBound)
    range.count = UInt32(appended.count)
    namespaces.append(range)
    return UInt32(namespaces.count + 1)
  }

  private mutating func name(_ local: RawSpan) -> XMLPackedName {
    let packed = XMLPackedName(local)
    return packed.isLong ? XMLPackedName(at: append(local)) : packed
  }

  private mutating func append(_ more: RawSpan) -> Range<Int> {
    let start = bytes.count
    bytes.append(contentsOf: Span(_bytes: more))
    return start..<bytes.count
  }

  // MARK: Parts

  /// Begins an element inside the open one.
  package mutating func open(_ local: RawSpan, in namespace: UInt32) {
    let number = parts.count
    isInText = false
    var part = XMLPart()
    part.name = name(local)
    part.namespace = namespace
    part.start = UInt32(number + 1)
    // While the element is open, `next` is its parent.
    part.next = UInt32(bitPattern: Int32(innermost))
    parts.append(part)
    innermost = number
  }

  /// Adds an attribute to the element that was opened last, before its content.
  package mutating func addAttribute(
    _ local: RawSpan, in namespace: UInt32, _ value: RawSpan
  ) {
    var part = XMLPart()
    part.kind = .attribute
    part.name = name(local)
    part.namespace = namespace
    add(part, value)
    parts[innermost].start = UInt32(parts.count)
  }

  /// Adds character data to the open element; it extends text that was added immediately before.
  package mutating func addText(_ text: RawSpan) {
    guard isInText else {
      isInText = true
      var part = XMLPart()
      part.kind = .text
      return add(part, text)
    }
    parts[parts.count - 1].count += UInt32(append(text).count)
  }

  /// Closes the open element.
  package mutating func close() {
    isInText = false
    let parent = Int(Int32(bitPattern: parts[innermost].next))
    parts[innermost].next = UInt32(parts.count)
    innermost = parent
  }

  private mutating func add(_ part: XMLPart, _ value: RawSpan) {
    let appended = append(value)
    var part = part
    part.next = UInt32(parts.count + 1)
    part.start = UInt32(appended.lowerBound)
    part.count = UInt32(appended.count)
    parts.append(part)
  }

  /// Adds a copy of another element, with its content, to the open one.
  mutating func add(_ node: XMPPElement) {
    isInText = false
    let tree = node.tree
    let shift = parts.count - node.index
    for number in node.index..<node.end {
      var part = tree[number]
      part.next = UInt32(Int(part.next) + shift)
      if part.kind != .text {
        part.name = tree.withName(of: part) { name($0) }
        part.namespace = tree.withNamespace(of: part) { namespace($0) }
      }
      if part.kind == .element {
        part.start = UInt32(Int(part.start) + shift)
      } else {
        let appended = tree.withBytes(of: part) { append($0) }
        part.start = UInt32(appended.lowerBound)
        part.count = UInt32(appended.count)
        part.isEscaped = false
      }
      parts.append(part)
    }
  }

  // MARK: The element

  /// Returns the closed element and empties the draft.
  package mutating func finish() -> XMPPElement {
    let node = XMPPElement(
      parts.elements, namespaces.elements, of: bytes.elements.bytes)
    clear()
    return node
  }

  /// Drops the unfinished element.
  package mutating func clear() {
    parts.clear()
    namespaces.clear()
    bytes.clear()
    innermost = -1
    isInText = false
  }
}
