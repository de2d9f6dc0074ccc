/// Remembers addresses that were prepared, for whoever reads many: most of them come again.
///
/// An address that it knows costs a comparison and no allocation. It holds a bounded number of
/// them, and changes no result: what it gives for a text is what preparing that text gave.
package struct AddressMemo: Sendable {
  /// A new address takes the place of the one that its hash leads to.
  private var slots: [JID?] = []
  private let bits: Int

  /// A memo of nothing yet.
  ///
  /// - Parameter bits: It holds two to this power of addresses, each of about 100 bytes.
  package init(bits: Int = 13) {
    self.bits = bits
  }

  /// Prepares the address that an attribute of an element is, as `JID.init(parsing:)` does.
  ///
  /// - Returns: Nil where there is no such attribute.
  /// - Throws: `JIDError`, naming the part that cannot be prepared.
  package mutating func jid(
    _ attribute: String, of node: XMLNode
  ) throws(JIDError) -> JID? {
    guard let part = node.attributePart(attribute) else { return nil }
    return try node.tree.withBytes(of: part) { (bytes) throws(JIDError) -> JID in
      try jid(bytes)
    }
  }

  private mutating func jid(_ bytes: UnsafeRawBufferPointer) throws(JIDError) -> JID {
    if slots.isEmpty { slots = Array(repeating: nil, count: 1 << bits) }
    let place = Int(truncatingIfNeeded: bytes.quickHash >> UInt64(64 - bits))
    if let known = slots[place], known.isWritten(bytes) { return known }
    let jid = try JID(parsing: String(decoding: bytes, as: UTF8.self))
    // As nearly all are, so there is no need to keep how it was written.
    if jid.isWritten(bytes) { slots[place] = jid }
    return jid
  }
}

extension JID {
  /// Whether a text is the address just as it is prepared.
  fileprivate func isWritten(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let resource else { return bare.text.hasBytes(bytes) }
    let count = bytes.count - resource.utf8.count - 1
    // What is rebased are parts of `bytes`, by an index in it.
    return count >= 0 && bytes[count] == UInt8(ascii: "/")
      && bare.text.hasBytes(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      && resource.hasBytes(UnsafeRawBufferPointer(rebasing: bytes[(count + 1)...]))
  }
}
