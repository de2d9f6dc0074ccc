import CaptureGenerator
import Captures
import EventStore
import Foundation
import RosterCore
import XMPPStanza
import Rollcall

// Works that write or read a log.
extension Work {
  static let capture = Work(
    "capture to events", per: "stanza", floor: .parse, goal: .ratio(0.8)
  ) { subject in
    let stanzas = subject.capture.ends.count
    return Trial(units: stanzas) {
      var tally = MeaningTally()
      try subject.readCapture { head, node in
        tally.take(node, head.direction)
        return true
      } _: { record in
        guard case .element(let direction, let node, bytes: _) = record.content else { return }
        tally.take(node, direction)
      }
      let (elements, events) = (tally.elements, tally.events)
      return {
        try expect(elements == stanzas, "\(elements) stanzas were read")
        try expect(events > 0, "nothing meant anything")
      }
    }
  }

  static let importing = Work(
    "import, durable", per: "stanza", floor: .parse, goal: .ratio(2.1), importTrial)

  static let importingBesideC = Work(
    "import, beside one in C", per: "stanza", floor: .importing, goal: .ratio(1.1), importTrial)

  @Sendable private static func importTrial(_ subject: Case) throws -> Trial {
    _ = try subject.captureFile()
    return Trial(units: subject.capture.ends.count) {
      let path = subject.newPath()
      try subject.importCapture(to: path, version: RecordReader.version)
      return {
        try checkHead(path, subject)
        remove(path)
      }
    }
  }

  static let append = Work(
    "append, durable", per: "record", floor: .put, goal: .ratio(1)
  ) { subject in
    appending(try subject.drafts(), subject)
  }

  static let appendRecords = Work(
    "append, records alone", per: "record", floor: .putRecords
  ) { subject in
    let bare = try subject.drafts().map { draft in
      RecordDraft(
        time: draft.time, direction: draft.direction, kind: draft.kind, bytes: draft.bytes)
    }
    return appending(bare, subject)
  }

  /// Appends records in batches of an import's size.
  private static func appending(_ drafts: [RecordDraft], _ subject: Case) -> Trial {
    Trial(units: drafts.count) {
      let path = subject.newPath()
      // Not a draft, so that each commit waits for the disk, as those of the floor do.
      let log = try EventLog.create(
        at: path, eventVersion: RecordReader.version, mapSize: mapSize)
      var start = 0
      while start < drafts.count {
        let end = min(start + CaptureImport.batch, drafts.count)
        try log.append(drafts[start..<end])
        start = end
      }
      return {
        let last = try log.read { try $0.lastSequence }
        try expect(last == UInt64(drafts.count), "\(last) records were appended")
        remove(path)
      }
    }
  }

  static let scan = Work("read all records", per: "record", floor: .scan) { subject in
    let path = try subject.log()
    let records = subject.capture.records
    return Trial(units: records) {
      var bytes = 0
      try opened(path).forEachRecord(in: 1...UInt64.max) { bytes += $1.byteCount }
      return {
        let all = try subject.drafts().reduce(0) { $0 + $1.bytes.count }
        try expect(bytes == all, "\(bytes) bytes were read")
      }
    }
  }

  static let verify = Work("verify the chain of digests", per: "record") { subject in
    let path = try subject.log()
    return Trial(units: subject.capture.records) {
      var records = 0
      try opened(path).read { transaction in
        var check = RecordCheck()
        try check.look(in: transaction) { record, _ in
          try expect(record.damage == nil, "record \(record.sequence) is damaged")
          records += 1
        }
      }
      return { try expect(records == subject.capture.records, "\(records) records were verified") }
    }
  }

  static let export = Work("export as a capture", per: "record", floor: .scan) { subject in
    let path = try subject.log()
    return Trial(units: subject.capture.records) {
      var bytes = 0
      let difference = try LogExport(opened(path)).writeNative { bytes += $0.count }
      return {
        try expect(difference == .none, "the export has another header")
        let all = subject.capture.file.count
        try expect(bytes == all, "\(bytes) bytes were exported, not \(all)")
      }
    }
  }
}

func opened(_ path: String) throws -> EventLog {
  try EventLog.open(
    at: path, access: .readOnly, eventVersion: RecordReader.version, mapSize: mapSize)
}

/// Throws if the state at a log's head differs from the model.
func checkHead(_ path: String, _ subject: Case) throws {
  let state = try Timeline(opened(path)).state(at: .head(minus: 0))
  try subject.capture.final.check(state.roster)
}

/// Encodes the events of elements, and counts both.
private struct MeaningTally {
  private(set) var elements = 0
  private(set) var events = 0
  private var encoder = EventEncoder()

  mutating func take(_ node: XMPPElement, _ direction: Direction) {
    elements += 1
    encoder.encode(node, direction)
    if encoder.storedEvent != nil { events += 1 }
  }
}
