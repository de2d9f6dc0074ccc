import CLMDB
import EventStore
import Foundation
import Testing

/// Damage inside a file that LMDB finds nothing wrong with.
@Suite struct DamageTests {
  let scratch: Scratch
  let path: String

  init() throws {
    scratch = try Scratch()
    path = scratch.file()
    let log = try EventLog.create(at: path, eventVersion: 1)
    try log.append(
      (1...20).map { draft("record number \($0)", event: [1], contacts: ["a@example.test"]) })
  }

  private func open() throws(EventLogError) -> EventLog {
    try EventLog.open(at: path, access: .readWrite, eventVersion: 1)
  }

  @Test func aChangedByteIsFoundByTheChain() throws {
    do { try open().verify() }
    try change("number 13", to: "number 31")
    let changed = try open()
    #expect(
      throws: EventLogError.corrupt(
        sequence: 13, what: "its digest does not follow from its bytes")
    ) { try changed.verify() }
    try changed.read { try $0.verifyChain(in: 1...12) }
    try changed.read { try $0.verifyChain(in: 14...20) }
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

  @Test func aMissingRecordIsAGap() throws {
    BehindTheBack(path).delete("records", [0, 0, 0, 0, 0, 0, 0, 5])
    let log = try open()
    #expect(throws: EventLogError.self) { try log.last }
    #expect(throws: EventLogError.self) { try log.contents() }
    #expect(throws: EventLogError.self) { try log.append([draft("more")]) }
  }

  /// Record 5's value, and what is wrong with it.
  @Test(
    arguments: [
      ([], "its header is cut short"), (Array(repeating: 1, count: 51), "its header is cut short"),
      (Array(repeating: 9, count: 60), "its direction is 9"),
    ] as [([UInt8], String)])
  func anUnreadableRecord(value: [UInt8], what: String) throws {
    BehindTheBack(path).put("records", [0, 0, 0, 0, 0, 0, 0, 5], value)
    let log = try open()
    let error = EventLogError.corrupt(sequence: 5, what: what)
    #expect(throws: error) { try log.contents() }
    #expect(throws: error) { try log.read { try $0.record(at: 5) } }
    #expect(try log.read { try $0.record(at: 6) } != nil)
  }

  @Test func anUnreadableEvent() throws {
    BehindTheBack(path).put("events", [0, 0, 0, 0, 0, 0, 0, 5], [1, 1])
    let error = EventLogError.corrupt(sequence: 5, what: "its stored event is cut short")
    let log = try open()
    #expect(throws: error) { try log.derived(contacts: []) }
    try log.rebuildDerived { _, _ in DerivedParts(event: [2], contacts: []) }
    #expect(try log.derived(contacts: []).events.count == 20)
  }

  @Test func anUnreadableIndex() throws {
    BehindTheBack(path).put("index", [0, 0, 0, 0, 0, 0, 0, 1, 0, 3, 0], [])
    let log = try open()
    #expect(throws: EventLogError.self) { try log.derived(contacts: ["a@example.test"]) }
  }

  @Test func unreadableMarks() throws {
    BehindTheBack(path).put("meta", Array("import".utf8) + [0, 0, 0, 0], [1])
    let log = try open()
    #expect(throws: EventLogError.self) { try log.meta }
    #expect(try log.last == 20)
  }
}

/// Changes a closed log as no program of ours would.
struct BehindTheBack {
  private let path: String

  init(_ path: String) {
    self.path = path
  }

  func put(_ database: String, _ key: [UInt8], _ value: [UInt8]) {
    change(database) { transaction, handle in
      Self.withValue(key) { key in
        Self.withValue(value) { mdb_put(transaction, handle, key, $0, 0) }
      }
    }
  }

  func delete(_ database: String, _ key: [UInt8]) {
    change(database) { transaction, handle in
      Self.withValue(key) { mdb_del(transaction, handle, $0, nil) }
    }
  }

  /// What is stored under a key.
  func value(_ database: String, _ key: [UInt8]) throws -> [UInt8] {
    var found: [UInt8]?
    change(database) { transaction, handle in
      Self.withValue(key) { key in
        var value = MDB_val()
        let code = mdb_get(transaction, handle, key, &value)
        if code == 0 {
          found = Array(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
        }
        return code
      }
    }
    return try #require(found)
  }

  /// Takes a whole database away.
  func drop(_ database: String) {
    change(database) { transaction, handle in mdb_drop(transaction, handle, 1) }
  }

  private func change(_ name: String, _ body: (OpaquePointer?, MDB_dbi) -> Int32) {
    var environment: OpaquePointer?
    var transaction: OpaquePointer?
    var handle: MDB_dbi = 0
    #expect(mdb_env_create(&environment) == 0)
    #expect(mdb_env_set_maxdbs(environment, 8) == 0)
    #expect(mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR), 0o600) == 0)
    #expect(mdb_txn_begin(environment, nil, 0, &transaction) == 0)
    #expect(mdb_dbi_open(transaction, name, 0, &handle) == 0)
    #expect(body(transaction, handle) == 0)
    #expect(mdb_txn_commit(transaction) == 0)
    mdb_env_close(environment)
  }

  private static func withValue(
    _ bytes: [UInt8], _ body: (UnsafeMutablePointer<MDB_val>) -> Int32
  ) -> Int32 {
    var bytes = bytes
    return bytes.withUnsafeMutableBytes { buffer in
      var value = MDB_val(mv_size: buffer.count, mv_data: buffer.baseAddress)
      return body(&value)
    }
  }
}
