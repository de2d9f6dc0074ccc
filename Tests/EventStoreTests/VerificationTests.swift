import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing

/// Verifying a log with a single change on otherwise sound pages.
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

  private func verify(
    rebuilding: Bool = false, meanwhile: (LogPart) throws -> Void = { _ in }
  ) throws -> Outcome {
    var outcome = Outcome()
    try LogVerification.run(path, rebuilding: rebuilding) { step in
      if let part = outcome.parts.last { try meanwhile(part) }
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

  @Test("A sound log has figures and no damage")
  func soundLog() throws {
    let outcome = try verify()
    #expect(outcome.faults.isEmpty && outcome.notes.isEmpty)
    #expect(outcome.parts == [.pages, .meta, .snapshots, .records])
    let figures = try #require(outcome.figures)
    #expect(figures.records == 10)
    #expect(figures.account == "alice@example.test")
    // bob, carol, dave and the contact with the long name.
    #expect(figures.contacts == 4)
    #expect(figures.snapshots == 2)
    let log = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
    let digest = try log.read { try $0.record(at: 10)?.pack.digest }
    #expect(figures.digest == digest?.description)
  }

  /// Changes the digest, number and count of a pack, the end of its second record, and the
  /// direction, kind, unused byte, connection, time and bytes of its first record.
  @Test(
    "A changed pack is reported, whichever byte changed",
    arguments: [5, 39, 43, 51, 68, 69, 71, 75, 80, 90, 120])
  func changedPack(offset: Int) throws {
    try change("records", Self.key(1), at: offset)
    let faults = try verify().faults
    #expect(faults.first?.part == .records)
    #expect(faults.first?.record == 1)
    // If its stored digest has changed, the next pack does not follow from it either.
    if offset == 5 { #expect(faults.map(\.record) == [1, 7, 4]) }
    // Snapshots depend on the pack.
    #expect(faults.allSatisfy { $0.part == .records || $0.part == .snapshots })
  }

  @Test("A missing pack is reported")
  func missingPack() throws {
    Tampering(path).delete("records", Self.key(1))
    let faults = try verify().faults
    #expect(
      faults == [
        LogDamage(part: .records, record: 1, what: "it and all up to 6 are missing"),
        LogDamage(
          part: .snapshots, record: 4,
          what: "of its snapshot, its record is not there or cannot be read"),
      ])
  }

  /// The library never writes such a clock.
  @Test("A clock that runs backwards or is missing is found even if the chain is right")
  func backwardTime() throws {
    // Clears the clock of the second pack, or the head of its first record, and fixes the digest.
    for start in [40, 52 + 4 * 4] { try checkClock(zeroAt: start) }
  }

  private func checkClock(zeroAt start: Int) throws {
    let before = try Tampering(path).value("records", Self.key(7))
    defer { Tampering(path).put("records", Self.key(7), before) }
    var stored = before
    stored.replaceSubrange(start..<start + 8, with: [UInt8](repeating: 0, count: 8))
    let first = Array(try Tampering(path).value("records", Self.key(1)).prefix(32))
    let chained = first + stored.dropFirst(32)
    let digest = LogDigest(of: chained.span.bytes)
    stored.replaceSubrange(0..<32, with: digest.bytes)
    Tampering(path).put("records", Self.key(7), stored)
    let faults = try verify().faults
    #expect(
      faults.first == LogDamage(part: .records, record: 7, what: "its time runs backwards"),
      "from byte \(start)")
  }

  /// Changes the checksum, the last covered record and the events.
  @Test(
    "A changed pack of events is reported with its first record",
    arguments: [3, 15, 16, 23, 40, 80])
  func changedEvents(offset: Int) throws {
    try change("events", Self.key(1), at: offset)
    #expect(
      try verify().faults == [
        LogDamage(
          part: .events, record: 1, what: "its pack of stored events is not what was written")
      ])
  }

  /// Writes derived parts as another version of the library would.
  @Test("An event that does not match its record's bytes is reported with the record")
  func otherEvents() throws {
    do {
      let log = try EventLog.open(
        at: path, access: .readWrite, eventVersion: RecordReader.version)
      let reader = RecordReader()
      try log.rebuildDerived { header, bytes in
        var parts = reader.decode(header, bytes)
        switch header.sequence {
        case 4: parts.event = nil
        case 5: parts.event?.append(0)
        case 7: parts.event = [1]
        case 8: parts.contacts = []
        case 10: parts.contacts.append("nobody@example.test")
        default: break
        }
        return parts
      }
    }
    let faults = try verify().faults
    #expect(faults.map(\.record) == [4, 5, 7, 8, nil])
    #expect(
      faults.map(\.what) == [
        "its stored event is missing", "its stored event is not what its bytes mean",
        "its stored event is not what its bytes mean",
        "the index does not list it for \(String(repeating: "n", count: 600))@example.test",
        "the index has record 10 for a contact that it does not concern",
      ])
  }

  @Test("A missing pack of events and a stray one are reported")
  func missingEvents() throws {
    Tampering(path).delete("events", Self.key(7))
    let damage = "its pack of stored events is not what was written"
    #expect(try verify().faults.map(\.record) == [7])
    #expect(try verify().faults.map(\.what) == [damage])
    Tampering(path).put("events", Self.key(20), Array(repeating: 1, count: 60))
    let stray = "a stray pack of stored events is next to its own"
    #expect(try verify().faults.map(\.what) == [stray, damage])
  }

  /// Adds entries before the first block, within the records that it covers, and after the last.
  @Test("Stray entries next to the events and the index are reported", arguments: [0, 2, 11])
  func strays(key: UInt8) throws {
    for database in ["events", "index"] {
      Tampering(path).put(database, Self.key(key), Array(repeating: 1, count: 60))
    }
    let faults = try verify().faults
    #expect(faults.count >= 2)
    #expect(faults.contains { $0.what == "a stray pack of stored events is next to its own" })
    #expect(faults.contains { $0.what == "a stray block of the index is next to its own" })
  }

  @Test("Derived parts in an empty log are reported", arguments: ["events", "index"])
  func derivedFromNothing(database: String) throws {
    let empty = folder.file("empty.rollcall")
    _ = try EventLog.create(at: empty, eventVersion: RecordReader.version)
    Tampering(empty).put(database, Self.key(1), Array(repeating: 1, count: 60))
    var faults: [LogDamage] = []
    try LogVerification.run(empty) { if case .found(let fault) = $0 { faults.append(fault) } }
    #expect(faults.map(\.what) == ["something is derived from records that do not exist"])
  }

  @Test("An empty log may get its first records while it is verified")
  func firstRecords() throws {
    let empty = folder.file("empty.rollcall")
    let log = try EventLog.create(at: empty, eventVersion: RecordReader.version)
    var faults: [LogDamage] = []
    try LogVerification.run(empty) { step in
      switch step {
      case .found(let fault): faults.append(fault)
      case .reached: try log.append([Bookmark(name: "first", back: 1).draft])
      case .began, .note, .done: break
      }
    }
    #expect(faults.isEmpty)
    #expect(try log.read { try $0.lastSequence } == 1)
  }

  @Test("A changed or missing block of the index is reported")
  func changedIndex() throws {
    let value = try Tampering(path).value("index", Self.key(1))
    try change("index", Self.key(1), at: 50)
    #expect(try verify().faults.map(\.what) == ["its block of the index is not what was written"])
    Tampering(path).delete("index", Self.key(1))
    #expect(try verify().faults.map(\.what) == ["its block of the index is not what was written"])
    Tampering(path).put("index", Self.key(1), value)
    #expect(try verify().faults.isEmpty)
  }

  /// Appends several pieces of records; a verification reads each in its own transaction.
  private func grow(_ log: EventLog) throws {
    let reader = RecordReader()
    let text = String(repeating: "n", count: 300)
    for number in 0..<1000 {
      let presence = Array(
        "<presence xmlns='jabber:client' from='n\(number)@a.test/a'><status>\(text)</status></presence>"
          .utf8)
      try log.append([
        RecordDraft(
          time: nil, direction: .inbound, kind: .element, bytes: presence,
          decoded: reader.decode(.element, .inbound, presence))
      ])
    }
    log.keepSnapshots()
  }

  enum Meanwhile: CaseIterable {
    case append, rebuild, dropSnapshots
  }

  @Test(
    "Changes to a log during its verification are not reported as damage",
    arguments: Meanwhile.allCases)
  func meanwhile(_ action: Meanwhile) throws {
    let log = try EventLog.open(
      at: path, access: .readWrite, eventVersion: RecordReader.version)
    try grow(log)
    var actions = 0
    let outcome = try verify { part in
      guard part == .records || part == .snapshots else { return }
      actions += 1
      // These would be refused if the verification had a transaction open.
      switch action {
      case .append:
        let bookmark = Bookmark(name: "b\(actions)", back: 1).draft
        try log.append([bookmark, bookmark, bookmark])
      case .rebuild: try log.rebuild()
      case .dropSnapshots: try log.dropSnapshots()
      }
    }
    #expect(outcome.faults.isEmpty)
    #expect(outcome.figures?.records == 1010)
    #expect(actions > 3)
    #expect(try verify().faults.isEmpty)
  }

  @Test("A snapshot with a wrong state is found by a replay")
  func otherSnapshot() throws {
    do {
      let log = try EventLog.open(
        at: path, access: .readWrite, eventVersion: RecordReader.version)
      let state = try Timeline(log).state(at: .record(8)).roster
      try log.store([
        SnapshotDraft(sequence: 6, version: .current, state: state.snapshot)
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
    "A changed entry of the log's own is found",
    arguments: ["account", "events", "import\u{0}\u{0}\u{0}\u{0}", "seal account"])
  func changedMeta(name: String) throws {
    try change("meta", Array(name.utf8), at: 3)
    #expect(try verify().faults.contains { $0.part == .meta })
  }

  @Test("Missing and unknown entries of the log's own are found")
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

  /// Such parts are not wrong, but cannot be verified either.
  @Test("Derived parts of another version are noted, and are right after a rebuild")
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

  @Test("Rebuilding repairs damaged derived parts")
  func rebuilding() throws {
    let before = try #require(verify().figures)
    try change("events", Self.key(1), at: 60)
    try change("index", Self.key(1), at: 50)
    try change("snapshots", Self.key(9), at: 90)
    #expect(try verify().faults.count >= 3)
    let after = try verify(rebuilding: true)
    #expect(after.faults.isEmpty)
    #expect(after.figures?.digest == before.digest)
    #expect(after.figures?.events == before.events)
    #expect(try verify().faults.isEmpty)
  }

  @Test("LMDB never reads damaged pages")
  func damagedPages() throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    // Mark every leaf page as a branch page.
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

  @Test("A recovered log is sound, and the damaged one is unchanged")
  func recovered() throws {
    // Damage the tag of a pack's first record, so that the record can no longer be read.
    let value = try Tampering(path).value("records", Self.key(7))
    let text = Array("<message".utf8)
    let offset = try #require(
      value.indices.first { value[$0...].starts(with: text) })
    try change("records", Self.key(7), at: offset)
    let target = folder.file("new.rollcall")
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    do {
      let log = try EventLog.create(at: target, eventVersion: RecordReader.version)
      let summary = try LogRecovery.run(path, into: log)
      #expect(summary.account == "alice@example.test")
      #expect(summary.salvage.whole >= 6)
      // An old copy of the changed page may still have the original pack.
      let lost = summary.salvage.lost
      #expect(lost == [7...7] || lost.isEmpty)
      #expect(summary.salvage.unproven == (lost.isEmpty ? [] : [8, 9, 10]))
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
