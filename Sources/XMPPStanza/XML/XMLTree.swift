import RawBytes

/// A top-level element with its content, immutable while it is shared: the parts in document order
/// (an element, its attributes, its content), the ranges of the namespaces, and the bytes to which
/// all ranges refer, often the bytes in which the element arrived.
///
/// A tree either owns one allocation for all of these, or is borrowed: then it refers to the memory
/// of the reader that read the element, and is valid as long as that reader says.
///
/// Sendable, because nothing writes to its memory while it is valid.
struct XMLTree: @unchecked Sendable {
  private let parts: UnsafeBufferPointer<XMLPart>
  private let namespaces: UnsafeBufferPointer<XMLRange>
  private let bytes: UnsafeRawBufferPointer
  /// The owned memory; nil for a borrowed tree. Every access must keep it alive.
  private let memory: ManagedBuffer<Void, XMLPart>?

  /// A tree in borrowed memory, which it does not keep alive.
  init(borrowing parts: Span<XMLPart>, _ namespaces: Span<XMLRange>, of bytes: RawSpan) {
    // The caller guarantees that this memory outlives the tree.
    self.parts = parts.withUnsafeBufferPointer { $0 }
    self.namespaces = namespaces.withUnsafeBufferPointer { $0 }
    self.bytes = bytes.withUnsafeBytes { $0 }
    memory = nil
  }

  /// A tree in its own memory.
  init(_ parts: Span<XMLPart>, _ namespaces: Span<XMLRange>, of bytes: RawSpan) {
    let stride = MemoryLayout<XMLPart>.stride
    // The ranges after the parts are aligned: the stride of a part is a multiple of its alignment,
    // which is at least that of a range.
    let offsetOfNamespaces = parts.count * stride
    let offsetOfBytes = offsetOfNamespaces + namespaces.count * MemoryLayout<XMLRange>.stride
    let memory = ManagedBuffer<Void, XMLPart>.create(
      minimumCapacity: (offsetOfBytes + bytes.byteCount + stride - 1) / stride
    ) { _ in }
    // There is room for everything, and nothing needs to be destroyed.
    let start = memory.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    Self.copy(parts.bytes, to: start)
    Self.copy(namespaces.bytes, to: start + offsetOfNamespaces)
    Self.copy(bytes, to: start + offsetOfBytes)
    self.parts = UnsafeBufferPointer(
      start: UnsafePointer(start.assumingMemoryBound(to: XMLPart.self)), count: parts.count)
    self.namespaces = UnsafeBufferPointer(
      start: UnsafePointer(
        (start + offsetOfNamespaces).bindMemory(to: XMLRange.self, capacity: namespaces.count)),
      count: namespaces.count)
    self.bytes = UnsafeRawBufferPointer(start: start + offsetOfBytes, count: bytes.byteCount)
    self.memory = memory
  }

