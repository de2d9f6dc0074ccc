/// Remembers addresses that were prepared, for whoever reads many: most of them come again.
///
/// An address that it knows costs a comparison and no allocation. It holds a bounded number of
/// them, and changes no result: what it gives for a text is what preparing that text gave.
package struct AddressMemo: Sendable {
  private struct Slot {
    var jid: JID
    /// How the address was written, where that is not its prepared form, as it nearly always is.
    var text: String?

    func isWritten(_ bytes: UnsafeRawBufferPointer) -> Bool {
      text?.hasBytes(bytes) ?? jid.isWritten(bytes)
    }
  }

  /// An address is in one of the two slots that its hash leads to.
  private var slots: [Slot?] = []
  private let bits: Int

  /// Longer addresses are not remembered.
  private static let maximumBytes = 256

  /// A memo of nothing yet.
  ///
  /// - Parameter bits: It holds two to this power of addresses, at least two, each of about 150
  ///   bytes.
  package init(bits: Int = 14) {
    self.bits = max(1, bits)
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
    if let known = slots[place], known.isWritten(bytes) { return known.jid }
    if let known = slots[place ^ 1], known.isWritten(bytes) { return known.jid }
    let text = String(decoding: bytes, as: UTF8.self)
    let jid = try JID(parsing: text)
    guard bytes.count <= Self.maximumBytes else { return jid }
    // The one of before is kept a while longer.
    slots[place ^ 1] = slots[place]
    slots[place] = Slot(jid: jid, text: jid.isWritten(bytes) ? nil : text)
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
