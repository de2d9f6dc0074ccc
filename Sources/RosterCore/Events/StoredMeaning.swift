import RawBytes
package import XMPPStanza

/// What an element means, in the form in which a log stores it: the event's bytes, and the contacts
/// that it concerns.
///
/// It is used for one element after the other and keeps its memory. What most elements of a
/// session are goes from the element's bytes to the event's without a value in between.
package struct StoredMeaning {
  var output = CanonicalOutput()
  /// The contacts' addresses, one after the other, and where each ends. What stands after the last
  /// one is of no meaning: to keep it costs less than to take it out.
  private var names: [UInt8] = []
  private var ends: [Int] = []
  /// How many contacts there are, each once.
  package private(set) var contactCount = 0
  /// The same contacts, once there are many.
  private var known: Set<[UInt8]> = []

  /// Of nothing yet.
  package init() {}

  /// The event's canonical bytes; nil where the element means nothing to the roster.
  package var event: [UInt8]? { output.bytes.isEmpty ? nil : output.bytes }

  /// The same in place.
  package var storedEvent: RawSpan? {
    @_lifetime(borrow self)
    get { output.bytes.isEmpty ? nil : output.bytes.span.bytes }
  }

  /// Hands each contact's bytes to `body`: a prepared bare address, valid while it runs.
  package func forEachContact(_ body: (RawSpan) -> Void) {
    var start = 0
    for contact in 0..<contactCount {
      body(names.span.bytes[start..<ends[contact]])
      start = ends[contact]
    }
  }

  /// The contacts in the order of their bytes.
  package var contacts: [String] {
    var contacts: [String] = []
    forEachContact { contacts.append(String(decoding: $0)) }
    return contacts.count > 1 ? contacts.sorted { $0.precedesByBytes($1) } : contacts
  }

  /// Takes what an element means: what `StanzaTranslator.read` says.
  package mutating func take(_ node: XMPPElement, _ direction: Direction) {
    removeAll()
    guard !takeInPlace(node, direction) else { return }
    let (event, peer) = StanzaTranslator.read(node, direction)
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

  mutating func removeAll() {
    // To empty what is empty costs as much as what most elements mean.
    if !output.bytes.isEmpty { output.removeAll() }
    if !known.isEmpty { known = [] }
    contactCount = 0
  }

  /// Adds a contact, unless it is there already.
  mutating func append(contact: RawSpan) {
    guard !has(contact) else { return }
    let start = contactCount == 0 ? 0 : ends[contactCount - 1]
    let end = start + contact.byteCount
    if names.count < end {
      names.append(contentsOf: repeatElement(0, count: end - names.count))
    }
    names.replace(at: start, with: contact)
    if contactCount == ends.count { ends.append(end) } else { ends[contactCount] = end }
    contactCount += 1
  }

  /// Nearly all elements concern fewer, and to look through them takes less than to look one up.
  private static let few = 8

  private mutating func has(_ contact: RawSpan) -> Bool {
    guard contactCount < Self.few else {
      if known.isEmpty { forEachContact { known.insert([UInt8]($0)) } }
      return !known.insert([UInt8](contact)).inserted
    }
    var isThere = false
    forEachContact { if $0.isSame(as: contact) { isThere = true } }
    return isThere
  }

  private mutating func take(_ event: RosterEvent?, and peer: BareJID?) {
    event?.encode(to: &output)
    for jid in event?.contacts ?? [] { jid.text.withUTF8Bytes { append(contact: $0) } }
    peer?.text.withUTF8Bytes { append(contact: $0) }
  }
}
