import EventStore
import Foundation
import RawBytes
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@testable import Rollcall

/// Snapshots of a roster large enough for increments between whole ones.
@Suite("Chains of snapshots") struct SnapshotChainTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let contacts = (0..<8000).map { "contact\($0)@example.test" }

  /// A capture of a large roster, whose contacts are added, removed and renamed in several
  /// sessions.
  private func capture(seed: UInt64) throws -> String {
    var random = SeededGenerator(seed: seed)
    var text = #"{"rollcall-capture":1,"account":"alice@example.test/phone"}"# + "\n"
    func add(_ direction: String, _ xml: String) {
      text += #"{"dir":"\#(direction)","xml":"\#(xml)"}"# + "\n"
    }
    for session in 0..<3 {
      text += #"{"stream":"opened","jid":"alice@example.test/phone"}"# + "\n"
      add("out", "<iq type='get' id='r\(session)'><query xmlns='jabber:iq:roster'/></iq>")
      let items = Self.contacts.map {
        "<item jid='\($0)' name='\($0)' subscription='to'/>"
      }
      add(
        "in",
        "<iq type='result' id='r\(session)'><query xmlns='jabber:iq:roster'>\(items.joined())</query></iq>"
      )
      for line in 0..<2000 {
        let contact = Self.contacts.randomElement(using: &random) ?? ""
        if line.isMultiple(of: 500) {
          // New contacts that come before all others in the order of addresses.
          add("in", "<presence from='a\(session)-\(line)@example.test' type='subscribe'/>")
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
          add(
            "in",
            "<iq type='set' id='p\(line)'><query xmlns='jabber:iq:roster'>"
              + "<item jid='\(contact)' name='N\(line)' subscription='to'/></query></iq>")
        case 1: add("in", "<presence from='\(contact)' type='subscribe'/>")
        case 2: add("in", "<presence from='\(contact)/desk' type='unavailable'/>")
        case 3: add("in", "<presence from='\(contact)/phone'/>")
        default:
          let words = String(repeating: "so much to say ", count: 100)
          for _ in 0..<3 {
            add("in", "<message from='\(contact)/desk'><body>\(words)</body></message>")
          }
          add("in", "<presence from='\(contact)/desk'><status>\(line)</status></presence>")
        }
      }
      text += #"{"stream":"closed"}"# + "\n"
    }
    let path = folder.file("\(seed).jsonl")
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }

  private func log(seed: UInt64) throws -> EventLog {
    let log = try EventLog.create(
      at: folder.file("\(seed).rollcall"), eventVersion: RecordReader.version)
    var reading = CaptureImport(ImportOptions())
    _ = try reading.run(
      try FileHandle(forReadingFrom: URL(filePath: try capture(seed: seed))), into: log)
    return log
  }

  /// The snapshots of a log, each with its base.
  private func snapshots(_ log: EventLog) throws -> [(sequence: UInt64, base: UInt64?)] {
    var all: [(UInt64, UInt64?)] = []
    try log.read { transaction in
      try transaction.forEachSnapshot { check, bytes in
        guard case .sound(let header) = check else { return }
        all.append((header.sequence, try SnapshotKind(of: bytes).base?.sequence))
      }
    }
    return all
  }

  /// Compares states at intervals with those of one replay, and with those reduced from another
  /// state.
  private func compare(_ log: EventLog, _ note: Comment) throws {
    let timeline = Timeline(log)
    let last = try log.read { try $0.lastSequence }
    var known: Timeline.State?
    var wanted = Timeline.State()
    for record in stride(from: UInt64(1), through: last, by: 1009) {
      try timeline.advance(&wanted, to: record)
      let state = try timeline.state(at: .record(record))
      #expect(state == wanted, "\(note), record \(record)")
      known = try timeline.state(after: record, from: known)
      #expect(known == wanted, "\(note), record \(record), from a state before it")
    }
  }

  /// The damage that a verification finds in a log, all of whose snapshots it compares.
  private func damage(_ log: EventLog) throws -> [LogDamage] {
    var damage: [LogDamage] = []
    var compared: Int?
    try LogVerification.run(log.path) { step in
      switch step {
      case .found(let found): damage.append(found)
      case .done(let figures): compared = figures.snapshots
      case .began, .reached, .note: break
      }
    }
    #expect(try log.read { try $0.snapshotFigures.count } == compared)
    return damage
  }

  @Test("Snapshots are at the same records, however many records arrive at a time")
  func batches() throws {
    let capture = try capture(seed: 5)
    var lists: [[String]] = []
    func note(_ log: EventLog) throws {
      let all = try snapshots(log)
      #expect(all.count > 6 && all.allSatisfy { $0.sequence.isMultiple(of: 256) }, "\(all)")
      lists.append(all.map { "\($0.sequence) on \($0.base ?? 0)" })
    }
    for batch in [100, 257, 1000, 5000] {
      let log = try EventLog.create(
        at: folder.file("by \(batch).rollcall"), eventVersion: RecordReader.version)
      var reading = CaptureImport(ImportOptions(), batch: batch)
      _ = try reading.run(try FileHandle(forReadingFrom: URL(filePath: capture)), into: log)
      try note(log)
      guard batch == 1000 else { continue }
      try log.dropSnapshots()
      log.keepSnapshots()
      try note(log)
    }
    #expect(Set(lists).count == 1, "\(lists)")
  }

  @Test("A state equals that of a replay, whatever snapshots it comes from")
  func states() throws {
    let log = try log(seed: 1)
    let all = try snapshots(log)
    #expect(all.count { $0.base != nil } >= 4, "\(all)")
    #expect(all.count { $0.base == nil } >= 2, "\(all)")
    // Each builds on the previous one.
    for (earlier, later) in zip(all, all.dropFirst()) where later.base != nil {
      #expect(later.base == earlier.sequence)
    }
    try compare(log, "all snapshots")
    #expect(log.derivedDamage.parts.isEmpty)
    #expect(try damage(log).isEmpty)
  }

  @Test("If one snapshot of a chain has wrong contents, the others do not give a wrong state")
  func damaged() throws {
    let log = try log(seed: 2)
    let all = try snapshots(log)
    let whole = try #require(all.last { $0.base == nil })
    let middle = try #require(all.dropFirst(2).first { $0.base != nil })
    /// A snapshot and the increments after it.
    func chain(from first: UInt64) -> [UInt64] {
      let later = all.drop { $0.sequence <= first }.prefix { $0.base != nil }
      return [first] + later.map(\.sequence)
    }
    let draft = { (sequence: UInt64, state: [UInt8]) in
      SnapshotDraft(sequence: sequence, version: .current, state: state)
    }
    try log.store([draft(middle.sequence, [1, 2, 3])])
    try compare(log, "no state in the middle")
    try log.store([draft(whole.sequence, Roster().snapshot)])
    try compare(log, "another state at the beginning")
    // Each increment after them rests on one that cannot be used.
    let chains = [chain(from: middle.sequence), chain(from: whole.sequence)]
    #expect(chains.allSatisfy { $0.count > 1 })
    let difference = "its snapshot is not what a replay gives"
    let unusable = "its snapshot rests on one that cannot be used, of record "
    let expected = chains.flatMap { records in
      zip(records, [difference] + records.dropLast().map { unusable + "\($0)" }).map {
        LogDamage(part: .snapshots, record: $0, what: $1)
      }
    }
    #expect(try damage(log) == expected)
  }

  @Test("If the beginning of a chain is rewritten with other numbers, it gives no wrong state")
  func renumbered() throws {
    let log = try log(seed: 5)
    let all = try snapshots(log)
    let place = try #require(
      all.indices.dropLast().last { all[$0].base == nil && all[$0 + 1].base != nil })
    let sequence = all[place].sequence
    let roster = try Timeline(log).state(at: .record(sequence)).roster
    let other = roster.canonicalBytes
    #expect(other != roster.snapshot)
    try log.store([SnapshotDraft(sequence: sequence, version: .current, state: other)])
    try compare(log, "a whole one with other numbers")
    #expect(log.derivedDamage.parts.isEmpty)
    // It is right, but the increments need the one that it replaced.
    let increments = all[(place + 1)...].prefix { $0.base != nil }
    #expect(try damage(log).map(\.record) == increments.map(\.sequence))
  }

  @Test("A log whose first whole snapshot has other numbers stores increments on it")
  func continuedFromRenumbered() throws {
    let original = try log(seed: 5)
    let first = try #require(try snapshots(original).first?.sequence)
    let drafts = try drafts(original)
    let log = try EventLog.create(
      at: folder.file("continued.rollcall"), eventVersion: RecordReader.version)
    try log.append(drafts.prefix(Int(first)))
    let roster = try Timeline(log).state(at: .record(first)).roster
    let other = roster.canonicalBytes
    #expect(other != roster.snapshot)
    try log.store([SnapshotDraft(sequence: first, version: .current, state: other)])
    try log.append(drafts.dropFirst(Int(first)).prefix(5000))
    log.keepSnapshots()
    let all = try snapshots(log)
    #expect(all.first?.sequence == first && all.dropFirst().first?.base == first, "\(all)")
    #expect(all.dropFirst().contains { $0.base == nil }, "\(all)")
    try compare(log, "a first one with other numbers")
    #expect(try damage(log).isEmpty)
  }

  /// The records of a log, in the form that a recorder passes.
  private func drafts(_ log: EventLog) throws -> [RecordDraft] {
    let reader = RecordReader()
    var drafts: [RecordDraft] = []
    try log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      let bytes = [UInt8](bytes)
      drafts.append(
        RecordDraft(
          time: header.time, direction: header.direction, kind: header.kind,
          connection: header.connection, bytes: bytes,
          decoded: reader.decode(header.kind, header.direction, bytes)))
    }
    return drafts
  }

  @Test("A recorder stores increments like an import, even if others append")
  func recorded() throws {
    let drafts = try drafts(try log(seed: 6))
    let log = try EventLog.create(
      at: folder.file("recorded.rollcall"), eventVersion: RecordReader.version)
    let writer = try LogWriter(log, isAccountNoted: true)
    var number: UInt64 = 0
    for (index, draft) in drafts.enumerated() {
      number += 1
      if index % 4001 == 4000 {
        try writer.flush()
        try log.append([draft])
        continue
      }
      try writer.put(draft, as: number)
      if index % 97 == 0 { try writer.flush() }
    }
    try writer.close()
    #expect(try log.read { try $0.lastSequence } == UInt64(drafts.count))
    let all = try snapshots(log)
    #expect(all.count { $0.base != nil } >= 4, "\(all)")
    #expect(all.count { $0.base == nil } >= 2, "\(all)")
    try compare(log, "recorded")
    #expect(try damage(log).isEmpty)
    #expect(log.derivedDamage.parts.isEmpty && log.deferredFailures.parts.isEmpty)
  }

  @Test("A branch that begins at a snapshot equals one that begins at the first record")
  func branched() throws {
    let log = try log(seed: 9)
    let last = try log.read { try $0.lastSequence }
    let middle = last / 2
    var edits = BranchEdits()
    edits.drops = [middle...middle + 40]
    edits.swaps = [(last - 20, last - 9)]
    func compared() throws -> Branch.Comparison {
      try Branch(of: Timeline(log), upTo: .head(minus: 0), edits: edits, policy: .strict).compare()
    }
    #expect(try Timeline(log).snapshot(atOrBefore: middle - 1) != nil)
    let stored = try compared()
    try log.dropSnapshots()
    let whole = try compared()
    #expect(stored.actual == whole.actual)
    #expect(stored.branched == whole.branched)
    #expect(stored.divergence?.record == whole.divergence?.record)
    #expect(
      stored.divergence?.happened.map(\.outcome) == whole.divergence?.happened.map(\.outcome))
    #expect(stored.differences == whole.differences)
    #expect(stored.added == whole.added)
    #expect(stored.removed == whole.removed)
  }

  @Test("If snapshots cannot be stored, that is noted, and the log is unchanged")
  func notStored() throws {
    let path = try log(seed: 7).path
    let writable = try EventLog.open(
      at: path, access: .readWrite, eventVersion: RecordReader.version)
    try writable.dropSnapshots()
    let log = try EventLog.open(at: path, access: .readOnly, eventVersion: RecordReader.version)
    var keeper = SnapshotKeeper(log)
    keeper.follow()
    #expect(log.deferredFailures.parts.map(\.work) == [.snapshots])
    #expect(try snapshots(log).isEmpty)
    writable.keepSnapshots()
    #expect(try snapshots(writable).count >= 6)
    try compare(writable, "after one who may only read")
  }

  @Test("A continued log stores increments to its last snapshot")
  func goingOn() throws {
    let log = try log(seed: 3)
    let before = try snapshots(log).count
    var reading = CaptureImport(ImportOptions())
    _ = try reading.run(
      try FileHandle(forReadingFrom: URL(filePath: try capture(seed: 4))), into: log)
    #expect(try snapshots(log).count > before + 4)
    try compare(log, "after two imports")
    #expect(try damage(log).isEmpty)
  }
}
