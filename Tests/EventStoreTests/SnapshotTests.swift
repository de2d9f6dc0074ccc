import EventStore
import Foundation
import TestSupport
import Testing

private let version = SnapshotVersion(events: 1, reducer: 2, codec: 3)
private let older = SnapshotVersion(events: 1, reducer: 1, codec: 3)

/// A state that names its record, sometimes large enough for pages of its own.
private func state(of sequence: UInt64) -> [UInt8] {
  Array("state \(sequence) ".utf8)
    + Array(repeating: UInt8(truncatingIfNeeded: sequence), count: Int(sequence) * 137)
}

private func snapshot(_ sequence: UInt64, _ version: SnapshotVersion = version) -> SnapshotDraft {
  SnapshotDraft(sequence: sequence, version: version, state: state(of: sequence))
}

extension EventLog {
  /// Looks up a snapshot, checks its state and returns its record.
  fileprivate func found(atOrBefore sequence: UInt64) throws -> UInt64? {
    try read { transaction in
      try transaction.snapshot(atOrBefore: sequence, version: version) { header, bytes in
        #expect(header.version == version)
        #expect(bytes.copied == state(of: header.sequence))
        #expect(header.checksum == Checksum(of: bytes))
        return header.sequence
      }
    }
  }

  fileprivate func snapshotDamage() throws -> [UInt64: SnapshotDamage] {
    try read { transaction in
      var damages: [UInt64: SnapshotDamage] = [:]
      try transaction.forEachSnapshot { check, _ in
        if case .damaged(let sequence, let damage) = check { damages[sequence] = damage }
      }
      return damages
    }
  }

  fileprivate func figures() throws -> SnapshotFigures { try read { try $0.snapshotFigures } }

  fileprivate func digests() throws -> [LogDigest] {
    try read { transaction in
      try (1...transaction.lastSequence).compactMap { try transaction.record(at: $0)?.pack.digest }
    }
  }
}

