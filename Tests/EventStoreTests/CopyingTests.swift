import EventStore
import Foundation
import TestSupport
import Testing

/// One log's records appended to another, all or none.
@Suite("Copying records") struct CopyingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func parts(_ header: RecordHeader, _ bytes: RawSpan) -> DerivedParts {
    DerivedParts(
      event: bytes.withUnsafeBytes { Array($0.prefix(3)) }, contacts: ["\(bytes.byteCount)@x"])
  }

  @Test("Copied records keep their times and bytes and get new numbers")
  func copiedRecords() throws {
    let source = try EventLog.create(
      at: folder.file("source"), eventVersion: 1, account: "alice@example.test")
    try source.append([draft("one", time: 5), draft("two", time: 3), draft("three")])
    try source.append([], marks: LogMarks(imported: ImportedSource(digest: "aa", name: "s.log")))
    let target = try EventLog.create(at: folder.file("target"), eventVersion: 1)
    try target.append([draft("zero", time: 4, event: [9])])
    #expect(try target.append(recordsOf: source, parts) == 2..<5)

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
    #expect(try target.meta.imports.map(\.digest) == ["aa"])
    #expect(try target.damage().isEmpty)
    #expect(try target.read { try $0.sequences(concerning: "5@x", in: 1...4) } == [4])
  }

  @Test("Nothing is appended where one record fails")
  func failedCopy() throws {
    struct Refused: Error {}
    let source = try EventLog.create(at: folder.file("source"), eventVersion: 1)
    try source.append([draft("one"), draft("two")])
    let target = try EventLog.create(at: folder.file("target"), eventVersion: 1)
    #expect(throws: Refused.self) {
      try target.append(recordsOf: source) { header, bytes in
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
    ) { try target.append(recordsOf: source, parts) }
  }

  @Test("The map grows while records are copied")
  func growingMap() throws {
    let source = try EventLog.create(at: folder.file("source"), eventVersion: 1)
    var generator = SeededGenerator(seed: 77)
    try source.append(randomDrafts(3000, using: &generator))
    let target = try EventLog.create(
      at: folder.file("target"), eventVersion: 1, mapSize: 1 << 20)
    try target.append(recordsOf: source, parts)
    #expect(try target.contents() == (try source.contents()))
  }
}
