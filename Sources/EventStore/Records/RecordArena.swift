import RawBytes

/// A batch of records with their derived parts, on the way into a log.
///
/// All bytes are in one buffer and all events in another, so that a batch is built, passed to
/// another thread and freed without an allocation per record. The events are separate because the
/// code that reduces or stores them reads nothing else: interleaved with the records' bytes, each
/// would be a cache miss.
package struct RecordArena: Sendable {
  /// A record's fields, and the ends of its variable-length parts in the arena.
  fileprivate struct Entry {
    var time: Int64?
    var direction: RecordDirection
    var kind: RecordKind
    var connection: UInt32
    /// Whether the record has an event.
    var hasEvent = false
    var endOfBytes: Int
    var endOfEvent: Int
    var endOfContacts: Int
  }

  fileprivate var entries: [Entry] = []
  fileprivate var bytes: [UInt8] = []
  fileprivate var events: [UInt8] = []
  /// The index keys of the records' contacts.
  fileprivate var contacts: [ContactKey] = []

  /// An empty arena.
  package init() {}

  /// An arena with these records and their derived parts.
  package init(_ drafts: some Sequence<RecordDraft>) {
    for draft in drafts { add(draft) }
  }

  /// The number of records.
  package var count: Int { entries.count }
  /// The total size of the records and their events in bytes.
  package var byteCount: Int { bytes.count + events.count }

  /// Adds a record without derived parts.
  package mutating func add(
    time: Int64?, direction: RecordDirection, kind: RecordKind, connection: UInt32,
    bytes: RawSpan
  ) {
    self.bytes.append(bytes: bytes)
    entries.append(
      Entry(
        time: time, direction: direction, kind: kind, connection: connection,
        endOfBytes: self.bytes.count, endOfEvent: events.count, endOfContacts: contacts.count))
  }

  /// Sets the event of the last record.
  package mutating func addEvent(_ event: RawSpan) {
    guard !entries.isEmpty else { return }
    events.append(bytes: event)
    entries[entries.count - 1].hasEvent = true
    entries[entries.count - 1].endOfEvent = events.count
  }

  /// Adds a contact, given as a prepared bare address, to the last record.
  package mutating func addContact(_ contact: RawSpan) {
    addContact(ContactKey(contact))
  }

  private mutating func addContact(_ contact: ContactKey) {
    guard !entries.isEmpty else { return }
    contacts.append(contact)
    entries[entries.count - 1].endOfContacts = contacts.count
  }

  /// Adds a record with its derived parts.
  package mutating func add(_ draft: RecordDraft) {
    add(
      time: draft.time, direction: draft.direction, kind: draft.kind,
      connection: draft.connection, bytes: draft.bytes.span.bytes)
    if let event = draft.event { addEvent(event.span.bytes) }
    for contact in draft.contacts { addContact(ContactKey(contact)) }
  }

  /// Removes all records but keeps the capacity.
  package mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    events.removeAll(keepingCapacity: true)
    contacts.removeAll(keepingCapacity: true)
  }

  /// The record at an index, counted from 0.
  package subscript(index: Int) -> ArenaRecord {
    @inline(__always)
    @_lifetime(borrow self)
    get { ArenaRecord(at: index, of: self) }
  }

  /// The bytes of the record at an index, counted from 0.
  @_lifetime(borrow self)
  func bytes(at index: Int) -> RawSpan {
    bytes.span.bytes[(index > 0 ? entries[index - 1].endOfBytes : 0)..<entries[index].endOfBytes]
  }
}

/// A record in an arena, without a copy of its bytes; its fields are those of a `RecordDraft`.
package struct ArenaRecord: ~Escapable {
  package let time: Int64?
  package let direction: RecordDirection
  package let kind: RecordKind
  package let connection: UInt32
  package let bytes: RawSpan
  /// The encoded event; nil if the record is not an event.
  package let event: RawSpan?
  let contacts: Span<ContactKey>

  @inline(__always)
  @_lifetime(borrow arena)
  fileprivate init(at index: Int, of arena: borrowing RecordArena) {
    let entry = arena.entries[index]
    let before = index > 0 ? arena.entries[index - 1] : nil
    (time, direction, kind) = (entry.time, entry.direction, entry.kind)
    connection = entry.connection
    bytes = arena.bytes(at: index)
    event =
      entry.hasEvent
      ? arena.events.span.bytes[(before?.endOfEvent ?? 0)..<entry.endOfEvent] : nil
    contacts = arena.contacts.span.extracting(
      (before?.endOfContacts ?? 0)..<entry.endOfContacts)
  }
}
