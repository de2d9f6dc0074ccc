import XMPPStanza

/// A name of at most fifteen bytes, packed like an `XMLPackedName`.
struct PlainName: Equatable {
  let low: UInt64
  let high: UInt64

  /// The name that declares a default namespace.
  static var xmlns: PlainName { PlainName(low: 0x73_6E_6C_6D_78, high: 0, count: 5) }

  /// A name from words that are padded with zeros.
  @inline(__always)
  init(low: UInt64, high: UInt64, count: Int) {
    self.low = low
    self.high = high | UInt64(truncatingIfNeeded: count) << 56
  }

  /// A name that is already packed.
  @inline(__always)
  init(_ name: XMLPackedName) {
    low = name.low
    high = name.high
  }

  var count: Int { Int(truncatingIfNeeded: high >> 56) }
}

/// The parts of an element in the order in which they are found, in memory that is reused.
///
/// Names and values are not copied; only their ranges are stored.
struct PlainTables: ~Copyable {
  /// Memory for `capacity` parts, all initialized.
  private var parts: UnsafeMutablePointer<XMLPart>
  private var capacity = usualCapacity
  private(set) var count = 0
  private var namespaces: UnsafeMutablePointer<XMLRange>
  private var namespaceCapacity = usualCapacity
  private var namespaceCount = 0
  /// The innermost open element, or -1 if there is none.
  private var innermost = -1

  private static let usualCapacity = 256
  /// The maximum capacity that is kept between elements.
  private static let keptCapacity = 1 << 14

  init() {
    parts = Self.memory(capacity, XMLPart())
    namespaces = Self.memory(namespaceCapacity, XMLRange())
  }

  deinit {
    parts.deallocate()
    namespaces.deallocate()
  }

  /// The name of the open element, which must exist.
  var openName: PlainName { PlainName(parts[innermost].name) }

  /// Discards all parts.
  mutating func clear() {
    count = 0
    namespaceCount = 0
    innermost = -1
    if max(capacity, namespaceCapacity) > Self.keptCapacity { self = PlainTables() }
  }

  /// Begins an element inside the open one and in its namespace.
  @inline(__always)
  mutating func open(_ name: PlainName) {
    let namespace = innermost >= 0 ? parts[innermost].namespace : 1
    // While the element is open, `next` is its parent.
    add(.element, name, Range(uncheckedBounds: (count &+ 1, count &+ 1)), next: innermost)
    innermost = count &- 1
    parts[innermost].namespace = namespace
  }

  /// Puts the open element into a namespace.
  mutating func declare(_ uri: Range<Int>) {
    if namespaceCount == namespaceCapacity {
      Self.grow(&namespaces, &namespaceCapacity, XMLRange())
    }
    namespaces[namespaceCount].start = UInt32(truncatingIfNeeded: uri.lowerBound)
    namespaces[namespaceCount].count = UInt32(truncatingIfNeeded: uri.count)
    namespaceCount &+= 1
    parts[innermost].namespace = UInt32(truncatingIfNeeded: namespaceCount &+ 1)
  }

  /// Adds an attribute to the element that was opened last, before its content; false if it already
  /// has one of this name.
  @inline(__always)
  mutating func addAttribute(_ name: PlainName, _ value: Range<Int>, isEscaped: Bool) -> Bool {
    var other = innermost &+ 1
    while other < count {
      if PlainName(parts[other].name) == name { return false }
      other &+= 1
    }
    add(.attribute, name, value, next: count &+ 1, isEscaped: isEscaped)
    parts[innermost].start = UInt32(truncatingIfNeeded: count)
    return true
  }

  /// Adds a text to the open element; two texts are never adjacent.
  @inline(__always)
  mutating func addText(_ text: Range<Int>, isEscaped: Bool) {
    add(.text, PlainName(low: 0, high: 0, count: 0), text, next: count &+ 1, isEscaped: isEscaped)
  }

  /// Closes the open element.
  @inline(__always)
  mutating func close() {
    let parent = Int(Int32(bitPattern: parts[innermost].next))
    parts[innermost].next = UInt32(truncatingIfNeeded: count)
    innermost = parent
  }

  /// The completed element, valid until the tables change and as long as the bytes.
  ///
  /// - Parameter bytes: The bytes to which names and values refer.
  func element(borrowing bytes: RawSpan) -> XMPPElement {
    // All items up to the counts are set, and they change only with the tables.
    XMPPElement(
      borrowing: Span(_unsafeStart: parts, count: count),
      Span(_unsafeStart: namespaces, count: namespaceCount), of: bytes)
  }

  // MARK: Memory

  /// Sets every field of a part, because the memory is reused.
  @inline(__always)
  private mutating func add(
    _ kind: XMLPart.Kind, _ name: PlainName, _ range: Range<Int>, next: Int, isEscaped: Bool = false
  ) {
    if count == capacity { Self.grow(&parts, &capacity, XMLPart()) }
    // There is a part at `count`, which is less than `capacity`.
    let part = parts + count
    part.pointee.name.low = name.low
    part.pointee.name.high = name.high
    part.pointee.namespace = 0
    part.pointee.next = UInt32(truncatingIfNeeded: next)
    part.pointee.start = UInt32(truncatingIfNeeded: range.lowerBound)
    part.pointee.count = UInt32(truncatingIfNeeded: range.upperBound &- range.lowerBound)
    part.pointee.kind = kind
    part.pointee.isEscaped = isEscaped
    count &+= 1
  }

  private static func memory<Item>(
    _ capacity: Int, _ blank: Item
  ) -> UnsafeMutablePointer<Item> {
    let memory = UnsafeMutablePointer<Item>.allocate(capacity: capacity)
    memory.initialize(repeating: blank, count: capacity)
    return memory
  }

  /// Doubles the capacity.
  @inline(never)
  private static func grow<Item: BitwiseCopyable>(
    _ items: inout UnsafeMutablePointer<Item>, _ capacity: inout Int, _ blank: Item
  ) {
    let larger = memory(2 * capacity, blank)
    larger.update(from: items, count: capacity)
    items.deallocate()
    items = larger
    capacity *= 2
  }
}
