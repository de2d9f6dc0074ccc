import XMPPStanza

/// Finds the names that a `PlainReader` has met.
///
/// A name is looked up by its characters and the number of its namespace, in the two slots that
/// they lead to, as in a `NameTable`.
struct PlainNames: ~Copyable {
  private struct Slot {
    /// Nil where the slot is empty.
    var name: PlainName?
    var namespace = 0
    var entry = NameTable.Entry()
  }

  /// The number of no namespace.
  static let none = 0
  /// The number of the one that everything stands in.
  static let client = 1

  private static let bits = 10
  private static let maximumNamespaces = 512
  private static let maximumBytes = 32 << 10
  /// What a plain element may not be in: XML forbids it, or it may be a stream's own.
  private static let refused = [
    Namespace.xml, "http://www.w3.org/2000/xmlns/", Namespace.streams,
  ]

  // Memory of its own, not arrays: they are retained at each look. All of `slots` and `numbers` is
  // initialised, and of the others as many as their counts say.
  private let slots = UnsafeMutablePointer<Slot>.allocate(capacity: 1 << bits)
  /// The number of the namespace that was found last, of those that a place is for.
  private let numbers = UnsafeMutablePointer<Int>.allocate(capacity: 1 << bits)
  /// Where the namespaces are in `bytes`, by their numbers.
  private let namespaces = UnsafeMutablePointer<Range<Int>>.allocate(capacity: maximumNamespaces)
  private var namespaceCount = 0
  private let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: maximumBytes)
  private var byteCount = 0

  init() {
    slots.initialize(repeating: Slot(), count: 1 << Self.bits)
    numbers.initialize(repeating: 0, count: 1 << Self.bits)
    for known in ["", Namespace.client] { _ = add(Array(known.utf8)) }
  }

  deinit {
    slots.deallocate()
    numbers.deallocate()
    namespaces.deallocate()
    bytes.deallocate()
  }

  /// Whether there is as much as there should be when an element begins.
  var isFull: Bool {
    namespaceCount > Self.maximumNamespaces / 2 || byteCount > Self.maximumBytes / 2
  }

  /// The number of a namespace, valid as long as this table is; nil for an unusual one.
  mutating func namespace(_ uri: UnsafeRawBufferPointer) -> Int? {
    guard !uri.isEmpty else { return nil }
    let place = Int(truncatingIfNeeded: uri.quickHash >> UInt64(64 - Self.bits))
    if self.uri(of: numbers[place]).isSame(as: uri) { return numbers[place] }
    for number in 0..<namespaceCount where self.uri(of: number).isSame(as: uri) {
      numbers[place] = number
      return number
    }
    guard uri.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      !Self.refused.contains(String(decoding: uri, as: UTF8.self)), let number = add(uri)
    else { return nil }
    numbers[place] = number
    return number
  }

  private func uri(of namespace: Int) -> UnsafeRawBufferPointer {
    let range = namespaces[namespace]
    return UnsafeRawBufferPointer(start: bytes + range.lowerBound, count: range.count)
  }

  /// Adds a namespace: they are searched one after the other, so one element may not have any
  /// number of them.
  private mutating func add(_ uri: some Collection<UInt8>) -> Int? {
    guard namespaceCount < Self.maximumNamespaces, uri.count <= Self.maximumBytes - byteCount
    else { return nil }
    let start = byteCount
    for byte in uri {
      (bytes + byteCount).initialize(to: byte)
      byteCount += 1
    }
    (namespaces + namespaceCount).initialize(to: start..<byteCount)
    namespaceCount += 1
    return namespaceCount - 1
  }

  /// The entry of a name in a namespace; nil where it is no plain name.
  mutating func entry(
    _ name: PlainName, in namespace: Int, _ interest: ElementInterest, _ draft: inout XMLDraft
  ) -> NameTable.Entry? {
    let first = name.place(bits: Self.bits, namespace)
    if slots[first].name == name, slots[first].namespace == namespace {
      return slots[first].entry
    }
    let second = first ^ 1
    if slots[second].name == name, slots[second].namespace == namespace {
      return slots[second].entry
    }
    guard let text = name.text else { return nil }
    let place = slots[first].name == nil ? first : second
    let expanded = XMLName(text, in: String(decoding: uri(of: namespace), as: UTF8.self))
    let entry = NameTable.Entry(expanded, interest, &draft)
    slots[place] = Slot(name: name, namespace: namespace, entry: entry)
    return entry
  }
}
