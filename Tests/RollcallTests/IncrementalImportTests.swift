import Captures
import EventStore
import Foundation
@testable import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A capture that is imported again after it has grown or lost its beginning.
@Suite("Importing again") struct IncrementalImportTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func newLog() throws -> EventLog {
    try EventLog.create(
      at: folder.file("\(UUID()).rollcall"), eventVersion: RecordReader.version)
  }

  /// Reads a capture into a log of its own.
  private func staged(
    _ bytes: some Collection<UInt8>, knowing known: [ImportedSource], called name: String,
    account: BareJID?
  ) throws -> StagedImport? {
    let path = folder.file("\(UUID())")
    try Data(bytes).write(to: URL(filePath: path))
    let log = try newLog()
    var reading = CaptureImport(ImportOptions(account: account))
    let file = try FileHandle(forReadingFrom: URL(filePath: path))
    let summary = try reading.run(
      file, into: log, printer: SourceFingerprinter(name, knowing: known))
    guard summary.records > 0, let print = summary.print else { return nil }
    let capture = StagedCapture(
      prints: [print], records: 1...UInt64(summary.records), connections: reading.connections)
    return StagedImport(log, [capture])
  }

  private func add(
    _ bytes: some Collection<UInt8>, to log: EventLog, called name: String = "it",
    account: BareJID? = nil
  ) throws -> ImportOutcome? {
    let staged = try staged(
      bytes, knowing: try log.meta.imports, called: name, account: account)
    return try staged?.append(to: log, takingAll: false).first
  }

  /// The contents of a log, regardless of how it is packed and of the header that identifies a
  /// capture whose beginning does not.
  private func records(_ log: EventLog) throws -> [String] {
    try log.read { transaction in
      let names = try transaction.meta.connections
      var records: [String] = []
      try transaction.forEachRecord(in: 1...UInt64.max) { header, bytes in
        guard !header.kind.isCaptureHeader(bytes) else { return }
        records.append(
          "\(header.ownTime ?? 0) \(header.direction) \(header.kind.rawValue) "
            + "\(names[header.connection] ?? "\(header.connection)") \(LogDigest(of: bytes))")
      }
      return records
    }
  }

  @Test(
    "A capture that has grown gives the same result as the whole, wherever it was cut",
    arguments: CaptureCase.all)
  func grown(_ test: CaptureCase) throws {
    let account = try BareJID(parsing: test.account)
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: test.path)))
    let whole = try newLog()
    _ = try add(bytes, to: whole, account: account)
    let expected = try records(whole)
    #expect(!expected.isEmpty)
    var generator = SeededGenerator(seed: UInt64(bytes.count))
    for _ in 0..<3 {
      let log = try newLog()
      let cuts = (0..<2).map { _ in Int.random(in: 0...bytes.count, using: &generator) }.sorted()
      for cut in cuts + [bytes.count] {
        do {
          _ = try add(bytes[..<cut], to: log, account: account)
        } catch let error as ImportError {
          // Too short to detect the format or the account.
          #expect(cut < bytes.count, "\(error)")
        } catch let error as CaptureError {
          #expect(cut < bytes.count, "\(error)")
        }
      }
      #expect(try records(log) == expected, "cut at \(cuts)")
      let before = try log.meta.imports
      let again = try add(bytes, to: log, account: account)
      #expect(again?.appended == nil)
      #expect(again?.known.values.reduce(0, +) ?? 0 >= expected.count)
      #expect(try log.meta.imports == before)
    }
  }

  @Test("A capture that had only its first line is recognized by it, whichever is appended first")
  func firstLine() throws {
    let head = Data(#"{"account":"alice@example.test/a","rollcall-capture":1}"#.utf8 + [0x0A])
    let line = #"{"t":2000,"dir":"in","xml":"<presence from='bob@example.test/x'/>"}"#
    let whole = head + Data((line + "\n").utf8)
    for (first, second) in [(head, whole), (whole, head)] {
      let log = try newLog()
      try log.append([], marks: LogMarks(account: "alice@example.test"))
      // Both are read before either is appended.
      let both = try [first, second].compactMap {
        try staged($0, knowing: [], called: "it", account: nil)
      }
      for (place, one) in both.enumerated() {
        _ = try one.append(to: log, takingAll: false)
        guard place == 0 else { continue }
        // Records in between are not another device's capture.
        try log.append([
          RecordDraft(
            time: 3000, direction: .inbound, kind: .element, bytes: Array("<r/>".utf8),
            decoded: DerivedParts(event: nil, contacts: []))
        ])
      }
      #expect(try log.read { try $0.lastSequence } == 3)
    }
  }

  /// Cuts at the beginning of a line, because that is where files are rotated.
  private func line(after place: Int, in bytes: [UInt8]) -> Int {
    bytes[place...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
  }

  /// Rotates a capture in several ways, and returns how many left enough to recognize it.
  private func rotations(
    of test: CaptureCase, using generator: inout SeededGenerator
  ) throws -> Int {
    let account = try BareJID(parsing: test.account)
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: test.path)))
    let whole = try newLog()
    _ = try add(bytes, to: whole, account: account)
    let expected = try records(whole)
    var checked = 0
    for _ in 0..<4 {
      let start = line(after: Int.random(in: 0..<bytes.count / 2, using: &generator), in: bytes)
      let end = line(after: Int.random(in: start..<bytes.count, using: &generator), in: bytes)
      // The rest as a capture by itself, which can begin with half a record or have no account.
      let rest = try newLog()
      guard (try? add(bytes[start...], to: rest, account: account)) ?? nil != nil,
        case let own = try records(rest), own == Array(expected.suffix(own.count))
      else { continue }
      let log = try newLog()
      guard (try? add(bytes[..<end], to: log, account: account)) ?? nil != nil,
        case let before = try records(log), expected.starts(with: before)
      else { continue }
      // Less than this is too little to recognize it.
      guard before.count + own.count - expected.count >= 4 else { continue }
      checked += 1
      let outcome = try add(bytes[start...], to: log, account: account)
      #expect(try records(log) == expected, "\(test) from \(start), known up to \(end)")
      #expect(
        outcome?.isRotated == (outcome?.appended != nil && own.count < expected.count), "\(test)")
      let again = try add(bytes[start...], to: log, account: account)
      #expect(again?.appended == nil, "\(test)")
    }
    return checked
  }

  @Test("A capture without its beginning is continued where the log ends")
  func rotated() throws {
    var generator = SeededGenerator(seed: 13)
    var checked: [String: Int] = [:]
    for test in CaptureCase.all {
      checked[test.format, default: 0] += try rotations(of: test, using: &generator)
    }
    #expect(checked.count >= 4 && checked.allSatisfy { $0.value > 2 }, "\(checked)")
  }

  @Test("The longest prefix of one sequence that is the end of another one")
  func overlaps() {
    for (beginning, other, count, end) in [
      ([], [], 0, 0), ([1], [], 0, 0), ([], [1], 0, 1), ([1, 2], [1, 2], 2, 2),
      ([2, 3, 4], [1, 2, 3], 2, 3), ([2, 3], [1, 2, 3, 4], 2, 3), ([1, 1, 2], [1, 1, 1], 2, 3),
      ([1, 2, 1, 3], [0, 1, 2, 1, 2, 1], 3, 6), ([5], [1, 2], 0, 2),
    ] as [([UInt64], [UInt64], Int, Int)] {
      let overlap = Overlap(of: beginning, and: other)
      #expect(overlap.count == count && overlap.end == end, "\(beginning) and \(other)")
    }
  }

  @Test("The same capture given twice in one import is imported and noted once")
  func twice() throws {
    let bytes = try Data(contentsOf: URL(filePath: CaptureCase.all[0].path))
    let account = try BareJID(parsing: CaptureCase.all[0].account)
    var collection = CaptureCollection()
    for _ in 0..<2 {
      let staged = try #require(
        try staged(bytes, knowing: collection.sources, called: "it", account: account))
      try collection.add(
        staged.captures[0], in: staged.log, called: "it", of: "it", keepingAll: false)
    }
    let staged = try collection.staged { try newLog() }
    #expect(staged.captures.map(\.prints.count) == [1])
    let log = try newLog()
    #expect(try staged.append(to: log, takingAll: false).map { $0.appended != nil } == [true])
    #expect(try log.meta.imports.count == 1)
    let whole = try newLog()
    _ = try add(bytes, to: whole, account: account)
    #expect(try records(log) == records(whole))
  }

  @Test("A few equal records without times are not enough to recognize a capture")
  func chance() throws {
    let header = #"{"rollcall-capture":1,"account":"alice@example.test/a"}"# + "\n"
    func presences(_ names: String) -> String {
      names.map { #"{"dir":"in","xml":"<presence from='\#($0)@example.test/x'/>"}"# + "\n" }
        .joined()
    }
    let log = try newLog()
    _ = try add((header + presences("abcd")).utf8, to: log)
    #expect(try add((header + presences("cde")).utf8, to: log)?.known == [:])
    #expect(try records(log).count == 7)
    #expect(try add((header + presences("dcdefg")).utf8, to: log)?.known.values.reduce(0, +) == 5)
    #expect(try records(log).count == 9)
  }
}
