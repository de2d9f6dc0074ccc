import Captures
import EventStore
import Foundation
@testable import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// Captures and logs that are read while they are written.
@Suite("Following") struct FollowingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func newLog() throws -> EventLog {
    try EventLog.unnamed(in: folder.path, eventVersion: RecordReader.version)
  }

  /// The contents of a log, regardless of how it is packed and of the numbers of named connections.
  private func contents(_ log: EventLog) throws -> [String] {
    try log.read { transaction in
      let meta = try transaction.meta
      var records = [meta.account ?? "no account"]
      try transaction.forEachRecord(in: 1...UInt64.max) { header, bytes in
        records.append(
          "\(header.time ?? 0) \(header.ownTime ?? 0) \(header.direction) \(header.kind.rawValue) "
            + "\(meta.connections[header.connection] ?? "\(header.connection)") "
            + "\(LogDigest(of: bytes))")
      }
      return records
    }
  }

  /// The result of reading a capture: the log's contents and the summary, or the error.
  private enum Outcome: Equatable {
    case read([String], records: Int, problems: Int, account: BareJID?, lacksTimes: Bool)
    case refused(ImportError)

    init(_ contents: [String], _ summary: ImportSummary) {
      self = .read(
        contents, records: summary.records, problems: summary.problemCount,
        account: summary.account, lacksTimes: summary.lacksTimes)
    }

    var records: [String]? {
      if case .read(let records, _, _, _, _) = self { records } else { nil }
    }
  }

  private func whole(_ bytes: [UInt8], _ options: ImportOptions) throws -> Outcome {
    let path = folder.file("\(UUID())")
    try Data(bytes).write(to: URL(filePath: path))
    let log = try newLog()
    do {
      var reading = CaptureImport(options)
      let summary = try reading.run(FileHandle(forReadingFrom: URL(filePath: path)), into: log)
      // A command refuses it in the same way.
      guard summary.records > 0 else {
        return .refused(.nothingFound(format: summary.format.title))
      }
      return Outcome(try contents(log), summary)
    } catch let error as ImportError {
      return .refused(error)
    }
  }

  /// The bytes, divided at random, with some very short pieces.
  private func pieces(
    _ bytes: [UInt8], _ generator: inout SeededGenerator
  ) -> [ArraySlice<UInt8>] {
    var (rest, pieces) = (bytes[...], [ArraySlice<UInt8>]())
    while !rest.isEmpty {
      let most = Bool.random(using: &generator) ? 1000 : max(1000, bytes.count / 3)
      let piece = rest.prefix(Int.random(in: 1...most, using: &generator))
      pieces.append(piece)
      rest = rest[piece.endIndex...]
    }
    return pieces
  }

  private func followed(
    _ bytes: [UInt8], _ options: ImportOptions, _ generator: inout SeededGenerator
  ) throws -> Outcome {
    let log = try newLog()
    var follower = CaptureFollower(
      options, into: log, printer: SourceFingerprinter("it", knowing: []))
    var told: UInt64 = 0
    do {
      for piece in pieces(bytes, &generator) {
        try follower.take(Array(piece))
        // As if waiting between two pieces.
        guard Bool.random(using: &generator) else { continue }
        let isNew = try follower.commit()
        let last = try log.read { try $0.lastSequence }
        #expect(isNew == (last > told))
        told = last
      }
      try follower.finish()
      return Outcome(try contents(log), try #require(follower.summary))
    } catch let error as ImportError {
      return .refused(error)
    }
  }

  @Test(
    "A capture in pieces gives the same result as the whole", arguments: NativeReadingTests.files)
  func pieces(_ path: String) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    var options = ImportOptions()
    var expected = try whole(bytes, options)
    if case .refused(.severalAccounts(let accounts)) = expected {
      options.account = accounts.first
      expected = try whole(bytes, options)
    }
    let seed = UInt64(bytes.count)
    var generator = SeededGenerator(seed: seed)
    #expect(try followed(bytes, options, &generator) == expected, "seed \(seed)")
  }

  @Test(
    "A log that begins far down in a file is found, whole and in pieces",
    arguments: [nil, TextEncoding.utf16LittleEndian, .utf16BigEndian])
  func afterOtherText(_ encoding: TextEncoding?) throws {
    let path = CaptureCase.fixtures.appending(path: "logs/slixmpp-resume/capture.log")
    let text = String(decoding: try Data(contentsOf: path), as: UTF8.self)
    let report = (0..<3000).map { "Line \($0) of a report that is no log of any program.\n" }
    let everything = report.joined() + text
    let bytes =
      switch encoding {
      case nil, .named: Array(everything.utf8)
      case .utf16LittleEndian:
        everything.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
      case .utf16BigEndian:
        everything.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
      }
    let expected = try whole(bytes, ImportOptions())
    #expect(expected.records == (try whole(Array(text.utf8), ImportOptions()).records))
    #expect(expected.records?.isEmpty == false)
    for seed in UInt64(1)...3 {
      var generator = SeededGenerator(seed: seed)
      #expect(try followed(bytes, ImportOptions(), &generator) == expected, "seed \(seed)")
    }
  }

  @Test("A log followed from mid-session is recorded at once, even if it contains little")
  func aFragment() throws {
    let log = try newLog()
    var follower = CaptureFollower(
      ImportOptions(), into: log, printer: SourceFingerprinter("it", knowing: []))
    let line =
      "2026-11-21 07:25:14,147 - DEBUG - RECV: "
      + "<iq type='get' id='1' from='example.test' to='alice@example.test/pc'>"
      + "<ping xmlns='urn:xmpp:ping'/></iq>\n"
    for count in UInt64(1)...3 {
      try follower.take(Array(line.utf8))
      try follower.commit()
      // The account's header precedes the first record.
      #expect(try log.read { try $0.lastSequence } == count + 1)
    }
  }

  @Test("A capture of several accounts is refused as soon as the second is seen")
  func severalAccounts() throws {
    let path = CaptureCase.fixtures.appending(path: "logs/finch-two-accounts/capture.log")
    let bytes = [UInt8](try Data(contentsOf: path))
    var follower = CaptureFollower(
      ImportOptions(), into: try newLog(), printer: SourceFingerprinter("it", knowing: []))
    var rest = bytes[...]
    let error = #expect(throws: ImportError.self) {
      while !rest.isEmpty {
        try follower.take(Array(rest.prefix(1000)))
        rest = rest.dropFirst(1000)
        try follower.commit()
      }
    }
    guard case .severalAccounts(let accounts)? = error else {
      Issue.record("it is not refused for its accounts")
      return
    }
    #expect(accounts.count == 2)
    #expect(!rest.isEmpty)
  }

  // MARK: Logs

  @Test("Following a growing log reports the same as reading it whole", arguments: 1...4)
  func growingLog(seed: UInt64) throws {
    let scenario = randomScenario(seed: seed, lines: 300)
    let expected = try story(of: Timeline(log(of: scenario, in: folder)))
    let log = try EventLog.create(
      at: folder.file("grows.rollcall"), eventVersion: RecordReader.version)
    var follower = try LogFollower(Timeline(log))
    var generator = SeededGenerator(seed: seed)
    var told: [String] = []
    var rest = scenario.wire[...]
    while !rest.isEmpty {
      let burst = rest.prefix(Int.random(in: 1...40, using: &generator))
      rest = rest[burst.endIndex...]
      let last = try log.append(burst.map(RecordDraft.init)).upperBound - 1
      try follower.follow(upTo: last) { moment, _ in told.append(Self.line(moment)) }
      #expect(follower.position == last)
    }
    #expect(!told.isEmpty)
    #expect(told == expected.lines, "seed \(seed)")
    #expect(follower.state == expected.state, "seed \(seed)")
  }

  private static func line(_ moment: Timeline.Moment) -> String {
    "\(moment.stamp) \(moment.connection) \(moment.outcome.changes) \(moment.outcome.findings)"
  }

  private func story(
    of timeline: Timeline
  ) throws -> (lines: [String], state: Timeline.State) {
    var lines: [String] = []
    let state = try timeline.replay(upTo: .head(minus: 0)) { moment, _ in
      lines.append(Self.line(moment))
    }
    return (lines, state)
  }

  // MARK: Imports

  /// Imports a capture in one step.
  @discardableResult
  private func add(
    _ bytes: [UInt8], to log: EventLog, called name: String, _ options: ImportOptions
  ) throws -> ImportOutcome {
    let draft = try newLog()
    var follower = CaptureFollower(
      options, into: draft, printer: SourceFingerprinter(name, knowing: try log.meta.imports))
    try follower.take(bytes)
    try follower.finish()
    let last = try draft.read { try $0.lastSequence }
    let capture = StagedCapture(
      prints: [follower.print], records: 1...last, connections: follower.connections)
    return try #require(
      StagedImport(draft, [capture]).append(to: log, takingAll: false).first)
  }

  private func target() throws -> EventLog {
    try EventLog.draft(
      for: folder.file("\(UUID()).rollcall"), eventVersion: RecordReader.version)
  }

  private func following(_ target: EventLog) throws -> FollowedImport {
    try FollowedImport(into: target, takingAll: false) { target }
  }

  @Test(
    "A followed import equals a whole one, whatever the log had of the capture before",
    arguments: CaptureCase.all.filter { test in
      // One log of each kind, because each burst is synced.
      ["raw-pending", "prosody", "profanity-add", "slixmpp-two"].contains {
        test.name.hasPrefix($0)
      }
    })
  func imports(_ test: CaptureCase) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: test.path)))
    let options = ImportOptions(account: try BareJID(parsing: test.account))
    let whole = try target()
    try add(bytes, to: whole, called: "it", options)
    let expected = try contents(whole)
    for seed in 1...3 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let log = try target()
      var parts = pieces(bytes, &generator)
      if seed == 2 {
        // A shorter version of the file was imported before, and its records are in the log.
        let known = Array(bytes.prefix(bytes.count * 2 / 3))
        _ = try? add(known, to: log, called: "it", options)
        parts = [bytes[...]]
      }
      let other = seed == 3 ? parts.count / 2 : nil
      var target = try following(log)
      var follower = CaptureFollower(
        options, into: try newLog(), printer: SourceFingerprinter("it", knowing: try target.sources)
      )
      var taken = 0
      for (number, part) in parts.enumerated() {
        try follower.take(Array(part))
        taken += part.count
        try follower.commit()
        try target.take(follower)
        // Meanwhile, another process imports a longer version of the file.
        if number == other {
          _ = try? add(Array(bytes.prefix(taken + 2000)), to: log, called: "it", options)
        }
      }
      try follower.finish()
      try target.take(follower, isOver: true)
      #expect(try contents(log) == expected, "seed \(seed)")
      let before = try log.meta.imports
      #expect(try add(bytes, to: log, called: "it", options).appended == nil, "seed \(seed)")
      #expect(try log.meta.imports == before, "seed \(seed)")
    }
  }

  @Test("After rotations, what was imported is recognized in all files")
  func rotation() throws {
    let capture = CaptureCase.fixtures.appending(path: "captures/raw-pending-both/capture.log")
    let bytes = [UInt8](try Data(contentsOf: capture))
    let whole = try target()
    try add(bytes, to: whole, called: "it", ImportOptions())
    let lines = bytes.split(separator: UInt8(ascii: "\n")).map { Array($0) + [UInt8(ascii: "\n")] }
    for isCopied in [false, true] {
      let (path, old) = (folder.file("\(isCopied).log"), folder.file("\(isCopied).log.1"))
      let parts = [lines[..<12], lines[12..<16], lines[16..<22], lines[22...]]
        .map { Data($0.joined()) }
      try parts[0].write(to: URL(filePath: path))
      let tail = FileTail(try FileHandle(forReadingFrom: URL(filePath: path)), path: path)
      let log = try target()
      var target = try following(log)
      var follower = CaptureFollower(
        ImportOptions(), into: try newLog(), printer: SourceFingerprinter("it", knowing: []))
      func drain() throws {
        while true {
          switch try tail.next() {
          case .bytes(let bytes): try follower.take(bytes)
          case .beginsAnew:
            try follower.commit()
            try target.take(follower, isOver: true)
            target.beginFile()
            try follower.goOn(
              into: newLog(), printer: SourceFingerprinter("it", knowing: try target.sources))
          case .nothing:
            try follower.commit()
            return try target.take(follower)
          }
        }
      }
      try drain()
      try append(parts[1], to: path)
      try drain()
      if isCopied {
        try FileManager.default.copyItem(atPath: path, toPath: old)
        #expect(truncate(path, 0) == 0)
      } else {
        try FileManager.default.moveItem(atPath: path, toPath: old)
        try Data().write(to: URL(filePath: path))
      }
      try append(parts[2], to: path)
      try drain()
      try append(parts[3], to: path)
      try drain()
      try follower.finish()
      try target.take(follower, isOver: true)
      #expect(try contents(log) == contents(whole))
      #expect(try log.meta.imports.count == 2)
      #expect(try target.appended == log.read { try $0.lastSequence })
      for file in [old, path] {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        #expect(try add(bytes, to: log, called: "it", ImportOptions()).appended == nil, "\(file)")
      }
    }
  }

  private func append(_ bytes: Data, to path: String) throws {
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: bytes)
  }

  @Test("A burst costs time in proportion to what is new")
  func workOfABurst() throws {
    let log = try target()
    var target = try following(log)
    let head = #"{"account":"alice@example.test/a","rollcall-capture":1}"# + "\n"
    var follower = CaptureFollower(
      ImportOptions(), into: try newLog(), printer: SourceFingerprinter("it", knowing: []))
    try follower.take(Array(head.utf8))
    for burst in 0..<50 {
      let lines = (0..<20).map { line in
        let time = burst * 1000 + line
        return #"{"t":\#(time),"dir":"in","xml":"<presence from='bob@example.test/x'/>"}"# + "\n"
      }
      try follower.take(Array(lines.joined().utf8))
      try follower.commit()
      try target.take(follower)
    }
    #expect(target.appended == 1001)
    // The first burst is compared with the whole log, record by record; the others are not.
    #expect(target.comparisons == 1)
  }
}