@Suite("Snapshots") struct SnapshotTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.rollcall")
  }

  private func log(of count: Int = 40) throws -> EventLog {
    let log = try EventLog.create(at: path, eventVersion: 1)
    try log.append(drafts(count))
    return log
  }

  private func drafts(_ count: Int) -> [RecordDraft] {
    (0..<count).map { draft("record \($0)", event: [1], contacts: ["a@example.test"]) }
  }

  @Test("The newest snapshot of the right version is found")
  func newest() throws {
    let log = try log()
    #expect(try log.found(atOrBefore: 40) == nil)
    try log.store([snapshot(10), snapshot(30), snapshot(5, older), snapshot(20, older)])
    try log.store([snapshot(25, older), snapshot(40)])
    for sequence in UInt64(0)...45 {
      let expected: UInt64? = sequence < 10 ? nil : sequence < 30 ? 10 : sequence < 40 ? 30 : 40
      #expect(try log.found(atOrBefore: sequence) == expected, "at or before \(sequence)")
    }
    #expect(try log.found(atOrBefore: .max) == 40)
    #expect(try log.figures().count == 6)
  }

  @Test("A snapshot replaces an earlier one of its record")
  func replaced() throws {
    let log = try log()
    try log.store([snapshot(30), snapshot(20, older)])
    try log.store([snapshot(20), snapshot(30)])
    #expect(try log.found(atOrBefore: 29) == 20)
    #expect(try log.figures().count == 2)
    #expect(try log.snapshotDamage().isEmpty)
  }

  @Test("Snapshots never change the chain")
  func chain() throws {
    let log = try log()
    let before = try log.digests()
    try log.store((1...40).map { snapshot($0) })
    #expect(try log.digests() == before)
    try log.append([draft("more")])
    try log.store([snapshot(41)])
    try log.dropSnapshots()
    let plain = try EventLog.create(at: folder.file("plain.rollcall"), eventVersion: 1)
    try plain.append(drafts(40))
    try plain.append([draft("more")])
    #expect(try log.digests() == plain.digests())
    #expect(try log.damage().isEmpty)
  }

  @Test("An empty log accepts no snapshot")
  func emptyLog() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    try log.append([])
    #expect(throws: EventLogError.noRecordOfSnapshot(sequence: 0, last: 0)) {
      try log.store([snapshot(0)])
    }
    #expect(try log.found(atOrBefore: .max) == nil)
  }

  @Test("No snapshot of a refused batch is stored")
  func refused() throws {
    let log = try log()
    #expect(throws: EventLogError.noRecordOfSnapshot(sequence: 41, last: 40)) {
      try log.store([snapshot(40), snapshot(41)])
    }
    #expect(try log.figures().count == 0)
    let reader = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
    #expect(throws: EventLogError.readOnly(path: log.path)) { try reader.store([snapshot(1)]) }
    #expect(throws: EventLogError.readOnly(path: log.path)) { try reader.dropSnapshots() }
  }

  @Test("Large snapshots make the map grow")
  func growingMap() throws {
    let log = try EventLog.create(at: path, eventVersion: 1, mapSize: 1 << 18)
    try log.append(drafts(40))
    let large = Array(repeating: UInt8(1), count: 3 << 20)
    try log.store([SnapshotDraft(sequence: 7, version: version, state: large)])
    let bytes = try log.read { transaction in
      try transaction.snapshot(atOrBefore: 9, version: version) { $1.copied }
    }
    #expect(bytes == large)
    #expect(try log.figures().bytes >= 3 << 20)
  }

  @Test("The pages of dropped snapshots are reused")
  func dropping() throws {
    let log = try log()
    try log.store((1...40).map { snapshot($0) })
    try log.dropSnapshots()
    let figures = try log.figures()
    #expect(figures.count == 0 && figures.bytes == 0)
    #expect(try log.found(atOrBefore: 40) == nil)
    func size() throws -> Int {
      try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }
    let before = try size()
    for _ in 1...10 {
      try log.store((1...40).map { snapshot($0) })
      try log.dropSnapshots()
    }
    #expect(try size() <= 2 * before)
  }

  @Test("A rebuild drops the snapshots")
  func rebuild() throws {
    let log = try log()
    try log.store([snapshot(10)])
    try log.rebuildDerived { _, _ in DerivedParts(event: nil, contacts: []) }
    #expect(try log.figures().count == 0)
  }

  @Test("A log without the database of snapshots is refused")
  func without() throws {
    do { try log().store([snapshot(10)]) }
    Tampering(path).drop("snapshots")
    #expect(throws: EventLogError.damaged(path: path, what: "it has no database snapshots")) {
      try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
    }
  }

  // MARK: Damage

  @Test("If any byte of a snapshot changes, the snapshot before it is used")
  func changed() throws {
    do { try log().store([snapshot(3), snapshot(4)]) }
    let stored = try bytesOfSnapshot()
    for offset in Array(0..<100) + [stored.count - 1] {
      var changed = stored
      changed[offset] ^= 0x10
      Tampering(path).put("snapshots", [0, 0, 0, 0, 0, 0, 0, 4], changed)
      let log = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
      #expect(try log.found(atOrBefore: 40) == 3, "byte \(offset)")
      #expect(try log.snapshotDamage() == [4: offset < 44 ? .checksum : .state], "byte \(offset)")
    }
  }

  @Test("Unusable snapshots are reported")
  func unusable() throws {
    do { try log().store([snapshot(3), snapshot(4)]) }
    Tampering(path).put("snapshots", [0, 0, 0, 0, 0, 0, 0, 4], [1, 2, 3])
    Tampering(path).put("snapshots", [1], Array(repeating: 0, count: 100))
    let log = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
    #expect(try log.snapshotDamage() == [4: .unreadable, 0: .unreadable])
    var unusable: [UInt64] = []
    let found = try log.read { transaction in
      try transaction.snapshot(
        atOrBefore: 40, version: version, unusable: { sequence, _ in unusable.append(sequence) }
      ) { header, _ in header.sequence }
    }
    #expect(found == 3)
    #expect(unusable == [4])
  }

  @Test("A snapshot that was moved to another record is not used")
  func moved() throws {
    do { try log().store([snapshot(3), snapshot(4)]) }
    let stored = try bytesOfSnapshot()
    Tampering(path).put("snapshots", [0, 0, 0, 0, 0, 0, 0, 6], stored)
    Tampering(path).put("snapshots", [0, 0, 0, 0, 0, 0, 0, 60], stored)
    let log = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
    #expect(try log.found(atOrBefore: 100) == 4)
    #expect(try log.snapshotDamage() == [6: .checksum, 60: .noRecord])
  }

  /// The stored snapshot of record 4, which is large enough for pages of its own.
  private func bytesOfSnapshot() throws -> [UInt8] {
    try Tampering(path).value("snapshots", [0, 0, 0, 0, 0, 0, 0, 4])
  }
}

@Suite("The pacing of snapshots") struct SnapshotPacingTests {
  /// The first snapshot is due after half of the bytes, and so may exceed the share.
  @Test("Whatever is appended, the share and the minimum distance are kept", arguments: 1...20)
  func share(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let ratio = Int.random(in: 1...20, using: &generator)
    let minRecords = Int.random(in: 1...500, using: &generator)
    var pacing = SnapshotPacing(ratio: ratio, minRecords: minRecords)
    var state = 100
    var (logged, stored, first, since, bytesSince) = (0, 0, 0, 0, 0)
    for record in 1...20_000 {
      // Mostly small changes; sometimes a whole roster is added or removed.
      state += Int.random(in: -20...40, using: &generator)
      if Int.random(in: 0..<3000, using: &generator) == 0 {
        state = Int.random(in: 0...200_000, using: &generator)
      }
      state = max(0, state)
      let bytes = Int.random(in: 20...800, using: &generator)
      pacing.appended(bytes: bytes)
      logged += bytes
      since += 1
      bytesSince += bytes
      let pages = (state + 44 + 4095) / 4096 * 4096
      guard pacing.isDue, pacing.admits(stateBytes: state) else { continue }
      #expect(since >= minRecords, "seed \(seed), record \(record)")
      let way = stored == 0 ? 2 * bytesSince : bytesSince
      #expect(way >= ratio * pages, "seed \(seed), record \(record)")
      if stored == 0 { first = pages }
      stored += pages
      (since, bytesSince) = (0, 0)
      #expect((2 * stored - first) * ratio <= 2 * logged, "seed \(seed), record \(record)")
    }
    #expect(stored > 0, "seed \(seed)")
  }

