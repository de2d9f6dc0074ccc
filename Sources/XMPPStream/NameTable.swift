import XMPPStanza

/// Keeps the names that a parser has met, so that a name that comes again costs no allocation.
///
/// libxml2 interns names: within one context equal names have equal addresses. A name is looked up
/// by its addresses, in the one slot that they lead to; a name that finds its slot taken moves in.
/// So the table never grows, whatever names a peer thinks up.
struct NameTable {
  private struct Slot {
    var local: UnsafePointer<UInt8>?
    var uri: UnsafePointer<UInt8>?
    var name: XMLName
  }

  private static let bits = 10
  private var slots: [Slot]

  init() {
    slots = []
    forget()
  }

  /// Drops every name: the addresses are void when their context has gone.
  mutating func forget() {
    let empty = Slot(local: nil, uri: nil, name: XMLName("", in: ""))
    slots = Array(repeating: empty, count: 1 << Self.bits)
  }

  /// The expanded name at two addresses; nil where it is not UTF-8.
  mutating func name(local: UnsafePointer<UInt8>, uri: UnsafePointer<UInt8>?) -> XMLName? {
    let index = Self.index(local, uri)
    if slots[index].local == local, slots[index].uri == uri { return slots[index].name }
    guard let localText = String(interned: local),
      let namespace = uri.map(String.init(interned:)) ?? ""
    else { return nil }
    let name = XMLName(localText, in: namespace)
    slots[index] = Slot(local: local, uri: uri, name: name)
    return name
  }

  private static func index(
    _ local: UnsafePointer<UInt8>, _ uri: UnsafePointer<UInt8>?
  ) -> Int {
    // Fibonacci hashing: the upper bits of a product with 2^64 over the golden ratio.
    let key = UInt64(UInt(bitPattern: local)) &+ 31 &* UInt64(UInt(bitPattern: uri))
    return Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - bits))
  }
}

extension String {
  /// The text that ends with a zero at an address of libxml2's dictionary; nil where it is not
  /// UTF-8.
  init?(interned bytes: UnsafePointer<UInt8>) {
    self.init(validatingCString: UnsafeRawPointer(bytes).assumingMemoryBound(to: CChar.self))
  }
}
