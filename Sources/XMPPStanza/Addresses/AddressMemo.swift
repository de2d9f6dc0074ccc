/// The addresses that were prepared latest, because most of them come again.
///
/// An address that it knows costs a comparison and no allocation. It holds a bounded number of
/// them, and changes no result: what it gives for a text is what preparing that text gave.
package struct AddressMemo: Sendable {
  // An address is in one of the two places that its hash leads to.
  /// The hashes of the addresses, 0 where there is none: most addresses other than the one that is
  /// looked up differ in them, so that no other memory is looked at.
  private var hashes: [UInt64] = []
  private var jids: [JID?] = []
  /// How they were written.
  private var texts: [String] = []
  private let bits: Int

  /// Longer addresses are not remembered.
  private static let maximumBytes = 256

  /// A memo of nothing yet.
  ///
  /// - Parameter bits: It holds two to this power of addresses, at least two, each of about 200
  ///   bytes.
  package init(bits: Int = 14) {
    self.bits = max(1, bits)
  }

  /// Prepares the address that an attribute of an element is, as `JID.init(parsing:)` does.
  ///
  /// - Returns: Nil where there is no such attribute.
  /// - Throws: `JIDError`, naming the part that cannot be prepared.
  package mutating func jid(
    _ attribute: StaticString, of node: XMLNode
  ) throws(JIDError) -> JID? {
    try jid(WantedName(attribute), of: node)
  }

  mutating func jid(
    _ attribute: WantedName, of node: XMLNode
  ) throws(JIDError) -> JID? {
    guard let part = node.attributePart(attribute) else { return nil }
    return try node.tree.withBytes(of: part) { (bytes) throws(JIDError) -> JID in
      try jid(bytes)
    }
  }

  private mutating func jid(_ bytes: UnsafeRawBufferPointer) throws(JIDError) -> JID {
    let hash = bytes.quickHash | 1
    if hashes.isEmpty { makeRoom() }
    let place = Int(truncatingIfNeeded: hash >> UInt64(64 - bits))
    if let jid = known(at: place, hash, bytes) ?? known(at: place ^ 1, hash, bytes) { return jid }
    let text = String(decoding: bytes, as: UTF8.self)
    let jid = try JID(parsing: text)
    guard bytes.count <= Self.maximumBytes else { return jid }
    // The earlier one is kept a while longer.
    hashes.swapAt(place, place ^ 1)
    jids.swapAt(place, place ^ 1)
    texts.swapAt(place, place ^ 1)
    hashes[place] = hash
    jids[place] = jid
    texts[place] = text
    return jid
  }

  private func known(at place: Int, _ hash: UInt64, _ bytes: UnsafeRawBufferPointer) -> JID? {
    hashes[place] == hash && texts[place].hasBytes(bytes) ? jids[place] : nil
  }

  private mutating func makeRoom() {
    hashes = Array(repeating: 0, count: 1 << bits)
    jids = Array(repeating: nil, count: 1 << bits)
    texts = Array(repeating: "", count: 1 << bits)
  }
}