  @Test("Whatever is appended, increments keep to their own share", arguments: 21...30)
  func incrementShare(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let ratio = Int.random(in: 4...20, using: &generator)
    let minRecords = Int.random(in: 1...500, using: &generator)
    var pacing = SnapshotPacing(incrementRatio: ratio, minRecords: minRecords)
    var (wholes, increments, since, logged, stored) = (0, 0, 0, 0, 0)
    for record in 1...40_000 {
      let bytes = Int.random(in: 20...800, using: &generator)
      pacing.appended(bytes: bytes)
      logged += bytes
      since += 1
      if pacing.isDue, pacing.admits(stateBytes: 400_000) {
        wholes += 1
        since = 0
      } else if pacing.isIncrementDue {
        let size = Int.random(in: 1000...60_000, using: &generator)
        guard pacing.admits(incrementBytes: size) else { continue }
        #expect(since >= minRecords, "seed \(seed), record \(record)")
        increments += 1
        since = 0
        stored += (size + 44 + 4095) / 4096 * 4096
        #expect(stored * ratio <= logged, "seed \(seed), record \(record)")
      }
    }
    #expect(wholes > 2, "seed \(seed)")
    // At most 27 between two whole ones, and some before the size of a whole one is known.
    #expect(increments > wholes && increments <= 28 * wholes, "seed \(seed)")
  }

  @Test("Small increments are stored as often as allowed between whole snapshots")
  func smallIncrements() {
    var pacing = SnapshotPacing(minRecords: 1)
    // The numbers of increments before the first whole snapshot and after each one.
    var kept = [0]
    for _ in 0..<20_000 {
      pacing.appended(bytes: 400)
      if pacing.isDue, pacing.admits(stateBytes: 400_000) {
        kept.append(0)
      } else if pacing.isIncrementDue, pacing.admits(incrementBytes: 1000) {
        kept[kept.count - 1] += 1
      }
    }
    #expect(kept.count > 3)
    #expect(kept.dropFirst().dropLast().allSatisfy { $0 == 27 }, "\(kept)")
  }

  @Test("Small states are never stored as increments")
  func smallStates() {
    var pacing = SnapshotPacing()
    var wholes = 0
    for _ in 1...20_000 {
      pacing.appended(bytes: 400)
      #expect(!pacing.isIncrementDue)
      if pacing.isDue, pacing.admits(stateBytes: 60_000) { wholes += 1 }
    }
    #expect(wholes > 10)
  }

  @Test("Snapshots of a constant size are due at a constant distance")
  func constantState() {
    var pacing = SnapshotPacing(ratio: 7, minRecords: 256)
    var taken: [Int] = []
    for record in 1...3000 {
      pacing.appended(bytes: 100)
      if pacing.isDue, pacing.admits(stateBytes: 8000) { taken.append(record) }
    }
    // 8,044 bytes take two pages of 4,096 bytes. 7 times that is 573.44 records of 100 bytes, and
    // the first snapshot is due after half of them.
    #expect(taken == [287, 861, 1435, 2009, 2583])
  }

  @Test("A due snapshot that could not be stored is due again some records later")
  func postponed() {
    var pacing = SnapshotPacing(ratio: 1, minRecords: 20)
    func append(_ count: Int) { for _ in 0..<count { pacing.appended(bytes: 1000) } }
    append(20)
    let before = pacing
    #expect(pacing.isDue && pacing.admits(stateBytes: 3000) && !pacing.isDue)
    pacing = before.postponed
    #expect(!pacing.isDue)
    append(19)
    #expect(!pacing.isDue)
    append(1)
    #expect(pacing.isDue && pacing.admits(stateBytes: 3000))
  }

  @Test("Snapshots keep to their share of the whole file, index included")
  func fileShare() throws {
    let folder = try TemporaryFolder()
    let log = try EventLog.create(at: folder.file("a.rollcall"), eventVersion: 1)
    var generator = SeededGenerator(seed: 9)
    var pacing = SnapshotPacing()
    let state = [UInt8](repeating: 2, count: 20_000)
    var logged = 0
    for _ in 0..<400 {
      let drafts = randomDrafts(20, using: &generator, bytes: 200...500)
      for draft in drafts {
        pacing.appended(bytes: draft.bytes.count)
        logged += draft.bytes.count
      }
      let isTaken = pacing.isDue && pacing.admits(stateBytes: state.count)
      let last = try log.append(drafts).upperBound - 1
      guard isTaken else { continue }
      try log.store([SnapshotDraft(sequence: last, version: version, state: state)])
    }
    let figures = try log.figures()
    let size = try #require(
      FileManager.default.attributesOfItem(atPath: log.path)[.size] as? Int)
    #expect(figures.count > 5)
    // At most a seventh of the file by default, and not much less.
    #expect(figures.bytes * 7 <= size)
    #expect(figures.bytes * 7 >= logged)
  }
}
