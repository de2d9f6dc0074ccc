import RawBytes

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

  fileprivate var places: [Place] = []
  fileprivate var bytes: [UInt8] = []
  fileprivate var events: [UInt8] = []
  /// What the index goes by, of each record's contacts.
  fileprivate var contacts: [ContactKey] = []

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
    bytes: RawSpan
  ) {
    self.bytes.append(bytes: bytes)
    places.append(
      Place(
        time: time, direction: direction, kind: kind, connection: connection,
        endOfBytes: self.bytes.count, endOfEvent: events.count, endOfContacts: contacts.count))
  }

  /// Gives the record that was added last its event.
  package mutating func addEvent(_ event: RawSpan) {
    guard !places.isEmpty else { return }
    events.append(bytes: event)
    places[places.count - 1].hasEvent = true
    places[places.count - 1].endOfEvent = events.count
  }

  /// Says that the record that was added last concerns a contact, a prepared bare address.
  package mutating func addContact(_ contact: RawSpan) {
    addContact(ContactKey(contact))
  }

  private mutating func addContact(_ contact: ContactKey) {
    guard !places.isEmpty else { return }
    contacts.append(contact)
    places[places.count - 1].endOfContacts = contacts.count
  }

  /// Adds a record with what is derived of it.
  package mutating func add(_ draft: RecordDraft) {
    add(
      time: draft.time, direction: draft.direction, kind: draft.kind,
      connection: draft.connection, bytes: draft.bytes.span.bytes)
    if let event = draft.event { addEvent(event.span.bytes) }
    for contact in draft.contacts { addContact(ContactKey(contact)) }
  }

  /// Takes all records out, and keeps the memory.
  package mutating func removeAll() {
    places.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    events.removeAll(keepingCapacity: true)
    contacts.removeAll(keepingCapacity: true)
  }

  /// A record, counted from 0.
  package subscript(index: Int) -> ArenaRecord {
    @inline(__always)
    @_lifetime(borrow self)
    get { ArenaRecord(at: index, of: self) }
  }

  /// The bytes of a record, counted from 0.
  @_lifetime(borrow self)
  func bytes(at index: Int) -> RawSpan {
    bytes.span.bytes[(index > 0 ? places[index - 1].endOfBytes : 0)..<places[index].endOfBytes]
  }
}

/// A record of an arena, in place.
package struct ArenaRecord: ~Escapable {
  /// As those of a `RecordDraft`.
  package let time: Int64?
  package let direction: RecordDirection
  package let kind: RecordKind
  package let connection: UInt32
  package let bytes: RawSpan
  /// The event; nil where the record means nothing.
  package let event: RawSpan?
  let contacts: Span<ContactKey>

  @inline(__always)
  @_lifetime(borrow arena)
  fileprivate init(at index: Int, of arena: borrowing RecordArena) {
    let place = arena.places[index]
    let before = index > 0 ? arena.places[index - 1] : nil
    (time, direction, kind) = (place.time, place.direction, place.kind)
    connection = place.connection
    bytes = arena.bytes(at: index)
    event =
      place.hasEvent
      ? arena.events.span.bytes[(before?.endOfEvent ?? 0)..<place.endOfEvent] : nil
    contacts = arena.contacts.span.extracting(
      (before?.endOfContacts ?? 0)..<place.endOfContacts)
  }
}
