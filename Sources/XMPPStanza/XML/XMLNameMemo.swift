import RawBytes

/// Names that have been looked at and were not wanted, so that an element in which no other name is
/// need not be gone through.
///
/// It changes no answer: what it has forgotten is looked at again.
package struct XMLNameMemo: Sendable {
  /// An open-addressed table, at most half full; empty names stand where there is none.
  private var unwanted = [XMLPackedName](repeating: XMLPackedName(), count: 1 << bits)
  private var count = 0

  private static let bits = 9

  /// Of nothing yet.
  package init() {}

  /// Whether an element or an attribute in an element, or the element itself, has a local name of
  /// which something is true. Complexity: linear in the names.
  ///
  /// - Parameter isWanted: The same at each call; false for an empty name.
  package mutating func finds(in node: XMPPElement, _ isWanted: (String) -> Bool) -> Bool {
    for number in node.index..<node.end {
      let part = node.tree[number]
      guard part.kind != .text, part.name != XMLPackedName() else { continue }
      let place = place(of: part.name)
      if unwanted[place] == part.name { continue }
      if isWanted(node.tree.withName(of: part) { String(decoding: $0) }) {
        return true
      }
      // A long name is not in its two words, which only say where it is.
      if !part.name.isLong { remember(part.name, at: place) }
    }
    return false
  }

  /// Where a name is, or else where it belongs.
  private func place(of name: XMLPackedName) -> Int {
    // Fibonacci hashing: the upper bits of a product with 2^64 over the golden ratio.
    let key = (name.low ^ (name.high &* 31)) &* 0x9E37_79B9_7F4A_7C15
    var place = Int(truncatingIfNeeded: key >> UInt64(64 - Self.bits))
    while unwanted[place] != name, unwanted[place] != XMLPackedName() {
      place = (place + 1) & (unwanted.count - 1)
    }
    return place
  }

  private mutating func remember(_ name: XMLPackedName, at place: Int) {
    guard 2 * count < unwanted.count else {
      self = XMLNameMemo()
      return
    }
    unwanted[place] = name
    count += 1
  }
}
