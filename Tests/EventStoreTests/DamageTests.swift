import EventStore
import Foundation
import TestSupport
import Testing

/// Damage inside a file that LMDB finds nothing wrong with.
@Suite("Damage that LMDB does not notice") struct DamageTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.rollcall")
    let log = try EventLog.create(at: path, eventVersion: 1)
    try log.append(
      (1...20).map { draft("record number \($0)", event: [1], contacts: ["a@example.test"]) })
  }

  private func open() throws(EventLogError) -> EventLog {
    try EventLog.open(at: path, access: .readWrite, eventVersion: 1)
  }

  @Test("A changed byte is found by the chain")
  func changedByte() throws {
    do { #expect(try open().damage().isEmpty) }
    try change("number 13", to: "number 31")
    #expect(try open().damage() == [13: "its digest does not follow from its bytes"])
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

  @Test("A missing record is a gap, and nothing is appended after it")
  func missingRecord() throws {
    Tampering(path).delete("records", [0, 0, 0, 0, 0, 0, 0, 5])
    let log = try open()
    #expect(throws: EventLogError.self) { try log.last }
    #expect(throws: EventLogError.self) { try log.contents() }
    #expect(throws: EventLogError.self) { try log.append([draft("more")]) }
  }

  @Test(
    "A key that is not the number of a record is told",
    arguments: [[1], .init(repeating: 255, count: 8)] as [[UInt8]])
  func invalidNumber(key: [UInt8]) throws {
    Tampering(path).put("records", key, Array(repeating: 1, count: 60))
    #expect(try open().damage() == [0: "there is a record without a valid number"])
  }

  /// Record 5's value, and what is wrong with it.
  @Test(
    "An unreadable record is refused, and those around it are read",
    arguments: [
      ([], "its header is cut short"), (Array(repeating: 1, count: 51), "its header is cut short"),
      (Array(repeating: 9, count: 60), "its direction is 9"),
    ] as [([UInt8], String)])
  func unreadableRecord(value: [UInt8], what: String) throws {
    Tampering(path).put("records", [0, 0, 0, 0, 0, 0, 0, 5], value)
    let log = try open()
    let error = EventLogError.corrupt(sequence: 5, what: what)
    #expect(throws: error) { try log.contents() }
    #expect(throws: error) { try log.read { try $0.record(at: 5) } }
    #expect(try log.read { try $0.record(at: 6) } != nil)
  }

  @Test("An unreadable event is refused until the events are made anew")
  func unreadableEvent() throws {
    Tampering(path).put("events", [0, 0, 0, 0, 0, 0, 0, 5], [1, 1])
    let error = EventLogError.corrupt(sequence: 5, what: "its stored event is cut short")
    let log = try open()
    #expect(throws: error) { try log.derived(contacts: []) }
    try log.rebuildDerived { _, _ in DerivedParts(event: [2], contacts: []) }
    #expect(try log.derived(contacts: []).events.count == 20)
  }

  @Test("An event that is stored after the last record is refused when one is to be added")
  func strayEvent() throws {
    Tampering(path).put("events", [0, 0, 0, 0, 0, 0, 0, 99], Array(repeating: 1, count: 20))
    let log = try open()
    #expect(
      throws: EventLogError.corrupt(
        sequence: 21, what: "something is stored under it or after it")
    ) { try log.append([draft("21", event: [1])]) }
    #expect(try log.last == 20)
  }

  @Test("An unreadable entry of the index is refused")
  func unreadableIndex() throws {
    Tampering(path).put("index", [0, 0, 0, 0, 0, 0, 0, 1, 0, 3, 0], [])
    let log = try open()
    #expect(throws: EventLogError.self) { try log.derived(contacts: ["a@example.test"]) }
  }

  @Test("An unreadable import is refused, and the records are read")
  func unreadableMarks() throws {
    Tampering(path).put("meta", Array("import".utf8) + [0, 0, 0, 0], [1])
    let log = try open()
    #expect(throws: EventLogError.self) { try log.meta }
    #expect(try log.last == 20)
  }
}
