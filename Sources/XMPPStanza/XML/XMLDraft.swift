import RawBytes

/// Puts elements together, one after the other, in memory that is used again.
///
/// It copies names and values, for those whose bytes are not all in one place.
package struct XMLDraft: ~Copyable {
  private var parts = Scratch<XMLPart>()
  /// Where the namespaces are in `bytes`, by their numbers from 2 on.
  private var namespaces = Scratch<XMLRange>()
  private var bytes = Scratch<UInt8>()
  /// The element that was opened last and is still open; -1 where none is.
  private var innermost = -1
  /// Whether the last part is a text that goes on with the next.
  private var isInText = false

  /// With how many of the namespaces that came last another is compared. Any number of them may
  /// come, and one that is listed twice does no harm.
  private static let remembered = 4

  /// A draft of nothing.
  package init() {}

  // MARK: Names

  /// The number of a namespace in this draft.
  package mutating func namespace(_ uri: RawSpan) -> UInt32 {
    if uri.isEmpty { return 0 }
    if Namespace.client.hasBytes(uri) { return 1 }
    for index in (0..<namespaces.count).suffix(Self.remembered) {
      // The draft has put the namespace there itself.
      let known = bytes.elements.bytes[namespaces[index].range]
      if known.isSame(as: uri) { return UInt32(index + 2) }
    }
    let place = append(uri)
    var range = XMLRange()
    range.start = UInt32(place.lowerBound)
    range.count = UInt32(place.count)
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

  /// Begins an element inside the one that is open.
  package mutating func open(_ local: RawSpan, in namespace: UInt32) {
    let number = parts.count
    isInText = false
    var part = XMLPart()
    part.name = name(local)
    part.namespace = namespace
    part.start = UInt32(number + 1)
    // While it is open, `next` is the element that it stands in.
    part.next = UInt32(bitPattern: Int32(innermost))
    parts.append(part)
    innermost = number
  }

  /// Adds an attribute to the element that was opened last, before anything else of it.
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

  /// Adds character data to the open element; with what was added just before it is one text.
  package mutating func addText(_ text: RawSpan) {
    guard isInText else {
      isInText = true
      var part = XMLPart()
      part.kind = .text
      return add(part, text)
    }
    parts[parts.count - 1].count += UInt32(append(text).count)
  }

  /// Ends the open element.
  package mutating func close() {
    isInText = false
    let parent = Int(Int32(bitPattern: parts[innermost].next))
    parts[innermost].next = UInt32(parts.count)
    innermost = parent
  }

  private mutating func add(_ part: XMLPart, _ value: RawSpan) {
    let place = append(value)
    var part = part
    part.next = UInt32(parts.count + 1)
    part.start = UInt32(place.lowerBound)
    part.count = UInt32(place.count)
    parts.append(part)
  }

  /// Adds another element with everything in it to the open one.
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
        let place = tree.withBytes(of: part) { append($0) }
        part.start = UInt32(place.lowerBound)
        part.count = UInt32(place.count)
        part.isEscaped = false
      }
      parts.append(part)
    }
  }

  // MARK: The element

  /// The element that was put together, once it is closed; the draft is of nothing again.
  package mutating func finish() -> XMPPElement {
    let node = XMPPElement(
      parts.elements, namespaces.elements, of: bytes.elements.bytes)
    clear()
    return node
  }

  /// Drops the element that is being put together.
  package mutating func clear() {
    parts.clear()
    namespaces.clear()
    bytes.clear()
    innermost = -1
    isInText = false
  }
}
