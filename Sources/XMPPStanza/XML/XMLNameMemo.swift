import RawBytes

/// Remembers names that were checked and not wanted, so that an element with no other names need
/// not be searched.
///
/// Forgetting a name changes no answer, because it is checked again.
package struct XMLNameMemo: Sendable {
  /// An open-addressed table, at most half full; an empty name marks a free slot.
  private var unwanted = [XMLPackedName](repeating: XMLPackedName(), count: 1 << bits)
  private var count = 0

  private static let bits = 9

  /// An empty memo.
  package init() {}

  /// Whether the element, or any element or attribute in it, has a wanted local name.
  ///
  /// - Parameter isWanted: Gives the same answer for a name at every call, and false for an empty
  ///   name.
  ///
  /// Complexity: linear in the names.
  package mutating func finds(in node: XMPPElement, _ isWanted: (String) -> Bool) -> Bool {
    for number in node.index..<node.end {
      let part = node.tree[number]
      guard part.kind != .text, part.name != XMLPackedName() else { continue }
      let slot = slot(of: part.name)
      if unwanted[slot] == part.name { continue }
      if isWanted(node.tree.withName(of: part) { String(decoding: $0) }) {
        return true
      }
      // A long name is not contained in its two words, which only give its range.
      if !part.name.isLong { remember(part.name, at: slot) }
    }
    return false
  }

  /// The slot of a name, or the free slot for it.
  private func slot(of name: XMLPackedName) -> Int {
    // Fibonacci hashing: the upper bits of a product with 2^64 over the golden ratio.
    let key = (name.low ^ (name.high &* 31)) &* 0x9E37_79B9_7F4A_7C15
    var slot = Int(truncatingIfNeeded: key >> UInt64(64 - Self.bits))
    while unwanted[slot] != name, unwanted[slot] != XMLPackedName() {
      slot = (slot + 1) & (unwanted.count - 1)
    }
    return slot
  }

  private mutating func remember(_ name: XMLPackedName, at slot: Int) {
    guard 2 * count < unwanted.count else {
      self = XMLNameMemo()
      return
    }
    unwanted[slot] = name
    count += 1
  }
}
