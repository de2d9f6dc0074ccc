import XMPPStanza

/// Finds the names that a parser has met, so that a name that comes again costs no allocation.
///
/// libxml2 interns names: within one context equal names have equal addresses. A name is looked up
/// by its addresses, in the two slots that they lead to; a name that finds both taken moves into
/// the second. So the table never grows, whatever names a peer thinks up.
struct NameTable {
  /// What is known of a name.
  struct Entry {
    /// The name's number in the draft.
    var number: Int
    var isKept: Bool
    var asksForAll: Bool
  }

  private struct Slot {
    var local: UnsafePointer<UInt8>?
    var uri: UnsafePointer<UInt8>?
    var entry = Entry(number: 0, isKept: true, asksForAll: false)
  }

  private static let bits = 10
  /// How many names a draft may have when an element begins.
  private static let maximumNames = 1 << bits
  private let interest: ElementInterest
  private var slots = Array(repeating: Slot(), count: 1 << bits)

  init(_ interest: ElementInterest) {
    self.interest = interest
  }

  /// Drops every name: the addresses are void when their context has gone.
  mutating func forget(_ draft: inout XMLDraft) {
    slots = Array(repeating: Slot(), count: 1 << Self.bits)
    draft.forgetNames()
  }

  /// Drops every name, where there are many; only while no element is open.
  mutating func makeRoom(_ draft: inout XMLDraft) {
    if draft.nameCount > Self.maximumNames { forget(&draft) }
  }

  /// The expanded name at two addresses; nil where it is not UTF-8.
  mutating func entry(
    _ local: UnsafePointer<UInt8>, _ uri: UnsafePointer<UInt8>?, _ draft: inout XMLDraft
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
    let name = XMLName(localText, in: namespace)
    let entry = Entry(
      number: draft.add(name), isKept: interest.isKept(name), asksForAll: interest.asksForAll(name))
    let index = slots[first].local == nil ? first : second
    slots[index] = Slot(local: local, uri: uri, entry: entry)
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
