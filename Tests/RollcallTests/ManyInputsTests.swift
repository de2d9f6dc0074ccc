import Captures
import EventStore
import Foundation
@testable import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// Several captures that are read together.
@Suite("Captures that are read together") struct ManyInputsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func newLog() throws -> EventLog {
    try EventLog.create(
      at: folder.file("\(UUID()).rollcall"), eventVersion: RecordReader.version)
  }

  /// Adds a file of a log; does nothing if the bytes have no record.
  private func add(
    _ bytes: some Collection<UInt8>, to collection: inout CaptureCollection, of source: String,
    _ format: CaptureFormat? = nil
  ) throws {
    let path = folder.file("\(UUID())")
    try Data(bytes).write(to: URL(filePath: path))
    let log = try newLog()
    var reading = CaptureImport(ImportOptions(format: format))
    let summary = try reading.run(try FileHandle(forReadingFrom: URL(filePath: path)), into: log)
    guard summary.records > 0 else { return }
    let capture = StagedCapture(
      prints: [], records: 1...UInt64(summary.records), connections: reading.connections)
    try collection.add(capture, in: log, called: source, of: source, keepingAll: false)
  }

  /// The contents of a log, regardless of how it is packed.
  private func records(_ log: EventLog) throws -> [String] {
    var records: [String] = []
    let names = try log.meta.connections
    try log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      guard !header.kind.isCaptureHeader(bytes) else { return }
      records.append(
        "\(header.ownTime ?? 0) \(header.direction) \(header.kind.rawValue) "
          + "\(names[header.connection] ?? "\(header.connection)") \(LogDigest(of: bytes))")
    }
    return records
  }

  @Test(
    "The files of a rotated log give the same result as the whole, wherever it was rotated",
    arguments: CaptureCase.all.filter { $0.format == "slixmpp" })
  func rotated(_ test: CaptureCase) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: test.path)))
    let format = try #require(CaptureFormat.detect(bytes))
    var whole = CaptureCollection()
    try add(bytes, to: &whole, of: "debug.log", format)
    let expected = try records(try whole.staged { try newLog() }.log)
    // A program rotates its log between two lines; this is the prefix of an element's line.
    let stamp = "2026-11-21 17:34:59,191 slixmpp.xmlstream.xmlstream DEBUG ".utf8.count
    let lines = bytes.indices.filter { $0 > 0 && bytes[$0 - 1] == UInt8(ascii: "\n") }
      .filter { line in
        ["SEND: ", "RECV: "].contains { bytes[line...].dropFirst(stamp).starts(with: $0.utf8) }
      }
    var generator = SeededGenerator(seed: UInt64(bytes.count))
    for _ in 0..<3 {
      let cuts = (0..<3).compactMap { _ in lines.randomElement(using: &generator) }.sorted()
      var collection = CaptureCollection()
      for (start, end) in zip([0] + cuts, cuts + [bytes.count]) {
        try add(bytes[start..<end], to: &collection, of: "debug.log", format)
      }
      let staged = try collection.staged { try newLog() }
      #expect(try records(staged.log) == expected, "cut at \(cuts)")
      #expect(try staged.log.meta.connections.isEmpty)
    }
  }

  private static func line(_ time: Int, _ rest: String) -> String { "{\"t\":\(time),\(rest)}\n" }

  private static func session(_ resource: String, at time: Int) -> String {
    "{\"rollcall-capture\":1,\"account\":\"alice@example.test/\(resource)\"}\n"
      + line(time, "\"stream\":\"opened\",\"jid\":\"alice@example.test/\(resource)\"")
      + line(time + 10, "\"dir\":\"out\",\"xml\":\"<presence/>\"")
  }

  private static func presence(at time: Int) -> String {
    "{\"rollcall-capture\":1,\"account\":\"alice@example.test/phone\"}\n"
      + line(time, "\"dir\":\"in\",\"xml\":\"<presence from='b@example.test/x'/>\"")
  }

  @Test(
    "Which captures are kept apart, and under what names",
    arguments: [
      // One after the other, each with a login: two devices.
      (
        [("phone", session("phone", at: 0)), ("laptop", session("laptop", at: 100))],
        ["phone", "laptop"]
      ),
      (
        [("laptop", session("laptop", at: 100)), ("phone", session("phone", at: 0))],
        ["phone", "laptop"]
      ),
      // At the same time.
      (
        [("phone", session("phone", at: 0)), ("laptop", session("laptop", at: 5))],
        ["phone", "laptop"]
      ),
      // The second begins in the middle of the first one's session.
      ([("monday", session("phone", at: 0)), ("tuesday", presence(at: 50))], []),
      // It cannot continue a later capture.
      (
        [("monday", session("phone", at: 100)), ("tuesday", presence(at: 50))],
        ["tuesday", "monday"]
      ),
      // Two files of one log, although both have a login.
      ([("log", session("phone", at: 0)), ("log", session("phone", at: 100))], []),
      // Captures that overlap are not one log, even if their names are equal.
      ([("log", session("phone", at: 0)), ("log", session("laptop", at: 5))], ["log", "log"]),
    ])
  func apart(_ files: [(String, String)], _ names: [String]) throws {
    var collection = CaptureCollection()
    for (name, text) in files { try add(text.utf8, to: &collection, of: name) }
    let log = try collection.staged { try newLog() }.log
    let stories = try Timeline(log).connections(upTo: .head(minus: 0))
    #expect(stories.compactMap(\.name) == names)
    #expect(stories.count == max(1, names.count))
    var times: [Int64] = []
    try log.forEachRecord(in: 1...UInt64.max) { header, _ in
      if let time = header.ownTime { times.append(time) }
    }
    #expect(times == times.sorted() && !times.isEmpty)
  }

  @Test("A capture without times stays after the one before it")
  func withoutTimes() throws {
    var collection = CaptureCollection()
    try add(Self.session("phone", at: 100).utf8, to: &collection, of: "phone")
    let laptop = Self.session("laptop", at: 0).replacing(/"t":\d+,/, with: "")
    try add(laptop.utf8, to: &collection, of: "laptop")
    let log = try collection.staged { try newLog() }.log
    let stories = try Timeline(log).connections(upTo: .head(minus: 0))
    #expect(stories.map(\.name) == ["phone", "laptop"])
    #expect(stories[0].last.record < stories[1].first.record)
  }
}
