import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing

/// What verifying says of a log in which one thing is not what it was, on sound pages.
@Suite("Verifying a log") struct VerificationTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.rollcall")
    #expect(try ProbeProcess.run(["small-log", path]).status == 0)
  }

  private struct Outcome {
    var faults: [LogDamage] = []
    var notes: [String] = []
    var figures: LogFigures?
    var parts: [LogPart] = []
  }

  private func verify(rebuilding: Bool = false) throws -> Outcome {
    var outcome = Outcome()
    try LogVerification.run(path, rebuilding: rebuilding) { step in
      switch step {
      case .began(let part): outcome.parts.append(part)
      case .found(let fault): outcome.faults.append(fault)
      case .note(let note): outcome.notes.append(note)
      case .done(let figures): outcome.figures = figures
      case .reached: break
      }
    }
    return outcome
  }

  private static func key(_ number: UInt8) -> [UInt8] { [0, 0, 0, 0, 0, 0, 0, number] }

  private func change(_ database: String, _ key: [UInt8], at offset: Int) throws {
    var value = try Tampering(path).value(database, key)
    value[offset] ^= 0x20
    Tampering(path).put(database, key, value)
  }

  @Test("A sound log has its figures and nothing wrong")
  func soundLog() throws {
    let outcome = try verify()
    #expect(outcome.faults.isEmpty && outcome.notes.isEmpty)
    #expect(outcome.parts == [.pages, .meta, .snapshots, .records])
    let figures = try #require(outcome.figures)
    #expect(figures.records == 10)
    #expect(figures.account == "alice@example.test")
    // bob, carol, dave and the one with the long name.
    #expect(figures.contacts == 4)
    #expect(figures.snapshots == 2)
    let log = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
    let digest = try log.read { try $0.header(at: 10)?.digest }
    #expect(figures.digest == digest?.description)
  }

  /// Its direction, kind, unused byte, time, source time, digest and bytes.
  @Test("A record is named whatever of it changed", arguments: [0, 1, 3, 11, 19, 30, 60])
  func changedRecord(offset: Int) throws {
    try change("records", Self.key(5), at: offset)
    let faults = try verify().faults
    #expect(faults.first?.part == .records)
    #expect(faults.first?.record == 5)
    // Only where its own digest has changed does the next one not follow either.
    #expect(faults.count == (offset == 30 ? 2 : 1), "\(faults)")
  }

  @Test("A missing record is named")
  func missingRecord() throws {
    Tampering(path).delete("records", Self.key(5))
    let faults = try verify().faults
    #expect(faults == [LogDamage(part: .records, record: 5, what: "it is missing")])
  }

  /// No program of ours writes that.
  @Test("A clock that runs backwards is found where the chain is right")
  func backwardTime() throws {
    let other = folder.file("other.rollcall")
    var last: LogDigest = RecordChain.start
    do {
      let log = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
      last = try #require(try log.read { try $0.header(at: 10)?.digest })
      let early = try EventLog.create(at: other, eventVersion: 1)
      try early.append([draft("early", time: 5)])
    }
    var stored = try Tampering(other).value("records", Self.key(1))
    let early = try EventLog.open(at: other, access: .readOnly, eventVersion: 1)
    let header = try #require(try early.read { try $0.header(at: 1) })
    let digest = RecordChain.digest(
      after: last, header: header, bytes: Array("early".utf8).span.bytes)
    stored.replaceSubrange(20..<52, with: digest.bytes)
    Tampering(path).put("records", Self.key(11), stored)
    let faults = try verify().faults
    #expect(faults.first == LogDamage(part: .records, record: 11, what: "its time runs backwards"))
  }

  @Test("A changed event is named by its record", arguments: [0, 1, 2, 10, 11])
  func changedEvent(offset: Int) throws {
    try change("events", Self.key(4), at: offset)
    #expect(
      try verify().faults == [
        LogDamage(
          part: .events, record: 4, what: "its stored event is not what its bytes mean")
      ])
  }

  @Test("An event that is missing and one too many are named")
  func missingEvent() throws {
    Tampering(path).delete("events", Self.key(4))
    Tampering(path).put("events", Self.key(10), Array(repeating: 1, count: 20))
    let faults = try verify().faults
    #expect(faults.map(\.record) == [4, 10])
    #expect(faults.map(\.part) == [.events, .events])
  }

  @Test("An index that lacks a record or has another is told")
  func changedIndex() throws {
    // Contact 1 is the first one named: segment 0, contact 1, offset of record 4.
    Tampering(path).delete("index", [0, 0, 0, 0, 0, 0, 0, 1, 0, 3])
    #expect(try verify().faults.map(\.record) == [4])
    Tampering(path).put("index", [0, 0, 0, 0, 0, 0, 0, 1, 0, 3], [])
    #expect(try verify().faults.isEmpty)
    Tampering(path).put("index", [0, 0, 0, 0, 0, 0, 0, 1, 0, 2], [])
    #expect(
      try verify().faults.map(\.what) == [
        "there are 9 entries of the contact index, not 8"
      ])
  }

  @Test("A contact with the id of another one is found")
  func contactID() throws {
    let key = [0] + Array("carol@example.test".utf8)
    Tampering(path).put("contacts", key, [0, 0, 0, 1])
    let faults = try verify().faults
    #expect(!faults.isEmpty)
    #expect(faults.allSatisfy { $0.part == .events || $0.part == .index })
  }

  @Test("A snapshot of another state is found by a replay")
  func otherSnapshot() throws {
    do {
      let log = try EventLog.open(
        at: path, access: .readWrite, eventVersion: DecodedRecord.version)
      let state = try Timeline(log).state(at: .record(8)).roster
      try log.store([
        SnapshotDraft(sequence: 6, version: .current, state: state.canonicalBytes)
      ])
    }
    #expect(
      try verify().faults == [
        LogDamage(
          part: .snapshots, record: 6, what: "its snapshot is not what a replay gives")
      ])
    try change("snapshots", Self.key(9), at: 90)
    #expect(Set(try verify().faults.map(\.record)) == [6, 9])
  }

  @Test(
    "A changed entry of what the log says about itself is found",
    arguments: ["account", "events", "import\u{0}\u{0}\u{0}\u{0}", "seal account"])
  func changedMeta(name: String) throws {
    try change("meta", Array(name.utf8), at: 3)
    #expect(try verify().faults.contains { $0.part == .meta })
  }

  @Test("Entries of what the log says about itself that are gone or unknown are found")
  func missingMeta() throws {
    for key in ["account", "seal events", "import\u{0}\u{0}\u{0}\u{0}"] {
      let value = try Tampering(path).value("meta", Array(key.utf8))
      Tampering(path).delete("meta", Array(key.utf8))
      #expect(try verify().faults.map(\.part) == [.meta], "without \(key)")
      Tampering(path).put("meta", Array(key.utf8), value)
    }
    Tampering(path).put("meta", Array("acc0unt".utf8), [1])
    #expect(try verify().faults.map(\.part) == [.meta])
  }

  @Test("A log of a program that knew no checksums and no snapshots is sound")
  func earlierProgram() throws {
    Tampering(path).drop("snapshots")
    for key in ["format", "account", "events", "import\u{0}\u{0}\u{0}\u{0}"] {
      Tampering(path).delete("meta", Array("seal \(key)".utf8))
    }
    let outcome = try verify()
    #expect(outcome.faults.isEmpty)
    #expect(outcome.figures?.snapshots == 0)
  }

  /// They are not wrong, but they cannot be said to be right either.
  @Test("Derived parts of another version are noted, and are right once they are made anew")
  func otherVersion() throws {
    do {
      let log = try EventLog.open(at: path, access: .readWrite, eventVersion: 900)
      try log.rebuildDerived { _, _ in DerivedParts(event: [9], contacts: []) }
      try log.store([
        SnapshotDraft(
          sequence: 3, version: SnapshotVersion(events: 900, reducer: 1, codec: 1), state: [1])
      ])
    }
    let outcome = try verify()
    #expect(outcome.faults.isEmpty)
    #expect(outcome.notes.count == 2)
    let rebuilt = try verify(rebuilding: true)
    #expect(rebuilt.faults.isEmpty && rebuilt.notes.isEmpty)
    #expect(rebuilt.figures?.contacts == 4)
  }

  @Test("Rebuilding makes damaged derived parts right")
  func rebuilding() throws {
    let before = try #require(verify().figures)
    try change("events", Self.key(4), at: 11)
    Tampering(path).put("index", [0, 0, 0, 0, 0, 0, 0, 1, 0, 2], [])
    try change("snapshots", Self.key(9), at: 90)
    #expect(try verify().faults.count >= 3)
    let after = try verify(rebuilding: true)
    #expect(after.faults.isEmpty)
    #expect(after.figures?.digest == before.digest)
    #expect(after.figures?.events == before.events)
    #expect(try verify().faults.isEmpty)
  }

  @Test("Damaged pages are not shown to LMDB")
  func damagedPages() throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    // Every leaf page says that it is a branch.
    for page in 2..<bytes.count / 4096 where bytes[page * 4096 + 10] == 2 {
      bytes[page * 4096 + 10] = 1
    }
    try bytes.write(to: URL(fileURLWithPath: path))
    let outcome = try verify()
    #expect(outcome.parts == [.pages])
    #expect(!outcome.faults.isEmpty)
    #expect(outcome.faults.allSatisfy { $0.part == .pages })
  }

  // MARK: Recovering

  @Test("A recovered log is sound, and the damaged one is left as it is")
  func recovered() throws {
    try change("records", Self.key(5), at: 60)
    let target = folder.file("new.rollcall")
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    do {
      let log = try EventLog.create(at: target, eventVersion: DecodedRecord.version)
      let summary = try LogRecovery.run(path, into: log)
      #expect(summary.account == "alice@example.test")
      #expect(summary.salvage.whole >= 4)
      // An older copy of the changed page may still hold the record as it was.
      let lost = summary.salvage.lost
      #expect(lost == [5...5] || lost.isEmpty)
      #expect(try log.last == summary.salvage.kept)
      #expect(try log.meta.imports.map(\.name) == ["phone.log"])
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    var faults: [LogDamage] = []
    try LogVerification.run(target) { step in
      if case .found(let fault) = step { faults.append(fault) }
    }
    #expect(faults.isEmpty)
  }
}
