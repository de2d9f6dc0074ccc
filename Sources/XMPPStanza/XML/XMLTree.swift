/// A top-level element and everything in it, which no one changes while others see it.
///
/// All of it is in one piece of memory: the parts in document order (an element, its attributes,
/// its content), then the ranges of the namespaces, then the bytes that parts and namespaces are
/// ranges of, often the very bytes that the element came in.
///
/// Sendable, as nothing of it is written to while anybody else refers to it.
struct XMLTree: @unchecked Sendable {
  typealias Parts = UnsafeBufferPointer<XMLPart>
  typealias Namespaces = UnsafeBufferPointer<XMLRange>

  private struct Head {
    var count = 0
    var namespaces = 0
    var bytes = 0
    /// How many parts there is room for; namespaces and bytes take some of it.
    let room: Int
  }

  private var memory: ManagedBuffer<Head, XMLPart>

  init(_ parts: Parts, _ namespaces: Namespaces, of bytes: UnsafeRawBufferPointer) {
    memory = Self.memory(Self.room(for: parts, namespaces, bytes))
    fill(parts, namespaces, bytes)
  }

  private static func memory(_ room: Int) -> ManagedBuffer<Head, XMLPart> {
    .create(minimumCapacity: room) { _ in Head(room: room) }
  }

  /// Becomes another tree: in the same memory where nobody else refers to it.
  mutating func become(_ parts: Parts, _ namespaces: Namespaces, of bytes: UnsafeRawBufferPointer) {
    let wanted = Self.room(for: parts, namespaces, bytes)
    let room = memory.withUnsafeMutablePointerToHeader { $0.pointee.room }
    // Who keeps an element is not to keep the room of one that was much longer.
    if !isKnownUniquelyReferenced(&memory) || wanted > room || room > wanted + Self.mostSpare {
      memory = Self.memory(wanted)
    }
    fill(parts, namespaces, bytes)
  }

  /// Room for so many more parts than there are is kept.
  private static let mostSpare = 4096 / MemoryLayout<XMLPart>.stride

  private static func room(
    for parts: Parts, _ namespaces: Namespaces, _ bytes: UnsafeRawBufferPointer
  ) -> Int {
    let others = namespaces.count * MemoryLayout<XMLRange>.stride + bytes.count
    let stride = MemoryLayout<XMLPart>.stride
    return parts.count + (others + stride - 1) / stride
  }

  /// Puts an element in, for which there is room, and nobody else refers to it.
  private func fill(_ parts: Parts, _ namespaces: Namespaces, _ bytes: UnsafeRawBufferPointer) {
    memory.withUnsafeMutablePointers { head, start in
      head.pointee.count = parts.count
      head.pointee.namespaces = namespaces.count
      head.pointee.bytes = bytes.count
      // None of them have to be destroyed.
      let end = UnsafeMutableRawPointer(start)
      copy(UnsafeRawBufferPointer(parts), to: end)
      copy(UnsafeRawBufferPointer(namespaces), to: end + Self.offsetOfNamespaces(head.pointee))
      copy(bytes, to: end + Self.offsetOfBytes(head.pointee))
    }
  }

  private func copy(_ bytes: UnsafeRawBufferPointer, to place: UnsafeMutableRawPointer) {
    guard let start = bytes.baseAddress else { return }
    place.copyMemory(from: start, byteCount: bytes.count)
  }

  // After parts, ranges are aligned: a part's stride is a multiple of its alignment, which is no
  // less than a range's.

  private static func offsetOfNamespaces(_ head: Head) -> Int {
    head.count * MemoryLayout<XMLPart>.stride
  }

  private static func offsetOfBytes(_ head: Head) -> Int {
    offsetOfNamespaces(head) + head.namespaces * MemoryLayout<XMLRange>.stride
  }

  /// A part, whose number is one of this tree's.
  subscript(number: Int) -> XMLPart {
    memory.withUnsafeMutablePointerToElements { $0[number] }
  }

