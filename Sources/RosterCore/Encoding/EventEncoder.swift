import RawBytes
import XMPPStanza

/// Encodes what elements and other records mean: the event's canonical bytes, which are the event,
/// and the contacts that it concerns.
///
/// It is used for one record after the other and keeps its memory. What an element says goes from
/// its bytes to the event's without a value in between. Nothing is judged here: whether a sender
/// may do what it asks is for the reducer to decide.
package struct EventEncoder {
  /// The version of the translation, and of how what is derived of records is stored; that of
  /// another version must be made anew.
  package static let version: UInt32 = 13

  var output = CanonicalOutput()
  /// Parts of an event whose count comes before them.
  var parts = CanonicalOutput()
  /// The contacts' addresses, one after the other, and where each ends. Bytes and ends after those
  /// of the last contact are unused: removing them costs more than keeping them.
  private var names: [UInt8] = []
  private var ends: [Int] = []
  /// The number of contacts, each counted once.
  package private(set) var contactCount = 0
  /// The contacts as a set, once there are too many to search.
  private var known: Set<[UInt8]> = []

  /// An encoder that has encoded nothing.
  package init() {}

  /// The event's canonical bytes; nil if there is no event.
  package var event: [UInt8]? { output.bytes.isEmpty ? nil : output.bytes }

  /// The event's canonical bytes in place; nil if there is no event.
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

  /// The event, if it is one about the stream.
  package var sessionEvent: SessionEvent? {
    guard let event = storedEvent else { return nil }
    return SessionEvent(stored: event)
  }

  /// Encodes something that happened to the stream.
  package mutating func encode(_ event: SessionEvent) {
    removeAll()
    event.encode(to: &output)
  }

  /// Encodes an annotation by the user, which concerns the contacts that it names.
  package mutating func encode(_ annotation: RosterAnnotation) {
    removeAll()
    output.write(EventTag.annotation)
    output.write(annotation)
    for jid in annotation.contacts { jid.text.withUTF8Bytes { append(contact: $0) } }
  }

  /// Encodes a rejection, which concerns no contact.
  package mutating func encode(_ rejection: Rejection) {
    removeAll()
    output.write(rejection)
  }

  /// Encodes something that means nothing to the roster and concerns a subject of the log's index.
  package mutating func encode(subject: String) {
    removeAll()
    subject.withUTF8Bytes { append(contact: $0) }
  }

  /// Removes the event and its contacts, as for a record that means nothing to the roster.
  package mutating func removeAll() {
    // Emptying an empty array costs as much as encoding most elements.
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

  /// The number of contacts from which on a set is searched. Nearly all elements concern fewer, for
  /// which a linear search is faster.
  private static let linearSearchLimit = 8

  private mutating func has(_ contact: RawSpan) -> Bool {
    guard contactCount < Self.linearSearchLimit else {
      if known.isEmpty { forEachContact { known.insert([UInt8]($0)) } }
      return !known.insert([UInt8](contact)).inserted
    }
    var isThere = false
    forEachContact { if $0.isSame(as: contact) { isThere = true } }
    return isThere
  }
}
