import EventStore
import Foundation
import TestSupport
import Testing

/// Damage in a file that LMDB considers sound.
@Suite("Damage that LMDB does not notice") struct DamageTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.rollcall")
    let log = try EventLog.create(at: path, eventVersion: 1)
    for first in [1, 6, 11, 16] {
      try log.append(
        (first..<first + 5).map {
          draft("record number \($0)", event: [UInt8($0)], contacts: ["a@example.test"])
        })
    }
  }

  /// The key of the pack that begins with a record.
  private static func key(_ number: UInt8) -> [UInt8] { [0, 0, 0, 0, 0, 0, 0, number] }

  private func open() throws(EventLogError) -> EventLog {
    try EventLog.open(at: path, access: .readWrite, eventVersion: 1)
  }

  private static let contradiction =
    "it or another one up to 15 has changed: the digest of their pack does not follow from its bytes"

  @Test("The chain detects a changed byte, and no record of its pack is read")
  func changedByte() throws {
    do { #expect(try open().damage().isEmpty) }
    try change("number 13", to: "number 31")
    let log = try open()
    #expect(try log.damage() == [11: Self.contradiction])
    let error = EventLogError.corrupt(sequence: 11, what: Self.contradiction)
    #expect(throws: error) { try log.contents() }
    #expect(throws: error) { try log.read { try $0.record(at: 14) } }
    #expect(throws: error) { try log.read { try $0.header(at: 11) } }
    #expect(try log.read { try $0.record(at: 10)?.bytes } == Array("record number 10".utf8))
    #expect(try log.read { try $0.record(at: 16)?.bytes } == Array("record number 16".utf8))
  }

  @Test("Nothing is appended after a last pack that has changed")
  func changedEnd() throws {
    try change("number 20", to: "number 02")
    let log = try open()
    #expect(throws: EventLogError.self) { try log.append([draft("more")]) }
    #expect(throws: EventLogError.self) { try log.last }
  }

  /// A pass in pieces therefore does not verify the log's last pack for each piece.
  @Test("Records before a changed pack are read without verifying that pack")
  func beforeDamage() throws {
    try change("number 20", to: "number 02")
    try open().read { transaction in
      var records: [UInt64] = []
      try transaction.forEachRecord(in: 1...15) { header, _ in records.append(header.sequence) }
      #expect(records == Array(1...15))
      var events: [[UInt8]] = []
      try transaction.forEachEvent(in: 1...15, deriving: { _, _ in nil }) { _, bytes in
        events.append(bytes.copied)
      }
      #expect(events == (1...15).map { [UInt8($0)] })
      for end in [16, 20, 21, UInt64.max] {
        #expect(throws: EventLogError.self) {
          try transaction.forEachRecord(in: 1...end) { _, _ in }
        }
      }
    }
  }

  /// The key is followed by the connection's number.
  @Test("A missing name of a connection is not mistaken for no name", arguments: [1, 2])
  func missingName(of connection: UInt8) throws {
    do {
      let log = try open()
      try log.append([], marks: LogMarks(connections: [1: "phone", 2: "laptop"]))
      #expect(try log.meta.connections == [1: "phone", 2: "laptop"])
    }
    func salvage() throws -> LogSalvage { try LogSalvage(path) { _, _ in true } }
    #expect(try salvage().notesAreWhole)
    Tampering(path).delete("meta", Array("connection".utf8) + [0, 0, 0, connection])
    let log = try open()
    #expect {
      try log.meta
    } throws: { error in
      "\(error)".contains("the entry connection \(connection) is missing")
    }
    #expect(try log.last == 20)
  }

  @Test("Salvaging a log that lost one of its own entries reports the loss")
  func salvagedNotes() throws {
    do { try open().append([], marks: LogMarks(connections: [1: "phone"])) }
    Tampering(path).delete("meta", Array("connection".utf8) + [0, 0, 0, 1])
    let salvage = try LogSalvage(path) { _, _ in true }
    #expect(!salvage.notesAreWhole)
    #expect(try salvage.forEachRecord { _ in }.kept == 20)
  }

  private func change(_ old: String, to new: String) throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    var changes = 0
    while let range = bytes.range(of: Data(old.utf8)) {
      bytes.replaceSubrange(range, with: Data(new.utf8))
      changes += 1
    }
    #expect(changes > 0)
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  @Test("A missing pack is a gap, and nothing is appended after it")
  func missingPack() throws {
    Tampering(path).delete("records", Self.key(6))
    let log = try open()
    #expect(try log.damage()[6] == "it and all up to 10 are missing")
    #expect(throws: EventLogError.self) { try log.last }
    #expect(throws: EventLogError.self) { try log.contents() }
    #expect(throws: EventLogError.self) { try log.append([draft("more")]) }
  }

  @Test(
    "A key that is not the number of a record is reported",
    arguments: [[1], .init(repeating: 255, count: 8)] as [[UInt8]])
  func invalidNumber(key: [UInt8]) throws {
    Tampering(path).put("records", key, Array(repeating: 1, count: 60))
    #expect(try open().damage() == [0: "there is a pack of records without a valid number"])
  }

  /// Replaces the pack that begins with record 6 by a value, and expects a description of it.
  @Test(
    "An unreadable pack is refused, and the packs around it are read",
    arguments: [
      ([], "its pack is cut short"), (Array(repeating: 1, count: 52), "its pack is cut short"),
      (Array(repeating: 0, count: 100), "its pack cannot have 0 records"),
      (Array(repeating: 1, count: 100), "its pack cannot have 16843009 records"),
      (
        Array(repeating: 0, count: 51) + [1] + Array(repeating: 0, count: 50),
        "its pack does not end with its last record"
      ),
    ] as [([UInt8], String)])
  func unreadablePack(value: [UInt8], what: String) throws {
    Tampering(path).put("records", Self.key(6), value)
    let log = try open()
    let error = EventLogError.corrupt(sequence: 6, what: what)
    #expect(throws: error) { try log.contents() }
    #expect(throws: error) { try log.read { try $0.record(at: 6) } }
    #expect(try log.read { try $0.record(at: 5) } != nil)
    #expect(try log.read { try $0.record(at: 16) } != nil)
    #expect(try log.damage()[6] == what)
  }

  /// The events of a log; if stored ones cannot be used, they are derived from the records.
  private func events(_ log: EventLog) throws -> [[UInt8]] {
    try log.read { transaction in
      var events: [[UInt8]] = []
      try transaction.forEachEvent(
        in: 1...UInt64.max,
        deriving: { header, bytes in [100 + UInt8(header.sequence), UInt8(bytes.byteCount)] }
      ) { header, bytes in
        #expect(header.sequence == UInt64(events.count) + 1)
        events.append(bytes.copied)
      }
      return events
    }
  }

  @Test("Changed or missing stored events are derived from the records again, and this is noted")
  func unreadableEvents() throws {
    do {
      let log = try open()
      #expect(try events(log) == (1...20).map { [$0] })
      #expect(log.derivedDamage.parts.isEmpty)
    }
    var value = try Tampering(path).value("events", Self.key(6))
    value[50] ^= 1
    let derived = (6...10).map { [100 + $0, $0 == 10 ? 16 : 15] as [UInt8] }
    for change in [value, [1, 1], nil] {
      if let change {
        Tampering(path).put("events", Self.key(6), change)
      } else {
        Tampering(path).delete("events", Self.key(6))
      }
      let log = try open()
      #expect(try events(log) == (1...5).map { [$0] } + derived + (11...20).map { [$0] })
      #expect(log.derivedDamage.parts.map(\.part) == [.events])
      #expect(log.derivedDamage.parts.map(\.record) == [6])
    }
    let log = try open()
    try log.rebuildDerived { _, _ in DerivedParts(event: [2], contacts: []) }
    #expect(try events(log) == Array(repeating: [2], count: 20))
  }

  @Test("A pack of events in another one's place, or a block of the index, is not used")
  func misplacedEvents() throws {
    let value = try Tampering(path).value("events", Self.key(1))
    Tampering(path).put("events", Self.key(6), value)
    #expect(try events(open())[5] == [106, 15])
    Tampering(path).put("events", Self.key(6), try Tampering(path).value("index", Self.key(1)))
    #expect(try events(open())[5] == [106, 15])
  }

  @Test("Appending fails if an event is stored after the last record")
  func strayEvent() throws {
    Tampering(path).put("events", [0, 0, 0, 0, 0, 0, 0, 99], Array(repeating: 1, count: 20))
    let log = try open()
    #expect(
      throws: EventLogError.corrupt(
        sequence: 21, what: "something is stored under it or after it")
    ) { try log.append([draft("21", event: [1])]) }
    #expect(try log.last == 20)
  }

  @Test("If the index is damaged, any record may concern a contact, and this is noted")
  func unreadableIndex() throws {
    func found(_ contact: String, _ range: ClosedRange<UInt64> = 1...99) throws -> [UInt64] {
      let log = try open()
      let found = try log.read { try $0.sequences(concerning: contact, in: range) }
      #expect(log.derivedDamage.parts.map(\.part) == (found.isEmpty ? [] : [.index]))
      return found
    }
    #expect(try found("nobody@example.test").isEmpty)
    var value = try Tampering(path).value("index", Self.key(1))
    value[60] ^= 1
    Tampering(path).put("index", Self.key(1), value)
    #expect(try found("nobody@example.test") == Array(1...20))
    #expect(try found("nobody@example.test", 3...5) == [3, 4, 5])
    Tampering(path).delete("index", Self.key(1))
    #expect(try found("nobody@example.test") == Array(1...20))
  }

  @Test("An unreadable import is refused, and the records are read")
  func unreadableMarks() throws {
    Tampering(path).put("meta", Array("import".utf8) + [0, 0, 0, 0], [1])
    let log = try open()
    #expect(throws: EventLogError.self) { try log.meta }
    #expect(try log.last == 20)
  }
}
