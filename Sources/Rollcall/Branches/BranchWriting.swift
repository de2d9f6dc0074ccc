package import EventStore
import RosterCore

extension Branch {
  /// Appends the branch's records to an empty log, numbered there from 1 and with a chain of
  /// their own. The policy is no part of it: it is how records are read.
  ///
  /// Memory is bounded whatever the log's length.
  package func write(to log: EventLog) throws {
    try timeline.log.read { transaction in
      var pending: [RecordDraft] = []
      let reader = RecordReader()
      func add(_ header: RecordHeader, _ bytes: [UInt8], time: Int64?) throws {
        pending.append(
          RecordDraft(
            time: time, direction: header.direction, kind: header.kind,
            connection: header.connection, bytes: bytes,
            decoded: reader.decode(header.kind, header.direction, bytes)))
        guard pending.count >= CaptureImport.batch else { return }
        try log.append(pending)
        pending.removeAll(keepingCapacity: true)
      }
      func insert(after record: UInt64, time: Int64?) throws {
        for insert in edits.inserts where insert.after == record {
          try insert.records.read { source in
            try source.forEachRecord(in: 1...UInt64.max) { header, bytes in
              guard !header.kind.isCaptureHeader(bytes) else { return }
              try add(header, bytes.withUnsafeBytes { Array($0) }, time: time)
            }
          }
        }
      }
      try insert(after: 0, time: try transaction.header(at: 1)?.time)
      if head > 0 {
        try transaction.forEachRecord(in: 1...head) { header, bytes in
          let time = header.ownTime
          let number = header.sequence
          if let partner = edits.partner(of: number) {
            if let other = try transaction.record(at: partner) {
              try add(other.header, other.bytes, time: time)
            }
          } else if !edits.drops(number) {
            try add(header, bytes.withUnsafeBytes { Array($0) }, time: time)
          }
          try insert(after: number, time: time)
        }
      }
      let meta = try transaction.meta
      try log.append(
        pending, marks: LogMarks(account: meta.account, connections: meta.connections))
    }
    log.keepSnapshots()
  }
}
