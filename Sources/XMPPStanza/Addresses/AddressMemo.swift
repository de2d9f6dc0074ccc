/// An address in prepared form, in place: the bytes are valid in the closure only that is given it.
package struct PreparedAddress {
  /// The bare address.
  package let bare: UnsafeRawBufferPointer
  /// The resource, never empty; nil for a bare address.
  package let resource: UnsafeRawBufferPointer?

  /// A copy of it.
  var jid: JID {
    JID(
      prepared: BareJID(prepared: String(decoding: bare, as: UTF8.self)),
      resource: resource.map { String(decoding: $0, as: UTF8.self) })
  }
}

/// Prepares the addresses of elements, and remembers those of them that take long.
///
/// Nearly all addresses stand in their prepared form already: to see that costs a look at each
/// byte, and less than to find them in a table. The others are remembered, a bounded number of
/// them, which changes no result: what is given for a text is what preparing that text gave.
package struct AddressMemo: Sendable {
  private struct Entry {
    /// How the address was written.
    let text: String
    let jid: JID
  }

  /// Each in the one place that its hash leads to.
  private var entries: [Entry?] = []
  private let bits: Int
  /// How the address was written that was checked last.
  private var checked: [UInt8] = []

  /// Longer addresses are not remembered.
  private static let maximumBytes = 256

  /// A memo of nothing yet.
  ///
  /// - Parameter bits: It holds two to this power of addresses, each of about 200 bytes.
  package init(bits: Int = 12) {
    self.bits = bits
  }

  /// Prepares the address that an attribute of an element is, as `JID.init(parsing:)` does.
  ///
  /// - Returns: Nil where there is no such attribute.
  /// - Throws: `JIDError`, naming the part that cannot be prepared.
  package mutating func jid(
    _ attribute: WantedName, of node: XMPPElement
  ) throws(JIDError) -> JID? {
    var jid: JID?
    try withAddress(attribute, of: node) { jid = $0?.jid }
    return jid
  }

  /// Hands the same to `body` without a copy.
  package mutating func withAddress(
    _ attribute: WantedName, of node: XMPPElement, _ body: (PreparedAddress?) -> Void
  ) throws(JIDError) {
    guard let part = node.attributePart(attribute) else { return body(nil) }
    try node.tree.withBytes(of: part) { (bytes) throws(JIDError) in
      if let address = JIDPreparation.prepared(bytes) { return body(address) }
      let jid = try prepare(bytes)
      jid.bare.text.withUTF8Bytes { bare in
        guard let resource = jid.resource else {
          return body(PreparedAddress(bare: bare, resource: nil))
        }
        resource.withUTF8Bytes { body(PreparedAddress(bare: bare, resource: $0)) }
      }
    }
  }

  /// Whether the address that an attribute is, if it is there, can be prepared. Of a stream's own
  /// account it is nearly always the one before.
  ///
  /// - Throws: `JIDError` where not.
  package mutating func check(
    _ attribute: WantedName, of node: XMPPElement
  ) throws(JIDError) {
    guard let part = node.attributePart(attribute) else { return }
    try node.tree.withBytes(of: part) { (bytes) throws(JIDError) in
      // An empty one cannot be prepared, and is what there is before the first.
      if !bytes.isEmpty, checked.withUnsafeBytes({ $0.isSame(as: bytes) }) { return }
      if JIDPreparation.prepared(bytes) == nil { _ = try prepare(bytes) }
      checked.removeAll(keepingCapacity: true)
      if bytes.count <= Self.maximumBytes { checked.append(bytes: bytes) }
    }
  }

  private mutating func prepare(_ bytes: UnsafeRawBufferPointer) throws(JIDError) -> JID {
    if entries.isEmpty { entries = Array(repeating: nil, count: 1 << bits) }
    let place = Int(truncatingIfNeeded: bytes.quickHash >> 32) & (entries.count - 1)
    if let known = entries[place], known.text.hasBytes(bytes) { return known.jid }
    let text = String(decoding: bytes, as: UTF8.self)
    let jid = try JID(parsing: text)
    if bytes.count <= Self.maximumBytes { entries[place] = Entry(text: text, jid: jid) }
    return jid
  }
}
