/// Remembers addresses that were prepared, for whoever reads many: most of them come again.
///
/// An address that it knows costs a comparison and no allocation. It holds a bounded number of
/// them, and changes no result: what it gives for a text is what preparing that text gave.
package struct AddressMemo: Sendable {
  private struct Slot {
    /// The address as it was written; empty where there is none, for no address is.
    var text = ""
    var jid = JID(prepared: BareJID(prepared: ""), resource: nil)
  }

  /// A new address takes the place of the one that its hash leads to.
  private var slots: [Slot] = []
  private let bits: Int

  /// Longer addresses are not remembered.
  private static let maximumBytes = 256

  /// A memo of nothing yet.
  ///
  /// - Parameter bits: It holds two to this power of addresses, each of about 200 bytes.
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
    guard (1...Self.maximumBytes).contains(bytes.count) else {
      return try JID(parsing: String(decoding: bytes, as: UTF8.self))
    }
    if slots.isEmpty { slots = Array(repeating: Slot(), count: 1 << bits) }
    let place = Int(truncatingIfNeeded: bytes.quickHash >> UInt64(64 - bits))
    if slots[place].text.hasBytes(bytes) { return slots[place].jid }
    let text = String(decoding: bytes, as: UTF8.self)
    let jid = try JID(parsing: text)
    slots[place] = Slot(text: text, jid: jid)
    return jid
  }
}
