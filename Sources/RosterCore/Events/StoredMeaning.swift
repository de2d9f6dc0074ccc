package import XMPPStanza

/// What an element means, in the form in which a log stores it: the event's bytes, and the contacts
/// that it concerns.
///
/// It is used for one element after the other and keeps its memory. What most elements of a
/// session are, presence of contacts and messages, goes from the element's bytes to the event's
/// without a value in between.
package struct StoredMeaning {
  private var output = CanonicalOutput()
  /// The contacts' addresses, one after the other, and where each ends.
  private var names: [UInt8] = []
  private var ends: [Int] = []

  /// Of nothing yet.
  package init() {}

  /// The event's canonical bytes; nil where the element means nothing to the roster.
  package var event: [UInt8]? { output.bytes.isEmpty ? nil : output.bytes }

  /// How many contacts there are, each once.
  package var contactCount: Int { ends.count }

  /// Hands each contact's bytes to `body`: a prepared bare address, valid while it runs.
  package func forEachContact(_ body: (UnsafeRawBufferPointer) -> Void) {
    names.withUnsafeBytes { bytes in
      var start = 0
      for end in ends {
        body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        start = end
      }
    }
  }

  /// The contacts in the order of their bytes.
  package var contacts: [String] {
    var contacts: [String] = []
    forEachContact { contacts.append(String(decoding: $0, as: UTF8.self)) }
    return contacts.count > 1 ? contacts.sorted { $0.precedesByBytes($1) } : contacts
  }

  /// Takes what an element means: what `StanzaTranslator.read` says.
  ///
  /// - Parameter addresses: What those who read many elements keep from one to the next.
  package mutating func take(
    _ node: XMPPElement, _ direction: Direction, _ addresses: inout AddressMemo
  ) {
    removeAll()
    guard !takeInPlace(node, direction, &addresses) else { return }
    let (event, peer) = StanzaTranslator.read(node, direction, &addresses)
    take(event, and: peer)
  }

  /// Takes what something means that is not an element.
  package mutating func take(_ event: RosterEvent?) {
    removeAll()
    take(event, and: nil)
  }

  /// Takes something that means nothing to the roster and concerns what stands for a contact.
  package mutating func take(subject: String) {
    removeAll()
    subject.withUTF8Bytes { append(contact: $0) }
  }

  private mutating func removeAll() {
    // To empty what is empty costs as much as what most elements mean.
    if !output.bytes.isEmpty { output.removeAll() }
    if ends.isEmpty { return }
    names.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  private mutating func append(contact: UnsafeRawBufferPointer) {
    names.append(contentsOf: contact)
    ends.append(names.count)
  }

  private mutating func take(_ event: RosterEvent?, and peer: BareJID?) {
    event?.encode(to: &output)
    let named = event?.contacts ?? []
    // Most events concern one contact.
    if named.count < 2 {
      for jid in named { jid.text.withUTF8Bytes { append(contact: $0) } }
      if let peer, peer != named.first { peer.text.withUTF8Bytes { append(contact: $0) } }
    } else {
      for jid in Set(named + (peer.map { [$0] } ?? [])) {
        jid.text.withUTF8Bytes { append(contact: $0) }
      }
    }
  }

  // MARK: In place

  /// Takes a message that is no event of a contact's, or presence of a contact; false, and nothing
  /// is taken, where it is something else or something is wrong with it.
  private mutating func takeInPlace(
    _ node: XMPPElement, _ direction: Direction, _ addresses: inout AddressMemo
  ) -> Bool {
    do {
      switch try Stanza.Kind(node) {
      case .message:
        guard direction == .outbound || node.child("event", in: Namespace.pubsubEvent) == nil else {
          return false
        }
        return try takePeer(of: node, direction, &addresses) { _, _ in }
      case .presence(.available) where direction == .inbound:
        let isRoom = StanzaTranslator.isRoom(node)
        return try takePeer(of: node, direction, &addresses) { address, output in
          if !isRoom { output.writeAvailable(from: address, PresenceContent(node)) }
        }
      case .presence(.unavailable) where direction == .inbound:
        let isRoom = StanzaTranslator.isRoom(node)
        return try takePeer(of: node, direction, &addresses) { address, output in
          if !isRoom { output.writeUnavailable(from: address) }
        }
      case .presence, .iq, nil: return false
      }
    } catch {
      return false
    }
  }

  /// Takes the address that a stanza came from or went to; has `write` write the event where there
  /// is one.
  private mutating func takePeer(
    of node: XMPPElement, _ direction: Direction, _ addresses: inout AddressMemo,
    _ write: (PreparedAddress, inout CanonicalOutput) -> Void
  ) throws(JIDError) -> Bool {
    let (mine, peer): (StaticString, StaticString) =
      direction == .inbound ? ("to", "from") : ("from", "to")
    // One that cannot be prepared is thrown.
    try addresses.withAddress(mine, of: node) { _ in }
    try addresses.withAddress(peer, of: node) { address in
      guard let address else { return }
      append(contact: address.bare)
      write(address, &output)
    }
    return true
  }
}
