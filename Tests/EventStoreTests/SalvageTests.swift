import EventStore
import Foundation
import TestSupport
import Testing

/// Reading records without LMDB finds all intact records, and no record that was not written.
@Suite("Salvaging records") struct SalvageTests {
  let folder: TemporaryFolder
  let path: String
  private let drafts: [RecordDraft]

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.rollcall")
    var generator = SeededGenerator(seed: 91)
    drafts = randomDrafts(400, using: &generator, bytes: 10...5000)
    let log = try EventLog.create(at: path, eventVersion: 1)
    for start in stride(from: 0, to: drafts.count, by: 40) {
      try log.append(
        drafts[start..<start + 40],
        marks: LogMarks(
          account: "alice@example.test",
          imported: start == 0 ? ImportedSource(digest: "ab", name: "x.log") : nil))
    }
  }

  /// The records that these tests accept from changed packs: those whose first byte is even.
  private static func isReadable(_: RecordHeader, _ bytes: [UInt8]) -> Bool {
    (bytes.first ?? 0).isMultiple(of: 2)
  }

  /// The records of the pack that holds record 200.
  private func pack() throws -> ClosedRange<UInt64> {
    let log = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
    let pack = try #require(try log.read { try $0.record(at: 200) }).pack.sequences
    #expect(pack.count > 2)
    return pack
  }

  private func changePack(at offset: (Int) -> Int) throws -> ClosedRange<UInt64> {
    let pack = try pack()
    let key = withUnsafeBytes(of: pack.lowerBound.bigEndian) { Array($0) }
    var changed = try Tampering(path).value("records", key)
    changed[offset(changed.count)] ^= 1
    Tampering(path).put("records", key, changed)
    return pack
  }

  /// Overwrites old copies of a pack, which LMDB leaves when it writes a changed page elsewhere.
  private func forget(_ pack: ClosedRange<UInt64>) throws {
    try change { data in
      for sequence in pack {
        let text = Data(drafts[Int(sequence) - 1].bytes.prefix(10))
        while let range = data.range(of: text) {
          data.replaceSubrange(range, with: Data(count: 10))
        }
      }
    }
  }

  private func salvage() throws -> (found: [UInt64: [UInt8]], summary: SalvageSummary) {
    var found: [UInt64: [UInt8]] = [:]
    let summary = try LogSalvage(path, keeping: Self.isReadable).forEachRecord { record in
      found[record.header.sequence] = record.bytes
    }
    return (found, summary)
  }

  /// Expects that every record found is as it was written, and every other one reported as lost.
  private func expectTruth(_ comment: Comment? = nil) throws -> SalvageSummary {
    let (found, summary) = try salvage()
    for (sequence, bytes) in found where !summary.unproven.contains(sequence) {
      #expect(bytes == drafts[Int(sequence) - 1].bytes, comment)
    }
    let lost = summary.lost.flatMap { Array($0) }
    #expect(Set(found.keys).union(lost) == Set((0...summary.last).dropFirst()), comment)
    #expect(Set(found.keys).isDisjoint(with: lost), comment)
    #expect(summary.kept == UInt64(found.count), comment)
    return summary
  }

  private func change(_ body: (inout Data) throws -> Void) throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    try body(&bytes)
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  @Test("A sound log is salvaged completely")
  func soundLog() throws {
    let summary = try expectTruth()
    #expect(summary.whole == 400 && summary.kept == 400 && summary.last == 400)
    #expect(summary.lost.isEmpty && summary.unproven.isEmpty)
    let salvage = try LogSalvage(path, keeping: Self.isReadable)
    #expect(salvage.account == "alice@example.test")
    #expect(salvage.imports == [ImportedSource(digest: "ab", name: "x.log")])
  }

  @Test("A log that is in use is left alone")
  func logInUse() throws {
    let log = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
    #expect(throws: EventLogError.inUse(path: path)) {
      try LogSalvage(path, keeping: Self.isReadable)
    }
    withExtendedLifetime(log) {}
  }

  @Test("Records are found without the meta pages that lead to them")
  func noMetaPages() throws {
    try change { $0.replaceSubrange(0..<2 * 4096, with: Data(count: 2 * 4096)) }
    let summary = try expectTruth()
    #expect(summary.whole == 400)
    #expect(try LogSalvage(path, keeping: Self.isReadable).account == nil)
  }

  @Test(
    "The records before the cut of a truncated file are found",
    arguments: [0, 1, 5000, 100_000, 400_000])
  func cutFile(bytes: Int) throws {
    try change { $0 = $0.prefix(bytes) }
    let summary = try expectTruth("cut at \(bytes)")
    #expect(bytes > 90_000 ? summary.kept > 10 : summary.last < 10)
  }

  @Test("Readable records of a changed pack are kept, and the packs around it are proven")
  func changedPack() throws {
    let pack = try changePack { $0 - 1 }
    let summary = try expectTruth()
    // An old copy of the pack may still be in the file.
    guard !summary.unproven.isEmpty else {
      #expect(summary.whole == 400)
      return
    }
    let readable = pack.filter { (drafts[Int($0) - 1].bytes.first ?? 0).isMultiple(of: 2) }
    #expect(summary.unproven == readable)
    #expect(summary.lost.flatMap { Array($0) } == pack.filter { !readable.contains($0) })
    #expect(summary.whole == pack.lowerBound - 1)
  }

  @Test("A pack whose stored digest has changed is proven by the next one")
  func changedDigest() throws {
    _ = try changePack { _ in 30 }
    let summary = try expectTruth()
    #expect(summary.whole == 400)
  }

  @Test("The pack after one that is lost with its digest is kept")
  func missingPack() throws {
    let pack = try pack()
    Tampering(path).delete("records", withUnsafeBytes(of: pack.lowerBound.bigEndian) { Array($0) })
    try forget(pack)
    let summary = try expectTruth()
    // Remains of the lost pack's pages may be found as a changed pack.
    #expect(
      summary.lost.allSatisfy { pack.contains($0.lowerBound) && pack.contains($0.upperBound) })
    #expect(summary.kept >= 400 - UInt64(pack.count))
    #expect(summary.whole == pack.lowerBound - 1)
    #expect(summary.last == 400)
  }

  @Test("Whatever pages are lost, most records are found, and none is wrong", arguments: 1...4)
  func missingPages(seed: UInt64) throws {
    let sound = try Data(contentsOf: URL(fileURLWithPath: path))
    var generator = SeededGenerator(seed: seed)
    for round in 0..<15 {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let page = Int.random(in: 0..<sound.count / 4096, using: &generator)
        let noise = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &generator) }
        bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: noise)
      }
      try bytes.write(to: URL(fileURLWithPath: path))
      let summary = try expectTruth("seed \(seed), round \(round)")
      #expect(summary.kept > 200, "seed \(seed), round \(round)")
    }
  }

  @Test("Text in a record that looks like a page of records is not mistaken for one")
  func pageInRecord() throws {
    let forged = folder.file("forged.rollcall")
    let pages = try Data(contentsOf: URL(fileURLWithPath: path)).chunks(of: 4096)
    let leaf = try #require(pages.first { $0[10] == 2 && $0[11] == 0 })
    do {
      let log = try EventLog.create(at: forged, eventVersion: 1)
      // The text follows 80 other bytes, so the copies begin at page boundaries.
      let text = [UInt8](repeating: 32, count: 4096 - 80) + Array(leaf) + Array(leaf)
      try log.append([
        RecordDraft(time: nil, direction: .inbound, kind: stanza, bytes: text)
      ])
    }
    var bytes: [[UInt8]] = []
    let summary = try LogSalvage(forged, keeping: Self.isReadable).forEachRecord {
      bytes.append($0.bytes)
    }
    #expect(summary.last == 1 && summary.kept == 1)
    #expect(bytes.map(\.count) == [4096 * 3 - 80])
    // Nor without the meta pages, which would give the number of records.
    var damaged = try Data(contentsOf: URL(fileURLWithPath: forged))
    damaged.replaceSubrange(0..<8192, with: Data(count: 8192))
    try damaged.write(to: URL(fileURLWithPath: forged))
    #expect(try LogSalvage(forged, keeping: Self.isReadable).forEachRecord { _ in }.last == 1)
  }
}

extension Data {
  fileprivate func chunks(of size: Int) -> [Data] {
    stride(from: 0, to: count, by: size).map { Data(self[$0..<Swift.min($0 + size, count)]) }
  }
}