  /// The number of the first element of a name that stands between the tags of another one.
  func child(of number: Int, _ local: WantedName, in namespace: String) -> Int? {
    memory.withUnsafeMutablePointerToElements { parts in
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

  /// Whether both are the same memory.
  func isSame(as other: XMLTree) -> Bool { memory === other.memory }

  // MARK: Bytes

  /// The bytes that the parts are ranges of, for the time that `body` runs.
  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try memory.withUnsafeMutablePointers { head, parts throws(Failure) -> Result in
      let start = UnsafeRawPointer(parts) + Self.offsetOfBytes(head.pointee)
      return try body(UnsafeRawBufferPointer(start: start, count: head.pointee.bytes))
    }
  }

  /// Some of the bytes, for the time that `body` runs.
  private func withBytes<Result, Failure: Error>(
    in range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withBytes { bytes throws(Failure) -> Result in
      try body(UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
  }

  /// The value of an attribute or a text as UTF-8, references replaced.
  ///
  /// The bytes are valid in the closure only, while this value keeps them.
  func withBytes<Result, Failure: Error>(
    of part: XMLPart, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard part.isEscaped else { return try withBytes(in: part.range, body) }
    let plain = withBytes(in: part.range) { $0.unescaped }
    return try plain.withUnsafeBufferPointer { bytes throws(Failure) -> Result in
      try body(UnsafeRawBufferPointer(bytes))
    }
  }

  /// The value of an attribute or a text.
  func string(of part: XMLPart) -> String {
    withBytes(of: part) { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: Names

  /// Hands over the local name of an element or an attribute.
  func withName<Result>(of part: XMLPart, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    part.name.isLong ? withBytes(in: part.name.range, body) : part.name.withBytes(body)
  }

  /// Hands over the namespace of an element or an attribute.
  func withNamespace<Result>(
    of part: XMLPart, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    switch part.namespace {
    case 0: body(UnsafeRawBufferPointer(start: nil, count: 0))
    case 1: body(WantedName.client.bytes)
    default: withBytes(in: namespaceRange(Int(part.namespace) - 2), body)
    }
  }

  private func namespaceRange(_ index: Int) -> Range<Int> {
    // Those who made the parts have given them numbers of namespaces that there are.
    memory.withUnsafeMutablePointers { head, parts in
      (UnsafeRawPointer(parts) + Self.offsetOfNamespaces(head.pointee))
        .load(fromByteOffset: index * MemoryLayout<XMLRange>.stride, as: XMLRange.self).range
    }
  }

  /// Whether one of the namespaces that it lists is as `isWanted` says.
  func lists(_ isWanted: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    let count = memory.withUnsafeMutablePointerToHeader { $0.pointee.namespaces }
    for index in 0..<count where withBytes(in: namespaceRange(index), isWanted) { return true }
    return false
  }

  /// The name of an element or an attribute.
  func name(of part: XMLPart) -> XMLName {
    XMLName(
      withName(of: part) { String(decoding: $0, as: UTF8.self) },
      in: withNamespace(of: part) { String(decoding: $0, as: UTF8.self) })
  }

  /// Whether an element or an attribute has a local name.
  func has(_ part: XMLPart, _ local: WantedName) -> Bool {
    guard part.name.high == local.packed.high else { return false }
    guard part.name.isLong else { return part.name.low == local.packed.low }
    return withBytes(in: part.name.range) { $0.isSame(as: local.bytes) }
  }

  /// Whether an element or an attribute has a name.
  func has(_ part: XMLPart, _ local: WantedName, in namespace: String) -> Bool {
    has(part, local) && isIn(part, namespace)
  }

  /// Whether an element or an attribute is in a namespace.
  func isIn(_ part: XMLPart, _ namespace: String) -> Bool {
    withNamespace(of: part) { bytes in
      namespace.utf8.count == bytes.count && namespace.hasBytes(bytes)
    }
  }

  /// Whether an element or an attribute has the name of another tree's.
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

extension UnsafeRawBufferPointer {
  private static let references: [(text: [UInt8], character: UInt8)] = [
    (Array("&amp;".utf8), UInt8(ascii: "&")), (Array("&lt;".utf8), UInt8(ascii: "<")),
    (Array("&gt;".utf8), UInt8(ascii: ">")), (Array("&apos;".utf8), UInt8(ascii: "'")),
    (Array("&quot;".utf8), UInt8(ascii: "\"")),
  ]

  /// How many bytes the reference at an index has, to one of the five characters that XML has names
  /// for, and that character; nil where there is none.
  package func reference(at index: Int) -> (count: Int, character: UInt8)? {
    for (text, character) in Self.references where self[index...].starts(with: text) {
      return (text.count, character)
    }
    return nil
  }

  /// The bytes with their references replaced.
  fileprivate var unescaped: [UInt8] {
    var plain: [UInt8] = []
    plain.reserveCapacity(count)
    var index = 0
    while index < count {
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
