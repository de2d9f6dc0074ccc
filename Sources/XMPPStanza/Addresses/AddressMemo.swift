/// The addresses that were prepared latest, because most of them come again.
///
/// An address that it knows costs a comparison and no allocation. It holds a bounded number of
/// them, and changes no result: what it gives for a text is what preparing that text gave.
package struct AddressMemo: Sendable {
  // An address is in one of the two places that its hash leads to.
  /// The hashes of the addresses, 0 where there is none: most addresses other than the one that is
  /// looked up differ in them, so that no other memory is looked at. The two lowest bits are no
  /// part of the hash: the first says that there is an address, the second that it was written in
  /// its prepared form.
  private var hashes: [UInt64] = []
  private var jids: [JID?] = []
  /// How they were written, where that is not their prepared form.
  private var texts: [String?] = []
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
    _ attribute: StaticString, of node: XMLNode
  ) throws(JIDError) -> JID? {
    guard let part = node.attributePart(attribute) else { return nil }
    return try node.tree.withBytes(of: part) { (bytes) throws(JIDError) -> JID in
      try jid(bytes)
    }
  }

  private mutating func jid(_ bytes: UnsafeRawBufferPointer) throws(JIDError) -> JID {
    let hash = bytes.quickHash | 3
    if hashes.isEmpty { makeRoom() }
    let place = Int(truncatingIfNeeded: hash >> UInt64(64 - bits))
    if let jid = known(at: place, hash, bytes) ?? known(at: place ^ 1, hash, bytes) { return jid }
    let text = String(decoding: bytes, as: UTF8.self)
    let jid = try JID(parsing: text)
    guard bytes.count <= Self.maximumBytes else { return jid }
    // The earlier one is kept a while longer.
    (hashes[place ^ 1], jids[place ^ 1], texts[place ^ 1]) =
      (hashes[place], jids[place], texts[place])
    let isPrepared = jid.isWritten(bytes)
    hashes[place] = isPrepared ? hash : hash & ~2
    jids[place] = jid
    texts[place] = isPrepared ? nil : text
    return jid
  }

  private func known(at place: Int, _ hash: UInt64, _ bytes: UnsafeRawBufferPointer) -> JID? {
    guard hashes[place] | 2 == hash, let jid = jids[place] else { return nil }
    let isWritten =
      hashes[place] == hash ? jid.isWritten(bytes) : texts[place]?.hasBytes(bytes) == true
    return isWritten ? jid : nil
  }

  private mutating func makeRoom() {
    hashes = Array(repeating: 0, count: 1 << bits)
    jids = Array(repeating: nil, count: 1 << bits)
    texts = Array(repeating: nil, count: 1 << bits)
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
