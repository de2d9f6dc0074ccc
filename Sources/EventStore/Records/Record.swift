/// Which way a record's element went, seen from the account's own client.
package enum RecordDirection: UInt8, Hashable, Sendable, CaseIterable {
  /// From the server.
  case inbound = 1
  /// To the server.
  case outbound = 2
  /// Neither: the stream's life, annotations.
  case none = 0
}

/// What a record holds. The log does not look into it: the numbers are the caller's.
package struct RecordKind: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }
}

/// A record as it is handed in, before it has a place in the log.
package struct RecordDraft: Hashable, Sendable {
  /// Milliseconds since 1970 (UTC) by the source's clock; nil where the source does not say.
  package var time: Int64?
  package var direction: RecordDirection
  package var kind: RecordKind
  /// Which connection of the account it belongs to, from 1.
  package var connection: UInt32
  /// The element's bytes: the truth, of which everything else is made.
  package var bytes: [UInt8]
  /// How many they may be.
  package static var byteLimit: Int { LogFormat.payloadLimit }
  /// What the bytes mean, encoded; nil where they mean nothing.
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

/// What is known of a record beside its bytes.
package struct RecordHeader: Hashable, Sendable {
  /// The record's place, from 1, without gaps.
  package let sequence: UInt64
  package let direction: RecordDirection
  package let kind: RecordKind
  /// Which connection of the account it belongs to, from 1.
  package let connection: UInt32
  /// Whether the source gave a time for this very record.
  package let timeIsKnown: Bool
  /// The newest time known up to this record; nil before the first known one. It never runs
  /// backwards from one record to the next.
  package let clock: Int64?
  /// What the source's clock said, only where that differs from `time` because it ran backwards.
  package let sourceTime: Int64?
  /// Milliseconds since 1970 (UTC), never running backwards; nil where the source gave none.
  package var time: Int64? { timeIsKnown ? clock : nil }
  /// What the source's clock said, whatever the records before it; nil where it said nothing.
  package var ownTime: Int64? { sourceTime ?? time }
}

extension RecordHeader {
  /// The header that a record gets after another one.
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

/// Records that are stored together, and what vouches for them.
package struct PackSummary: Hashable, Sendable {
  /// The numbers of the records.
  package let sequences: ClosedRange<UInt64>
  /// The digest of these records and, through the chain, of all before them.
  package let digest: LogDigest

  init(_ pack: RecordPack) {
    (sequences, digest) = (pack.sequences, pack.digest)
  }
}

/// What a stored event says of its record, so that a replay need not look the record up.
package struct EventHeader: Hashable, Sendable {
  package let sequence: UInt64
  package let direction: RecordDirection
  package let kind: RecordKind
  /// As the record's `connection`.
  package let connection: UInt32
  /// As the record's `time`.
  package let time: Int64?
}

/// What is derived from one record.
package struct DerivedParts: Hashable, Sendable {
  /// The encoded event; nil where the record means nothing.
  package var event: [UInt8]?
  /// The contacts that the record concerns.
  package var contacts: [String]

  package init(event: [UInt8]?, contacts: [String]) {
    self.event = event
    self.contacts = contacts
  }
}
