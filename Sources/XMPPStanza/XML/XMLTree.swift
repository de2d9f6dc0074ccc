/// One part of an element as an `XMLTree` keeps it: an element, an attribute or a text.
struct XMLPart {
  /// The number of its name, or `textName`.
  var name: UInt32
  /// The number of the part after it and everything in it.
  var next: UInt32
  /// Of an element the number of its first part that is no attribute; of the others where their
  /// bytes begin.
  var start: UInt32
  /// How many bytes it has, or `elementCount`.
  var count: UInt32

  /// What a text has for a name.
  static let textName = UInt32.max
  /// What an element has for a count.
  static let elementCount = UInt32.max

  var isText: Bool { name == Self.textName }
  var isElement: Bool { count == Self.elementCount }
}

/// A top-level element and everything in it, in one piece of memory, which no one changes.
///
/// The parts stand in document order: an element, its attributes, its content. After the last of
/// them stand the bytes of all values and texts.
///
/// Sendable, as neither the memory nor the names that its parts have are ever written to again.
struct XMLTree: @unchecked Sendable {
  private struct Head {
    let names: XMLNames
    let count: Int
  }

  private let memory: ManagedBuffer<Head, XMLPart>

  init(
    _ names: XMLNames, _ parts: UnsafeBufferPointer<XMLPart>, _ bytes: UnsafeBufferPointer<UInt8>
  ) {
    let room = (bytes.count + MemoryLayout<XMLPart>.stride - 1) / MemoryLayout<XMLPart>.stride
    memory = .create(minimumCapacity: parts.count + room) { _ in
      Head(names: names, count: parts.count)
    }
    // There is room for all parts and, in that of `room` more, for all bytes; neither parts nor
    // bytes have to be destroyed.
    memory.withUnsafeMutablePointerToElements { start in
      guard let part = parts.baseAddress, let byte = bytes.baseAddress else { return }
      start.initialize(from: part, count: parts.count)
      UnsafeMutableRawPointer(start + parts.count).copyMemory(
        from: byte, byteCount: bytes.count)
    }
  }

  /// A part, whose number is one of this tree's.
  subscript(number: Int) -> XMLPart {
    memory.withUnsafeMutablePointerToElements { $0[number] }
  }

  /// The name of an element or an attribute.
  func name(of part: XMLPart) -> XMLName {
    memory.withUnsafeMutablePointerToHeader { $0.pointee.names[Int(part.name)] }
  }

  /// Whether an element or an attribute has a name.
  func has(_ part: XMLPart, _ wanted: WantedName) -> Bool {
    memory.withUnsafeMutablePointerToHeader {
      $0.pointee.names.has(Int(part.name), wanted)
    }
  }

  /// The value of an attribute or a text as UTF-8.
  ///
  /// The bytes are valid in the closure only, while this value keeps them.
  func withBytes<Result, Failure: Error>(
    of part: XMLPart, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // The draft has put `start` and `count` inside of the bytes that stand after the parts.
    try memory.withUnsafeMutablePointers { (head, parts) throws(Failure) -> Result in
      let bytes = UnsafeRawPointer(parts + head.pointee.count)
      return try body(
        UnsafeRawBufferPointer(start: bytes + Int(part.start), count: Int(part.count)))
    }
  }

  /// The value of an attribute or a text.
  func string(of part: XMLPart) -> String {
    withBytes(of: part) { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether both are the same memory.
  func isSame(as other: XMLTree) -> Bool { memory === other.memory }
}

/// The names that the elements of a stream share, so that none of them has to keep its own.
///
/// Names are added by the one `XMLDraft` that made the list, and one that is in it neither changes
/// nor moves. A tree asks only for names that were there when it was made, so it may be used
/// anywhere while names are added here.
struct XMLNames: @unchecked Sendable {
  private struct Entry {
    let name: XMLName
    /// The first bytes of its local part.
    let first: UInt64
  }

  /// The head is how many names there are; it is the draft's alone.
  private final class Page: ManagedBuffer<Int, Entry> {
    deinit {
      withUnsafeMutablePointers { count, names in _ = names.deinitialize(count: count.pointee) }
    }
  }

  private let page: ManagedBuffer<Int, Entry>
  private let room: Int
  private(set) var count = 0

  private init(room: Int) {
    self.room = room
    page = Page.create(minimumCapacity: room) { _ in 0 }
  }

  init() {
    self.init(room: 16)
  }

  /// A name that was added.
  subscript(number: Int) -> XMLName {
    page.withUnsafeMutablePointerToElements { $0[number].name }
  }

  /// Whether it is this name that was added.
  func has(_ number: Int, _ wanted: WantedName) -> Bool {
    page.withUnsafeMutablePointerToElements {
      $0[number].first == wanted.first && $0[number].name.local == wanted.local
        && $0[number].name.namespace == wanted.namespace
    }
  }

  /// Adds a name: to this list, or to a new one with the same names where it is full.
  ///
  /// - Returns: Its number.
  mutating func add(_ name: XMLName) -> Int {
    if count == room { self = grown() }
    // After all names that a tree knows of, and `count` is less than `room`.
    page.withUnsafeMutablePointers { header, names in
      (names + count).initialize(to: Entry(name: name, first: name.local.firstBytes))
      header.pointee = count + 1
    }
    count += 1
    return count - 1
  }

  private func grown() -> XMLNames {
    var larger = XMLNames(room: 2 * room)
    for number in 0..<count { _ = larger.add(self[number]) }
    return larger
  }
}

/// A name that is looked for among others.
struct WantedName {
  let local: String
  let namespace: String
  /// Most other names differ in these.
  let first: UInt64

  init(_ local: String, in namespace: String) {
    self.local = local
    self.namespace = namespace
    first = local.firstBytes
  }
}

extension String {
  /// The first eight bytes, or all of fewer, as a number.
  fileprivate var firstBytes: UInt64 {
    utf8.withContiguousStorageIfAvailable { Self.number(of: $0.prefix(8)) }
      ?? Self.number(of: utf8.prefix(8))
  }

  private static func number(of bytes: some Sequence<UInt8>) -> UInt64 {
    var number: UInt64 = 0
    for byte in bytes { number = number << 8 | UInt64(byte) }
    return number
  }
}
