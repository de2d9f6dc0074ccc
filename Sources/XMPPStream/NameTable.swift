import XMPPStanza

/// Keeps the names that a parser has met, so that a name that comes again costs no allocation.
///
/// libxml2 interns names: within one context equal names have equal addresses. A name is looked up
/// by its addresses, in the two slots that they lead to; a name that finds both taken moves into
/// the second. So the table never grows, whatever names a peer thinks up.
struct NameTable {
  private struct Slot {
    var local: UnsafePointer<UInt8>?
    var uri: UnsafePointer<UInt8>?
    var name: XMLName
    /// What is wanted of the name.
    var answers: ElementInterest.Answers
  }

  private static let bits = 10
  private let interest: ElementInterest
  private var slots: [Slot] = []

  init(_ interest: ElementInterest) {
    self.interest = interest
    forget()
  }

  /// Drops every name: the addresses are void when their context has gone.
  mutating func forget() {
    let empty = Slot(
      local: nil, uri: nil, name: XMLName("", in: ""),
      answers: ElementInterest.Answers(isKept: true, asksForAll: false))
    slots = Array(repeating: empty, count: 1 << Self.bits)
  }

  func name(at index: Int) -> XMLName { slots[index].name }
  func answers(at index: Int) -> ElementInterest.Answers { slots[index].answers }

  /// Where the expanded name at two addresses is, until the next name is looked up; nil where it
  /// is not UTF-8.
  mutating func index(local: UnsafePointer<UInt8>, uri: UnsafePointer<UInt8>?) -> Int? {
    let first = Self.hash(local, uri)
    if slots[first].local == local, slots[first].uri == uri { return first }
    let second = first ^ 1
    if slots[second].local == local, slots[second].uri == uri { return second }
    guard let localText = String(interned: local),
      let namespace = uri.map(String.init(interned:)) ?? ""
    else { return nil }
    let name = XMLName(localText, in: namespace)
    let index = slots[first].local == nil ? first : second
    slots[index] = Slot(local: local, uri: uri, name: name, answers: interest.answers(for: name))
    return index
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
