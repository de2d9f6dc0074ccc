/// Ends of names, and a quick way to see that no name in an element has one of them.
package struct XMLNameSuffixes: Sendable {
  private let suffixes: Set<UInt32>
  /// A bit for each of their hashes.
  private let bits: UInt64

  /// - Parameter suffixes: Of four small letters of ASCII or marks; shorter ones are whole names.
  package init(_ suffixes: [StaticString]) {
    self.suffixes = Set(suffixes.map { XMLPackedName($0).suffix })
    bits = self.suffixes.reduce(0) { $0 | Self.bit($1) }
  }

  private static func bit(_ suffix: UInt32) -> UInt64 {
    1 << UInt64((suffix &* 0x9E37_79B9) >> 26)
  }

  /// Whether a name in an element, or in anything in it, ends so, whatever the case of its letters;
  /// true for a name of more than fifteen bytes, which is not looked at.
  package func areIn(_ node: XMLNode) -> Bool {
    for number in node.index..<node.end {
      let name = node.tree[number].name
      if name.isLong { return true }
      let suffix = name.suffix
      if bits & Self.bit(suffix) != 0, suffixes.contains(suffix) { return true }
    }
    return false
  }
}

extension XMLPackedName {
  /// The last four bytes of a short name, or all of one that is shorter, capitals as small letters.
  fileprivate var suffix: UInt32 {
    let count = high >> 56
    // This bit makes a capital a small letter, and nothing else one.
    let small: UInt32 = 0x2020_2020
    guard count > 4 else { return UInt32(truncatingIfNeeded: low) | small }
    let start = 8 * (count - 4)
    let bytes =
      start < 64 ? low >> start | (start == 0 ? 0 : high << (64 - start)) : high >> (start - 64)
    return UInt32(truncatingIfNeeded: bytes) | small
  }
}