  private static func copy(_ bytes: RawSpan, to destination: UnsafeMutableRawPointer) {
    bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      destination.copyMemory(from: start, byteCount: bytes.count)
    }
  }

  /// The tree in memory of its own: a copy if it is borrowed.
  var owned: XMLTree {
    memory == nil ? XMLTree(parts.span, namespaces.span, of: bytes.bytes) : self
  }

  /// The part with a number, which must be valid in this tree.
  subscript(number: Int) -> XMLPart { withExtendedLifetime(memory) { parts[number] } }

  /// The number of the first child with a name.
  func child(of number: Int, _ local: WantedName, in namespace: String) -> Int? {
    withExtendedLifetime(memory) {
      var next = Int(parts[number].start)
      let end = Int(parts[number].next)
      while next < end {
        let part = parts[next]
        if part.kind == .element, has(part, local, in: namespace) { return next }
        next = Int(part.next)
      }
      return nil
    }
  }

  /// Whether both trees share their memory.
  func isSame(as other: XMLTree) -> Bool { parts.baseAddress == other.parts.baseAddress }

  // MARK: Bytes

  /// Calls `body` with the bytes to which the parts refer; they are valid during the call.
  func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withExtendedLifetime(memory) { () throws(Failure) in try body(bytes.bytes) }
  }

  /// Calls `body` with some of the bytes, which are valid during the call.
  private func withBytes<Result, Failure: Error>(
    in range: Range<Int>, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withBytes { bytes throws(Failure) -> Result in
      try body(bytes[range])
    }
  }

  /// Calls `body` with the value of an attribute or a text as UTF-8, with references replaced; the
  /// bytes are valid during the call.
  func withBytes<Result, Failure: Error>(
    of part: XMLPart, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard part.isEscaped else { return try withBytes(in: part.range, body) }
    let plain = withBytes(in: part.range) { $0.unescaped }
    return try body(plain.span.bytes)
  }

  /// The value of an attribute or a text.
  func string(of part: XMLPart) -> String {
    withBytes(of: part) { String(decoding: $0) }
  }

  // MARK: Names

  /// Calls `body` with the local name of an element or an attribute.
  func withName<Result>(of part: XMLPart, _ body: (RawSpan) -> Result) -> Result {
    part.name.isLong ? withBytes(in: part.name.range, body) : part.name.withBytes(body)
  }

  /// Calls `body` with the namespace of an element or an attribute.
  func withNamespace<Result>(
    of part: XMLPart, _ body: (RawSpan) -> Result
  ) -> Result {
    switch part.namespace {
    case 0: body(RawSpan())
    case 1: Namespace.client.withUTF8Bytes(body)
    default: withBytes(in: namespaceRange(Int(part.namespace) - 2), body)
    }
  }

  private func namespaceRange(_ index: Int) -> Range<Int> {
    // Parts contain only numbers of namespaces that the tree lists.
    withExtendedLifetime(memory) { namespaces[index].range }
  }

  /// Whether `isWanted` is true for one of the namespaces that the tree lists.
  func lists(_ isWanted: (RawSpan) -> Bool) -> Bool {
    for index in namespaces.indices where withBytes(in: namespaceRange(index), isWanted) {
      return true
    }
    return false
  }

  /// The name of an element or an attribute.
  func name(of part: XMLPart) -> XMLName {
    XMLName(
      withName(of: part) { String(decoding: $0) },
      in: withNamespace(of: part) { String(decoding: $0) })
  }

  /// Whether an element or an attribute has this local name.
  func has(_ part: XMLPart, _ local: WantedName) -> Bool {
    guard part.name.high == local.packed.high else { return false }
    guard part.name.isLong else { return part.name.low == local.packed.low }
    return withBytes(in: part.name.range) { $0.isSame(as: local.text.utf8Bytes) }
  }

  /// Whether an element or an attribute has this expanded name.
  func has(_ part: XMLPart, _ local: WantedName, in namespace: String) -> Bool {
    has(part, local) && isIn(part, namespace)
  }

  /// Whether an element or an attribute is in this namespace.
  func isIn(_ part: XMLPart, _ namespace: String) -> Bool {
    withNamespace(of: part) { namespace.hasBytes($0) }
  }

  /// Whether an element or an attribute has the expanded name of a part of another tree.
  func has(_ part: XMLPart, nameOf other: XMLPart, in tree: XMLTree) -> Bool {
    let isSameLocal =
      part.name.isLong && other.name.isLong
      ? withBytes(in: part.name.range) { mine in
        tree.withBytes(in: other.name.range) { mine.isSame(as: $0) }
      } : part.name == other.name
    return isSameLocal
      && withNamespace(of: part) { mine in
        tree.withNamespace(of: other) { mine.isSame(as: $0) }
      }
  }
}

extension RawSpan {
  private static let references: [(text: [UInt8], character: UInt8)] = [
    (Array("&amp;".utf8), UInt8(ascii: "&")), (Array("&lt;".utf8), UInt8(ascii: "<")),
    (Array("&gt;".utf8), UInt8(ascii: ">")), (Array("&apos;".utf8), UInt8(ascii: "'")),
    (Array("&quot;".utf8), UInt8(ascii: "\"")),
  ]

  /// The length of the reference at an index to one of the five predefined entities of XML, and its
  /// character; nil if there is none.
  package func reference(at index: Int) -> (count: Int, character: UInt8)? {
    for (text, character) in Self.references
    where extracting(droppingFirst: index).extracting(first: text.count)
      .isSame(as: text.span.bytes)
    {
      return (text.count, character)
    }
    return nil
  }

  /// The bytes with references replaced.
  fileprivate var unescaped: [UInt8] {
    var plain: [UInt8] = []
    plain.reserveCapacity(byteCount)
    var index = 0
    while index < byteCount {
      if self[index] == UInt8(ascii: "&"), let found = reference(at: index) {
        plain.append(found.character)
        index += found.count
      } else {
        plain.append(self[index])
        index += 1
      }
    }
    return plain
  }
}
