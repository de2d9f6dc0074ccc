import XMPPStanza

/// Finds the names that libxml2 has met, so that a name that comes again costs no allocation.
///
/// libxml2 interns names: within one context equal names have equal addresses. A name is looked up
/// by its addresses, in the two slots that they lead to; a name that finds both taken moves into
/// the second. So the table never grows, whatever names a peer thinks up.
struct NameTable {
  /// What is known of a name.
  struct Entry {
    private let bits: UInt32

    /// An entry of no name.
    init() {
      bits = 0
    }

    /// Adds a name to a draft, and asks what is wanted of it.
    init(_ name: XMLName, _ interest: ElementInterest, _ draft: inout XMLDraft) {
      bits =
        UInt32(draft.add(name)) << 2 | (interest.isKept(name) ? 2 : 0)
        | (interest.asksForAll(name) ? 1 : 0)
    }

    /// The name's number in the draft.
    var number: Int { Int(bits >> 2) }
    var isKept: Bool { bits & 2 != 0 }
    var asksForAll: Bool { bits & 1 != 0 }
  }

  private struct Slot {
    var local: UnsafePointer<UInt8>?
    var uri: UnsafePointer<UInt8>?
    var entry = Entry()
  }

  private static let bits = 10
  private var slots = Array(repeating: Slot(), count: 1 << bits)

  /// The expanded name at two addresses; nil where it is not UTF-8.
  mutating func entry(
    _ local: UnsafePointer<UInt8>, _ uri: UnsafePointer<UInt8>?, _ interest: ElementInterest,
    _ draft: inout XMLDraft
  ) -> Entry? {
    let first = Self.hash(local, uri)
    var slot = slots[first]
    if slot.local == local, slot.uri == uri { return slot.entry }
    let second = first ^ 1
    slot = slots[second]
    if slot.local == local, slot.uri == uri { return slot.entry }
    guard let localText = String(interned: local),
      let namespace = uri.map(String.init(interned:)) ?? ""
    else { return nil }
    let entry = Entry(XMLName(localText, in: namespace), interest, &draft)
    let place = slots[first].local == nil ? first : second
    slots[place] = Slot(local: local, uri: uri, entry: entry)
    return entry
  }

  private static func hash(
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
