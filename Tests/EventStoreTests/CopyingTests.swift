import EventStore
import Foundation
import TestSupport
import Testing

/// Appending one log's records to another, all or none.
@Suite("Copying records") struct CopyingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func parts(_ header: RecordHeader, _ bytes: RawSpan) -> DerivedParts {
    DerivedParts(
      event: bytes.withUnsafeBytes { Array($0.prefix(3)) }, contacts: ["\(bytes.byteCount)@x"])
  }

  private static func all(
    _: borrowing WriteTransaction, _ source: borrowing ReadTransaction
  ) throws -> RecordSelection {
    RecordSelection(
      records: [1...(try source.lastSequence)], marks: LogMarks(account: try source.meta.account))
  }

  @Test("Copied records keep their times and bytes and get new numbers")
  func copiedRecords() throws {
    let source = try EventLog.create(
      at: folder.file("source"), eventVersion: 1, account: "alice@example.test")
    try source.append([draft("one", time: 5), draft("two", time: 3), draft("three")])
    let target = try EventLog.create(at: folder.file("target"), eventVersion: 1)
    try target.append([draft("zero", time: 4, event: [9])])
    let imported = ImportedSource(digest: "aa", name: "s.log", length: 7, records: [2...4])
    let appended = try target.append(
      recordsOf: source,
      choosing: { target, source in
        #expect(try target.lastSequence == 1)
        return RecordSelection(
          records: [1...3], marks: LogMarks(account: try source.meta.account),
          imports: [(imported, nil)])
      }, parts)
    #expect(appended == 2..<5)

    let times = try target.read { transaction in
      try (1...4).map { try transaction.header(at: $0)?.time }
    }
    #expect(times == [4, 5, 5, nil], "the source's clock ran backwards at its second record")
    let sourceTime = try target.read { try $0.header(at: 3)?.sourceTime }
    #expect(sourceTime == 3)
    #expect(
      try target.contents().map { String(decoding: $0.bytes, as: UTF8.self) } == [
        "zero", "one", "two", "three",
      ])
    #expect(try target.meta.account == "alice@example.test")
    #expect(try target.meta.imports == [imported])
    #expect(try target.damage().isEmpty)
    #expect(try target.read { try $0.sequences(concerning: "5@x", in: 1...4) } == [4])
  }

  @Test("Records that do not fit into one chunk are copied completely")
  func manyRecords() throws {
    let source = try EventLog.create(at: folder.file("source"), eventVersion: 1)
    // Many small records, then a few large ones.
    let small = (0..<9_000).map { draft("\($0)", time: Int64($0)) }
    let large = (0..<40).map { draft(String(repeating: "\($0 % 10)", count: 100_000)) }
    try source.append(small + large)
    let target = try EventLog.create(at: folder.file("target"), eventVersion: 1)
    try target.append([draft("before")])
    let appended = try target.append(recordsOf: source, choosing: Self.all, parts)
    #expect(appended == 2..<9_042)
    let copied = try target.contents().dropFirst().map(\.bytes)
    #expect(copied == (small + large).map(\.bytes))
    #expect(try target.damage().isEmpty)
    #expect(
      try target.read { try $0.sequences(concerning: "100000@x", in: 1...10_000) }
        == Array(9_002...9_041))
  }

  @Test("Nothing is appended if one record fails")
  func failedCopy() throws {
    struct Refused: Error {}
    let source = try EventLog.create(at: folder.file("source"), eventVersion: 1)
    try source.append([draft("one"), draft("two")])
    let target = try EventLog.create(at: folder.file("target"), eventVersion: 1)
    #expect(throws: Refused.self) {
      try target.append(recordsOf: source, choosing: Self.all) { header, bytes in
        guard header.sequence < 2 else { throw Refused() }
        return parts(header, bytes)
      }
    }
    #expect(try target.contents().isEmpty)
  }

  @Test("The records of another account are refused")
  func otherAccount() throws {
    let source = try EventLog.create(
      at: folder.file("source"), eventVersion: 1, account: "bob@example.test")
    try source.append([draft("one")])
    let target = try EventLog.create(
      at: folder.file("target"), eventVersion: 1, account: "alice@example.test")
    #expect(
      throws: EventLogError.accountDiffers(
        recorded: "alice@example.test", given: "bob@example.test")
    ) { try target.append(recordsOf: source, choosing: Self.all, parts) }
  }

  @Test("The map grows while records are copied")
  func growingMap() throws {
    let source = try EventLog.create(at: folder.file("source"), eventVersion: 1)
    var generator = SeededGenerator(seed: 77)
    try source.append(randomDrafts(3000, using: &generator))
    let target = try EventLog.create(
      at: folder.file("target"), eventVersion: 1, mapSize: 1 << 20)
    try target.append(recordsOf: source, choosing: Self.all, parts)
    #expect(try target.contents() == (try source.contents()))
  }

  @Test("Selected records are copied, with new connections and in place of a former capture")
  func chosen() throws {
    let source = try EventLog.create(at: folder.file("source"), eventVersion: 1)
    try source.append(["one", "two", "three", "four"].map { draft($0) })
    let target = try EventLog.create(at: folder.file("target"), eventVersion: 1)
    let former = ImportedSource(digest: "aa", name: "s.log", length: 3)
    let other = ImportedSource(digest: "bb", name: "t.log", connections: ["": 1, "c2s1": 7])
    try target.append([draft("zero")], marks: LogMarks(imported: former))
    try target.append([], marks: LogMarks(imported: other))
    let now = ImportedSource(
      digest: "cc", name: "s.log", length: 9, records: [1...1, 2...3], connections: ["x": 4])
    let selection = RecordSelection(
      records: [2...2, 4...4], connections: [1: 4], imports: [(now, former)])
    #expect(
      try target.append(recordsOf: source, choosing: { _, _ in selection }, parts) == 2..<4)
    let contents = try target.contents()
    #expect(contents.map { String(decoding: $0.bytes, as: UTF8.self) } == ["zero", "two", "four"])
    #expect(try target.read { try $0.header(at: 3)?.connection } == 4)
    #expect(try target.meta.imports == [now, other])
  }
}
