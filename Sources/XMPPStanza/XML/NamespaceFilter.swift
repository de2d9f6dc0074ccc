import RawBytes

/// A set of namespaces with a fast test that an element is in none of them.
package struct NamespaceFilter: Sendable {
  private let keys: [UInt64]
  /// One bit for each namespace.
  private let bits: UInt64

  /// - Parameter namespaces: At least eight bytes long each, and not `jabber:client`.
  package init(_ namespaces: [String]) {
    keys = namespaces.map { $0.withUTF8Bytes { Self.key(of: $0) } }
    bits = keys.reduce(0) { $0 | Self.bit(of: $1) }
  }

  private static func bit(of key: UInt64) -> UInt64 {
    // Fibonacci hashing: the upper bits of a product with 2^64 over the golden ratio.
    1 << ((key &* 0x9E37_79B9_7F4A_7C15) >> 58)
  }

  /// A key made of the first and last bytes and the length.
  private static func key(of namespace: RawSpan) -> UInt64 {
    let count = namespace.byteCount
    guard count >= 8 else { return 0 }
    return namespace.littleEndian(at: 0) ^ namespace.littleEndian(at: count - 8) &* 31
      ^ UInt64(count)
  }

  /// Whether anything in the top-level element of a node may be in one of the namespaces. False is
  /// certain; true is hardly ever wrong.
  package func mayHold(_ node: XMPPElement) -> Bool {
    node.tree.lists { namespace in
      let key = Self.key(of: namespace)
      return bits & Self.bit(of: key) != 0 && keys.contains(key)
    }
  }
}
