/// Records on their way into a log, with what is derived of them: their bytes side by side in one
/// piece of memory, and their events in another, so that a batch of them is made, handed to another
/// thread and let go of without a value for each.
///
/// Who reduces or stores the events reads them alone: between the records' bytes each would be
/// waited for, from the memory of another core.
package struct RecordArena: Sendable {
  /// A record without its bytes, and where these end in the arena.
  fileprivate struct Place {
    var time: Int64?
    var direction: RecordDirection
    var kind: RecordKind
    var connection: UInt32
    /// Whether the record means something, and so has an event.
    var hasEvent = false
    var endOfBytes: Int
    var endOfEvent: Int
    var endOfContacts: Int
  }

  private var places: [Place] = []
  private var bytes: [UInt8] = []
  private var events: [UInt8] = []
  /// What the index goes by, of each record's contacts.
  private var contacts: [ContactKey] = []

  /// An arena of no records.
  package init() {}

  /// Records with what is derived of them.
  package init(_ drafts: some Sequence<RecordDraft>) {
    for draft in drafts { add(draft) }
  }

  /// How many records there are.
  package var count: Int { places.count }
  /// How many bytes they and their events have.
  package var byteCount: Int { bytes.count + events.count }

  /// Adds a record of which nothing is derived.
  package mutating func add(
    time: Int64?, direction: RecordDirection, kind: RecordKind, connection: UInt32,
    bytes: UnsafeRawBufferPointer
  ) {
    self.bytes.append(bytes: bytes)
    places.append(
      Place(
        time: time, direction: direction, kind: kind, connection: connection,
        endOfBytes: self.bytes.count, endOfEvent: events.count, endOfContacts: contacts.count))
  }

  /// Gives the record that was added last its event.
  package mutating func addEvent(_ event: UnsafeRawBufferPointer) {
    guard !places.isEmpty else { return }
    events.append(bytes: event)
    places[places.count - 1].hasEvent = true
    places[places.count - 1].endOfEvent = events.count
  }

  /// Says that the record that was added last concerns a contact, a prepared bare address.
  package mutating func addContact(_ contact: UnsafeRawBufferPointer) {
    addContact(ContactKey(contact))
  }

  private mutating func addContact(_ contact: ContactKey) {
    guard !places.isEmpty else { return }
    contacts.append(contact)
    places[places.count - 1].endOfContacts = contacts.count
  }

  /// Adds a record with what is derived of it.
  package mutating func add(_ draft: RecordDraft) {
    draft.bytes.withUnsafeBytes { bytes in
      add(
        time: draft.time, direction: draft.direction, kind: draft.kind,
        connection: draft.connection, bytes: bytes)
    }
    draft.event?.withUnsafeBytes { addEvent($0) }
    for contact in draft.contacts { addContact(ContactKey(contact)) }
  }

  /// Takes all records out, and keeps the memory.
  package mutating func removeAll() {
    places.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    events.removeAll(keepingCapacity: true)
    contacts.removeAll(keepingCapacity: true)
  }

  /// Hands the records to `body`, in order; they are valid while it runs.
  package func withRecords<Result, Failure: Error>(
    _ body: (ArenaRecords) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withRawBytes { (bytes) throws(Failure) in
      try events.withRawBytes { (events) throws(Failure) in
        try contacts.withUnsafeBufferPointer { (contacts) throws(Failure) in
          try places.withUnsafeBufferPointer { (places) throws(Failure) in
            try body(ArenaRecords(places, bytes, events, contacts))
          }
        }
      }
    }
  }
}

/// The records of an arena in place: valid in the closure only that is given them.
package struct ArenaRecords: Sequence, IteratorProtocol {
  private let places: UnsafeBufferPointer<RecordArena.Place>
  private let bytes: UnsafeRawBufferPointer
  private let events: UnsafeRawBufferPointer
  private let contacts: UnsafeBufferPointer<ContactKey>
  private var index = 0
  /// Where the next record's bytes, event and contacts begin.
  private var (start, startOfEvent, firstContact) = (0, 0, 0)

  fileprivate init(
    _ places: UnsafeBufferPointer<RecordArena.Place>, _ bytes: UnsafeRawBufferPointer,
    _ events: UnsafeRawBufferPointer, _ contacts: UnsafeBufferPointer<ContactKey>
  ) {
    self.places = places
    self.bytes = bytes
    self.events = events
    self.contacts = contacts
  }

  package mutating func next() -> ArenaRecord? {
    guard index < places.count else { return nil }
    let place = places[index]
    defer {
      index += 1
      (start, startOfEvent) = (place.endOfBytes, place.endOfEvent)
      firstContact = place.endOfContacts
    }
    return ArenaRecord(
      time: place.time, direction: place.direction, kind: place.kind,
      connection: place.connection,
      bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<place.endOfBytes]),
      event: place.hasEvent
        ? UnsafeRawBufferPointer(rebasing: events[startOfEvent..<place.endOfEvent]) : nil,
      contacts: UnsafeBufferPointer(rebasing: contacts[firstContact..<place.endOfContacts]))
  }
}

/// A record that is appended, in place: valid as long as its arena's records are.
package struct ArenaRecord {
  /// As those of a `RecordDraft`.
  package let time: Int64?
  package let direction: RecordDirection
  package let kind: RecordKind
  package let connection: UInt32
  package let bytes: UnsafeRawBufferPointer
  /// The event; nil where the record means nothing.
  package let event: UnsafeRawBufferPointer?
  let contacts: UnsafeBufferPointer<ContactKey>
}
