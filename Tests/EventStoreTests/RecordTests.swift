import EventStore
import Foundation
import TestSupport
import Testing

/// Records are read in order and exactly as they were written.
@Suite("Records") struct RecordTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.rollcall")
  }

  @Test("A new log is empty")
  func newLog() throws {
    let log = try EventLog.create(at: path, eventVersion: 3, account: "alice@example.test")
    #expect(try log.last == 0)
    #expect(try log.contents().isEmpty)
    let meta = try log.meta
    #expect(meta.formatVersion == 3)
    #expect(meta.account == "alice@example.test")
    #expect(meta.eventVersion == 3)
    #expect(meta.imports.isEmpty)
    #expect(try log.derivedIsCurrent)
    #expect(try log.read { try $0.record(at: 1) } == nil)
    #expect(try log.read { try $0.lastSequence(atOrBefore: .max) } == 0)
  }

  @Test(
    "Records of random batches are read in order, without a gap", arguments: [1, 2, 3] as [UInt64])
  func gapless(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var log = try EventLog.create(at: path, eventVersion: 1)
    var expected: [Content] = []
    for _ in 0..<30 {
      let size = Int.random(in: 0...40, using: &generator)
      let drafts = randomDrafts(size, using: &generator)
      let first = UInt64(expected.count) + 1
      #expect(try log.append(drafts) == first..<(first + UInt64(size)), "seed \(seed)")
      expected += drafts.contents(from: first)
      if Int.random(in: 0..<5, using: &generator) == 0 {
        log = try EventLog.open(at: path, access: .readWrite, eventVersion: 1)
      }
    }
    #expect(try log.contents() == expected, "seed \(seed)")
    #expect(try log.damage().isEmpty)
    for content in expected {
      let record = try #require(try log.read { try $0.record(at: content.sequence) })
      #expect(record.bytes == content.bytes, "seed \(seed)")
    }
  }

  @Test("A reopened log has the records that were written")
  func reopened() throws {
    let drafts = [
      draft("<presence/>", time: 5, direction: .outbound, event: [1]),
      draft("", time: nil, direction: .none), draft("<iq/>", time: 9, event: []),
    ]
    do {
      let log = try EventLog.create(at: path, eventVersion: 1)
      try log.append(drafts)
    }
    let log = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
    #expect(try log.contents() == drafts.contents())
    let events = try log.derived(contacts: []).events
    #expect(events.map(\.bytes) == [[1], []])
    #expect(events.map(\.header.sequence) == [1, 3])
    #expect(events.map(\.header.time) == [5, 9])
    #expect(events.map(\.header.direction) == [.outbound, .inbound])
    #expect(throws: EventLogError.readOnly(path: log.path)) { try log.append(drafts) }
  }

  @Test("A range of records is clamped to the log")
  func ranges() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    try log.append((1...10).map { draft("\($0)", event: [UInt8($0)]) })
    func numbers(_ range: ClosedRange<UInt64>) throws -> [UInt64] {
      var found: [UInt64] = []
      try log.forEachRecord(in: range) { header, _ in found.append(header.sequence) }
      return found
    }
    #expect(try numbers(3...5) == [3, 4, 5])
    #expect(try numbers(0...2) == [1, 2])
    #expect(try numbers(9...100) == [9, 10])
    #expect(try numbers(11...100).isEmpty)
    #expect(try numbers(0...0).isEmpty)
    var events: [UInt64] = []
    _ = try log.read {
      try $0.forEachEvent(in: 4...6, deriving: { _, _ in nil }) { header, _ in
        events.append(header.sequence)
      }
    }
    #expect(events == [4, 5, 6])
  }

  @Test("A pass over chosen records gives their events and no others")
  func chosenEvents() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    // Not each record means something, and each append is a pack of its own.
    try log.append((1...10).map { draft("\($0)", event: $0 == 5 ? nil : [UInt8($0)]) })
    try log.append((11...13).map { draft("\($0)", event: [UInt8($0)]) })
    for sequences: [UInt64] in [[], [5], [1], [13], [3, 4, 5, 6, 12], Array(1...13)] {
      var found: [UInt64] = []
      try log.read {
        try $0.forEachStoredEvent(of: sequences[...]) { header, event in
          #expect(event.copied == [UInt8(header.sequence)])
          found.append(header.sequence)
        }
      }
      #expect(found == sequences.filter { $0 != 5 })
    }
  }

  @Test("A pass over the log uses short transactions, and ends where the log ended at its start")
  func pass() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    let text = String(repeating: "p", count: EventLog.pieceBytes / 4)
    for _ in 0..<5 { try log.append((1...3).map { _ in draft(text, event: [1]) }) }
    var found: [UInt64] = []
    var pieces: [Int] = []
    try log.forEachRecord(in: 2...UInt64.max) { header, bytes in
      #expect(bytes.byteCount == text.utf8.count)
      found.append(header.sequence)
    } between: {
      pieces.append(found.count)
      // This would be refused if the pass had a transaction open on this thread.
      try log.append([draft("meanwhile")])
    }
    #expect(found == Array(2...15))
    // A piece has at least one pack, and none after the limit in bytes.
    #expect(pieces.count >= 3 && pieces.first.map { $0 < 8 } == true, "\(pieces)")
    #expect(throws: CancellationError.self) {
      try log.forEachRecord(in: 1...3) { _, _ in throw CancellationError() }
    }
  }

  @Test("Events are passed in pieces as well, and none twice", arguments: [false, true])
  func eventPieces(isDamaged: Bool) throws {
    let event = Array(repeating: UInt8(7), count: 40_000)
    do {
      let log = try EventLog.create(at: path, eventVersion: 1)
      for _ in 0..<4 { try log.append((1...3).map { draft("\($0)", event: event) }) }
    }
    if isDamaged { Tampering(path).delete("events", [0, 0, 0, 0, 0, 0, 0, 4]) }
    let again = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
    var found: [UInt64] = []
    var next: UInt64? = 2
    var pieces = 0
    while let first = next {
      pieces += 1
      next = try again.read {
        try $0.forEachEvent(
          in: first...11, bytes: 64 << 10, deriving: { _, _ in event },
          { header, bytes in
            #expect(bytes.byteCount == event.count)
            found.append(header.sequence)
          })
      }
    }
    #expect(found == Array(2...11))
    #expect(pieces > 2)
  }

  @Test("A large record is stored completely, up to a limit")
  func largeRecord() throws {
    let log = try EventLog.create(at: path, eventVersion: 1, mapSize: 1 << 20)
    let bytes = (0..<(17 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try log.append([RecordDraft(time: 1, direction: .inbound, kind: stanza, bytes: bytes)])
    #expect(try log.read { try $0.record(at: 1) }?.bytes == bytes)
    let limit = 64 << 20
    let huge = RecordDraft(
      time: 1, direction: .inbound, kind: stanza, bytes: Array(repeating: 0, count: limit + 1))
    #expect(throws: EventLogError.payloadTooLong(bytes: limit + 1, limit: limit)) {
      try log.append([huge])
    }
    #expect(try log.last == 1)
  }

  // MARK: Time

  @Test("Time never runs backwards, and the source's own times are kept")
  func time() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    let source: [Int64?] = [nil, 100, 90, nil, 100, 150, 149, nil, 150]
    try log.append(source.prefix(4).map { draft("", time: $0) })
    try log.append(source.dropFirst(4).map { draft("", time: $0) })
    var headers: [RecordHeader] = []
    try log.forEachRecord(in: 1...9) { header, _ in headers.append(header) }
    #expect(headers.map(\.time) == [nil, 100, 100, nil, 100, 150, 150, nil, 150])
    #expect(headers.map(\.sourceTime) == [nil, nil, 90, nil, nil, nil, 149, nil, nil])
    #expect(headers.map(\.clock) == [nil, 100, 100, 100, 100, 150, 150, 150, 150])
  }

  /// A pack has one clock, and each record stores its distance from that in 32 bits.
  @Test("A record is read as it was written, whatever its time, connection and source time")
  func heads() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    let distance: Int64 = 1 << 32
    let times: [Int64?] = [nil, 5, 5 + distance - 1, 5 + distance, 5, nil, .max, 0]
    var drafts = times.map { draft("x", time: $0) }
    for (index, connection) in ([1, 2, 300, .max] as [UInt32]).enumerated() {
      drafts[index + 2].connection = connection
      drafts[index + 3].direction = [.outbound, .none][index % 2]
      drafts[index].kind = RecordKind(rawValue: UInt8(255 - index))
    }
    // Times before 1970, and times so far apart that their distance overflows 64 bits.
    try log.append(drafts)
    try log.append([draft("y", time: .min)])
    let other = try EventLog.create(at: folder.file("other"), eventVersion: 1)
    try other.append([draft("a", time: .min), draft("b", time: -1), draft("c", time: .max)])
    var found: [RecordDraft] = []
    try log.forEachRecord(in: 1...8) { header, bytes in
      found.append(
        RecordDraft(
          time: header.ownTime, direction: header.direction, kind: header.kind,
          connection: header.connection, bytes: bytes.copied))
    }
    #expect(found == drafts)
    #expect(try log.read { try $0.header(at: 9)?.ownTime } == .min)
    #expect(try log.read { try $0.header(at: 9)?.clock } == .max)
    let clocks = try other.read { transaction in
      try (1...3).map { try transaction.header(at: $0)?.clock }
    }
    #expect(clocks == [.min, -1, .max])
    #expect(try log.damage().isEmpty && other.damage().isEmpty)
  }

  @Test("The clock of a pack is the first clock of its records")
  func clockOfPack() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    let text = String(repeating: "x", count: 20_000)
    // Two packs in one commit, and one whose first record has no clock.
    try log.append([draft(text, time: 5), draft(text, time: 7)])
    let other = try EventLog.create(at: folder.file("other"), eventVersion: 1)
    try other.append([draft("a"), draft("b", time: 9), draft("c", time: 10)])
    func clock(_ path: String, _ first: UInt8) throws -> [UInt8] {
      let pack = try Tampering(path).value("records", [0, 0, 0, 0, 0, 0, 0, first])
      return Array(pack[40..<48])
    }
    #expect(try clock(path, 1) == [0, 0, 0, 0, 0, 0, 0, 5])
    #expect(try clock(path, 2) == [0, 0, 0, 0, 0, 0, 0, 7])
    #expect(try clock(folder.file("other"), 1) == [0, 0, 0, 0, 0, 0, 0, 9])
  }

  @Test(
    "The last record at or before a time is found",
    arguments: [
      (Int64.min, 0), (99, 0), (100, 5), (149, 5), (150, 9), (Int64.max, 9),
    ] as [(Int64, UInt64)])
  func lastAtTime(time: Int64, expected: UInt64) throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    let source: [Int64?] = [nil, 100, 90, nil, 100, 150, 149, nil, 150]
    try log.append(source.map { draft("", time: $0) })
    #expect(try log.read { try $0.lastSequence(atOrBefore: time) } == expected)
  }

  @Test("Records before the first known time are found at no time")
  func noTime() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    try log.append([draft("a"), draft("b")])
    #expect(try log.read { try $0.lastSequence(atOrBefore: .max) } == 0)
  }

  // MARK: Digests

  /// The expected digests of two packs were computed from the definition by another program.
  @Test("The chain follows its definition")
  func chainDefinition() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    try log.append([
      draft("<presence/>", time: 1_763_600_000_000),
      draft("<iq/>", time: 1_763_599_999_000, direction: .outbound),
    ])
    try log.append([draft("x")])
    #expect(
      RecordChain.start.description
        == "5523b9fcd52e4bac842baf43cde48e199ab4c3c52a43c8343b4c8a31036202c8")
    let digests = try log.read { transaction in
      try [2, 3].map { try transaction.record(at: $0)?.pack.digest.description }
    }
    #expect(
      digests == [
        "8336cacaebac913e30c93b19b85e93f89af18a4d964a45559e1eb3e4b9f0a7ba",
        "4aff06b13d09e4959798789d72d193bfa5473f3ffd751409296a691b6e41f726",
      ])
  }

  /// The expected checksums of a block of events, a block of the index and a snapshot were computed
  /// from the definition by another program.
  @Test("The checksums of derived parts follow their definition")
  func checksumDefinition() throws {
    do {
      let log = try EventLog.create(at: path, eventVersion: 1)
      try log.append([draft("<presence/>", event: [1, 2, 3], contacts: ["bob@example.test"])])
      let version = SnapshotVersion(events: 1, reducer: 2, codec: 3)
      try log.store([SnapshotDraft(sequence: 1, version: version, state: [7, 8, 9])])
    }
    let first: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
    func stored(_ database: String) throws -> String {
      try Tampering(path).value(database, first).map { String(format: "%02x", $0) }.joined()
    }
    #expect(
      try stored("events")
        == "c857bc6fcf5c367f374572dd2ee9ba94" + "0000000000000001" + "0000000000000000"
        + "0000000300000101010203")
    #expect(
      try stored("index")
        == "48b41643d482c1c1ca31b9b7c97492a9" + "0000000000000001" + "378dd0547bd10000")
    #expect(
      try stored("snapshots")
        == "000000010000000200000003" + "67a4ae3d8b2d3739486a015ec4e7e05e"
        + "aaadd52dfc96689ca0ee7275c3216f56" + "070809")
  }

  @Test("A running checksum depends on the bytes but not on how they are split into pieces")
  func runningChecksum() {
    func checksum(_ bytes: [UInt8], in pieces: Int) -> Checksum {
      var running = RunningChecksum()
      for start in stride(from: 0, to: bytes.count, by: pieces) {
        running.update(bytes[start..<min(start + pieces, bytes.count)].span.bytes)
        // Reading it in between changes nothing.
        if start.isMultiple(of: 7) { _ = running.checksum }
      }
      return running.checksum
    }
    let block = 64 << 10
    var seen: Set<Checksum> = []
    for count in [0, 1, block - 1, block, block + 1, 2 * block, 2 * block + 9000] {
      var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 7) }
      let whole = checksum(bytes, in: max(1, count))
      for pieces in [4093, block - 1, block, block + 1] {
        #expect(checksum(bytes, in: pieces) == whole, "\(count) bytes in pieces of \(pieces)")
      }
      seen.insert(whole)
      for index in [0, count / 2, count - 1] where bytes.indices.contains(index) {
        bytes[index] ^= 1
        seen.insert(checksum(bytes, in: block))
        bytes[index] ^= 1
      }
    }
    // The three indices are the same one for a single byte.
    #expect(seen.count == 7 + 1 + 5 * 3)
  }

  /// A log does not verify the pack that it wrote last unless another one has been appended since.
  @Test("Several users of a log that append in turn make one chain")
  func chainByTurns() throws {
    let one = try EventLog.create(at: path, eventVersion: 1)
    let two = try EventLog.open(at: path, access: .readWrite, eventVersion: 1)
    let other = folder.file("other")
    _ = try EventLog.create(at: other, eventVersion: 1)
    for (number, log) in [one, one, two, one, two, two, one, one].enumerated() {
      let records = number == 4 ? [] : [draft("\(number)", time: Int64(100 - number))]
      try log.append(records)
      // This newly opened log has not written the last pack, so it verifies that pack.
      try EventLog.open(at: other, access: .readWrite, eventVersion: 1).append(records)
    }
    let last = try one.read { try $0.record(at: 7)?.pack }
    let expected = try EventLog.open(at: other, access: .readOnly, eventVersion: 1).read {
      try $0.record(at: 7)?.pack
    }
    #expect(last != nil && last == expected)
    #expect(try one.read { try $0.header(at: 7) }?.time == 100)
    #expect(try one.damage().isEmpty)
  }

  @Test("The chain depends on every part of a record")
  func chainParts() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    let base = draft("x", time: 5)
    var others = [base, base, base, base, base]
    others[1].time = 6
    others[2].direction = .outbound
    others[3].kind = RecordKind(rawValue: 2)
    others[4].bytes = [0x79]
    others.append(base)
    others[5].connection = 2
    var digests: Set<LogDigest> = [RecordChain.start]
    for (number, other) in others.enumerated() {
      let single = try EventLog.create(at: folder.file("\(number)"), eventVersion: 1)
      try single.append([other])
      digests.insert(try #require(try single.read { try $0.record(at: 1) }).pack.digest)
    }
    // The digest of a second, equal pack differs, and so does that of both records in one pack.
    try log.append([base])
    try log.append([base])
    digests.insert(try #require(try log.read { try $0.record(at: 2) }).pack.digest)
    let pair = try EventLog.create(at: folder.file("pair"), eventVersion: 1)
    try pair.append([base, base])
    digests.insert(try #require(try pair.read { try $0.record(at: 2) }).pack.digest)
    #expect(digests.count == 9)
  }
}
