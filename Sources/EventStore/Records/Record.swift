/// The direction of a record's element, from the view of the account's own client.
package enum RecordDirection: UInt8, Hashable, Sendable, CaseIterable {
  /// From the server.
  case inbound = 1
  /// To the server.
  case outbound = 2
  /// Neither, as for the life cycle of the stream and for annotations.
  case none = 0
}

/// The kind of a record's content, numbered by the caller; the log does not interpret it.
package struct RecordKind: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }
}

extension RecordKind {
  /// A recorder's statement of what it keeps: the only kind that the log itself knows, because a
  /// program that does not know it would take such a log for the whole stream.
  package static let policy = RecordKind(rawValue: 7)
}

/// A record before it is appended to a log.
package struct RecordDraft: Hashable, Sendable {
  /// Milliseconds since 1970 (UTC) by the source's clock; nil if the source gives no time.
  package var time: Int64?
  package var direction: RecordDirection
  package var kind: RecordKind
  /// The account's connection that it belongs to, from 1.
  package var connection: UInt32
  /// The element's bytes: the truth, from which everything else is derived.
  package var bytes: [UInt8]
  /// The largest number of bytes that a record may have.
  package static var byteLimit: Int { LogFormat.payloadLimit }
  /// The encoded event; nil if the record is not an event.
  package var event: [UInt8]?
  /// The contacts that the record concerns, as prepared bare addresses.
  package var contacts: [String]

  package init(
    time: Int64?, direction: RecordDirection, kind: RecordKind, connection: UInt32 = 1,
    bytes: [UInt8], event: [UInt8]? = nil, contacts: [String] = []
  ) {
    self.time = time
    self.direction = direction
    self.kind = kind
    self.connection = connection
    self.bytes = bytes
    self.event = event
    self.contacts = contacts
  }
}

/// A record without its bytes.
package struct RecordHeader: Hashable, Sendable {
  /// The record's number, counted from 1 without gaps.
  package let sequence: UInt64
  package let direction: RecordDirection
  package let kind: RecordKind
  /// The account's connection that it belongs to, from 1.
  package let connection: UInt32
  /// Whether the source gave a time for this record itself.
  package let timeIsKnown: Bool
  /// The newest time known up to this record; nil before the first known one. It never runs
  /// backwards from one record to the next.
  package let clock: Int64?
  /// The time by the source's clock, if that ran backwards so that it differs from `time`.
  package let sourceTime: Int64?
  /// Milliseconds since 1970 (UTC), never running backwards; nil if the source gave no time.
  package var time: Int64? { timeIsKnown ? clock : nil }
  /// The time by the source's clock, even if that ran backwards; nil if the source gave no time.
  package var ownTime: Int64? { sourceTime ?? time }

  /// Whether the source's clock had run back, so that `time` is an earlier record's and does not
  /// say how long anything took.
  package var isHeld: Bool {
    guard let time, let sourceTime else { return false }
    return Self.isHeld(at: time, insteadOf: sourceTime)
  }

  /// Whether a record whose source gives a time has that of an earlier record instead. Threads that
  /// log at the same moment are not in order, so a tenth of a second is not enough.
  package static func isHeld(at time: Int64, insteadOf sourceTime: Int64) -> Bool {
    let (distance, overflows) = time.subtractingReportingOverflow(sourceTime)
    return overflows || distance > 100
  }
}

extension RecordHeader {
  /// Creates the header of a record that is appended after a given clock.
  init(_ record: borrowing ArenaRecord, sequence: UInt64, after clock: Int64?) {
    self.sequence = sequence
    direction = record.direction
    kind = record.kind
    connection = record.connection
    timeIsKnown = record.time != nil
    guard let time = record.time else {
      self.clock = clock
      sourceTime = nil
      return
    }
    let latest = max(time, clock ?? time)
    self.clock = latest
    sourceTime = latest == time ? nil : time
  }
}

/// A record with a copy of its bytes.
package struct StoredRecord: Hashable, Sendable {
  package let header: RecordHeader
  package let bytes: [UInt8]
  /// The pack that it is stored in.
  package let pack: PackSummary
}

/// A group of records that are stored together, and the digest that vouches for them.
package struct PackSummary: Hashable, Sendable {
  /// The numbers of the records.
  package let sequences: ClosedRange<UInt64>
  /// The digest of these records and, through the chain, of all records before them.
  package let digest: LogDigest

  init(_ pack: RecordPack) {
    (sequences, digest) = (pack.sequences, pack.digest)
  }
}

/// The record's fields that are stored with its event, so that a replay need not read the record.
package struct EventHeader: Hashable, Sendable {
  package let sequence: UInt64
  package let direction: RecordDirection
  package let kind: RecordKind
  /// The record's `connection`.
  package let connection: UInt32
  /// The record's `time`.
  package let time: Int64?
  /// The record's `isHeld`.
  package let isHeld: Bool
}

/// The parts derived from one record.
package struct DerivedParts: Hashable, Sendable {
  /// The encoded event; nil if the record is not an event.
  package var event: [UInt8]?
  /// The contacts that the record concerns.
  package var contacts: [String]

  package init(event: [UInt8]?, contacts: [String]) {
    self.event = event
    self.contacts = contacts
  }
}
