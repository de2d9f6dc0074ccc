import EventStore
import Foundation
import TestSupport
import Testing

/// One log's records appended to another, all or none.
@Suite struct CopyingTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func parts(_ header: RecordHeader, _ bytes: RawSpan) -> DerivedParts {
    DerivedParts(
      event: bytes.withUnsafeBytes { Array($0.prefix(3)) }, contacts: ["\(bytes.byteCount)@x"])
  }

  @Test func recordsKeepTheirTimesAndBytesAndGetNewPlaces() throws {
    let source = try EventLog.create(
      at: scratch.file("source"), eventVersion: 1, account: "alice@example.test")
    try source.append([draft("one", time: 5), draft("two", time: 3), draft("three")])
    try source.append([], marks: LogMarks(imported: ImportedSource(digest: "aa", name: "s.log")))
    let target = try EventLog.create(at: scratch.file("target"), eventVersion: 1)
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
    try target.read { try $0.verifyChain(in: 1...4) }
    #expect(try target.read { try $0.sequences(concerning: "5@x", in: 1...4) } == [4])
  }

  @Test func nothingIsAppendedWhereOneRecordFails() throws {
    struct Refused: Error {}
    let source = try EventLog.create(at: scratch.file("source"), eventVersion: 1)
    try source.append([draft("one"), draft("two")])
    let target = try EventLog.create(at: scratch.file("target"), eventVersion: 1)
    #expect(throws: Refused.self) {
      try target.append(recordsOf: source) { header, bytes in
        guard header.sequence < 2 else { throw Refused() }
        return parts(header, bytes)
      }
    }
    #expect(try target.contents().isEmpty)
  }

  @Test func anotherAccountIsRefused() throws {
    let source = try EventLog.create(
      at: scratch.file("source"), eventVersion: 1, account: "bob@example.test")
    try source.append([draft("one")])
    let target = try EventLog.create(
      at: scratch.file("target"), eventVersion: 1, account: "alice@example.test")
    #expect(
      throws: EventLogError.accountDiffers(
        recorded: "alice@example.test", given: "bob@example.test")
    ) { try target.append(recordsOf: source, parts) }
  }

  @Test func theMapGrowsOnTheWay() throws {
    let source = try EventLog.create(at: scratch.file("source"), eventVersion: 1)
    var generator = SeededGenerator(seed: 77)
    try source.append(randomDrafts(3000, using: &generator))
    let target = try EventLog.create(
      at: scratch.file("target"), eventVersion: 1, mapSize: 1 << 20)
    try target.append(recordsOf: source, parts)
    #expect(try target.contents() == (try source.contents()))
  }
}
