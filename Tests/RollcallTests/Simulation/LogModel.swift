import EventStore
import Rollcall
import RosterCore
import TestSupport

/// The expected contents of a log: a list of records, and their states.
struct LogModel {
  /// A record that was acknowledged.
  struct Record: Hashable {
    let bytes: [UInt8]
    let direction: RecordDirection
    let kind: RecordKind
    let ownTime: Int64?
  }

  private(set) var records: [Record] = []
  /// The numbers of connections, as the log assigned them.
  private(set) var connections: [UInt32] = []
  /// The state before all records and after each.
  private(set) var states = [Roster()]
  /// The newest time so far; the log's clock never runs backwards.
  private var clock: Int64?
  /// The number of lines that were imported from each capture.
  var imported: [String: Int] = [:]
  private let reader = RecordReader()

  /// The number of the last record.
  var last: UInt64 { UInt64(records.count) }

  /// Adds a record that was acknowledged.
  mutating func append(_ record: Record, on connection: UInt32) {
    records.append(record)
    connections.append(connection)
    var stamp = RecordStamp(record: last)
    if let time = record.ownTime {
      clock = max(time, clock ?? time)
      stamp.time = clock
      stamp.isHeld = clock.map { $0 - time > 100 } ?? false
    }
    var roster = states[states.count - 1]
    if let event = reader.decode(record.kind, record.direction, record.bytes).event {
      _ = RosterReducer.reduce(
        &roster, event, at: stamp, on: ConnectionID(number: connection))
    }
    roster.move(to: last)
    states.append(roster)
  }

  /// The records that name a contact.
  func records(concerning contact: String) -> Set<UInt64> {
    var found: Set<UInt64> = []
    for (place, record) in records.enumerated() {
      let contacts = reader.decode(record.kind, record.direction, record.bytes).contacts
      if contacts.contains(contact) { found.insert(UInt64(place + 1)) }
    }
    return found
  }
}

extension LogModel.Record {
  init(_ draft: RecordDraft) {
    self.init(
      bytes: draft.bytes, direction: draft.direction, kind: draft.kind, ownTime: draft.time)
  }

  init(_ header: RecordHeader, _ bytes: RawSpan) {
    self.init(
      bytes: bytes.withUnsafeBytes { Array($0) }, direction: header.direction,
      kind: header.kind, ownTime: header.ownTime)
  }
}

extension EventLog {
  /// Everything that a transaction sees.
  static func records(
    _ transaction: borrowing ReadTransaction
  ) throws -> [(record: LogModel.Record, connection: UInt32)] {
    var records: [(LogModel.Record, UInt32)] = []
    try transaction.forEachRecord(in: 1...UInt64.max) { header, bytes in
      records.append((LogModel.Record(header, bytes), header.connection))
    }
    return records
  }
}
