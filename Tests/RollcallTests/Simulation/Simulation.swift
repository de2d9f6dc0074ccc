import Captures
import EventStore
import Foundation
@testable import Rollcall
import RosterCore
import TestSupport
import XMPPStanza

/// Recorders, importers and readers of one log, whose steps are ordered by a seed, with a model of
/// the log.
///
/// The log is a real one, on LMDB. A crash leaves the file as it is at that moment; it is then
/// opened without any earlier state.
struct Simulation {
  /// A violated expectation.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private(set) var model = LogModel()
  /// The steps so far, for the report of a failure.
  private(set) var trace: [String] = []
  private var random: SeededGenerator
  private let folder: TemporaryFolder
  private var log: EventLog
  private var session: RosterSession?
  private var readers: [(reader: HeldReader, last: UInt64)] = []
  private var staged: [Staged] = []
  /// What programs have written to their logs so far.
  private var captures: [String: [String]] = [:]
  private var time: Int64 = 1_763_600_000_000
  private var files = 0

  /// A capture that was read and has yet to be appended.
  private struct Staged {
    let name: String
    let lines: Int
    let staged: StagedImport
  }

  private static let mapSize = 64 << 20
  private static let account = "alice@example.test"

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    folder = try TemporaryFolder()
    log = try EventLog.create(
      at: folder.file("log0.rollcall"), eventVersion: RecordReader.version,
      account: Self.account, mapSize: Self.mapSize)
  }

  /// Takes `steps` steps, and then checks everything.
  mutating func run(steps: Int) throws {
    // A thread that waits for its turn would keep its resources forever.
    defer { for (reader, _) in readers { try? reader.end() } }
    for _ in 0..<steps { try step() }
    try endReaders()
    try verify(log.path, "at the end")
  }

  private mutating func step() throws {
    switch Int.random(in: 0..<23, using: &random) {
    case 0..<4: try append()
    case 4..<7: try record()
    case 7..<9: write(to: ["phone.log", "desk.log"].randomElement(using: &random) ?? "")
    case 9..<12: try stage()
    case 12..<14: try finishImport()
    case 14: try beginReading()
    case 15: try endReading()
    case 16: try query()
    case 17: try bookmark()
    case 18: try snapshot()
    case 19: try crash()
    case 20: try reopen()
    case 21: try appendAsOtherVersion()
    default: try annotate()
    }
  }

  private func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws {
    guard holds else { throw Failure(description: what()) }
  }

  private mutating func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  // MARK: Recording

  /// An element, or the beginning or end of a session.
  private mutating func line() -> String {
    time += Int64(number(1000))
    files += 1
    let contact = "contact\(number(8))@example.test"
    switch number(8) {
    case 0: return "<presence from='\(contact)/x'/>"
    case 1: return "<presence from='\(contact)' type='subscribe'/>"
    case 2: return "<presence from='\(contact)/x' type='unavailable'/>"
    case 3: return "<message from='\(contact)/x'><body>\(files)</body></message>"
    case 4:
      return "<iq type='set' id='p\(files)'><query xmlns='jabber:iq:roster' ver='v\(files)'>"
        + "<item jid='\(contact)' subscription='remove'/></query></iq>"
    default:
      return "<iq type='set' id='p\(files)'><query xmlns='jabber:iq:roster' ver='v\(files)'>"
        + "<item jid='\(contact)' name='N\(files)' subscription='both'/></query></iq>"
    }
  }

  private mutating func draft() -> RecordDraft {
    let bytes = Array(line().utf8)
    return RecordDraft(
      time: time, direction: .inbound, kind: .element, bytes: bytes,
      decoded: RecordReader().decode(.element, .inbound, bytes))
  }

  private mutating func append() throws {
    let drafts = (0..<(1 + number(4))).map { _ in draft() }
    trace.append("append \(drafts.count)")
    try take(drafts, by: log)
  }

  private mutating func take(_ drafts: [RecordDraft], by log: EventLog) throws {
    let range = try log.append(drafts)
    try expect(
      range == (model.last + 1)..<(model.last + 1 + UInt64(drafts.count)),
      "the records got \(range) after \(model.last)")
    for draft in drafts { model.append(LogModel.Record(draft), on: draft.connection) }
  }

  /// The application's session. A new one finds that earlier sessions are over, and records that
  /// first.
  private mutating func begun() throws -> RosterSession {
    if let session { return session }
    let session = try RosterSession(recordingTo: log.path)
    self.session = session
    let over = RosterRecorder.recorderDied
    for connection in model.states[Int(model.last)].connections where connection.isOpen {
      model.append(
        LogModel.Record(bytes: over.bytes, direction: .none, kind: .lifecycle, ownTime: time),
        on: connection.id.number)
    }
    return session
  }

  /// Passes an element to an application's session.
  private mutating func record() throws {
    let xml = line()
    trace.append("record")
    let session = try begun()
    try session.received(Array(xml.utf8), at: time)
    try session.flush()
    model.append(
      LogModel.Record(
        bytes: Array(xml.utf8), direction: .inbound, kind: .element, ownTime: time), on: 1)
    try expect(
      session.roster == model.states[Int(model.last)], "the session has another roster")
  }

  /// Adds an annotation of an application's user.
  private mutating func annotate() throws {
    let jid = try BareJID(parsing: "contact\(number(8))@example.test")
    let annotations: [RosterAnnotation] = [
      .starred(jid, number(2) == 0), .note(jid, "N\(number(3))"), .requestsSeen([jid]),
    ]
    let annotation = annotations[number(annotations.count)]
    trace.append("\(annotation)")
    let session = try begun()
    try session.annotate(annotation, at: time)
    try session.flush()
    model.append(
      LogModel.Record(
        bytes: AnnotationLine(annotation).bytes, direction: .none, kind: .annotation,
        ownTime: time), on: 1)
    try expect(
      session.roster == model.states[Int(model.last)], "the session has another roster")
  }

  /// Appends as a program of another version, which cannot derive this version's data.
  private mutating func appendAsOtherVersion() throws {
    trace.append("append as another version")
    let other = try EventLog.open(
      at: log.path, access: .readWrite, eventVersion: RecordReader.version + 1)
    try take([draft()], by: other)
    if number(2) == 0 {
      trace.append("rebuild")
      try log.bringUpToDate()
    }
  }

  private mutating func bookmark() throws {
    let target = UInt64(number(Int(model.last) + 1))
    trace.append("bookmark \(target)")
    let placed = try Timeline(log).addBookmark("mark\(number(3))", at: .record(target))
    let bookmark = Bookmark(name: placed.name, back: placed.record - target)
    model.append(LogModel.Record(bookmark.draft), on: 1)
    try expect(placed.record == model.last, "the bookmark is #\(placed.record)")
    let resolved = try Timeline(log).record(at: .bookmark(placed.name))
    try expect(resolved == target, "the bookmark is of \(resolved)")
  }

  /// Stores the state at some record, as recorders do from time to time.
  private mutating func snapshot() throws {
    let place = UInt64(number(Int(model.last) + 1))
    guard place > 0, try log.derivedIsCurrent else { return }
    trace.append("snapshot \(place)")
    let state = try Timeline(log).state(at: .record(place)).roster
    try log.store([
      SnapshotDraft(sequence: place, version: .current, state: state.snapshot)
    ])
  }

  // MARK: Importing

  /// Writes to the log of a program.
  private mutating func write(to name: String) {
    var lines =
      captures[name] ?? [#"{"account":"\#(Self.account)/\#(name)","rollcall-capture":1}"#]
    for _ in 0..<(1 + number(4)) {
      let xml = line()
      lines.append(#"{"t":\#(time),"dir":"in","xml":"\#(xml)"}"#)
    }
    trace.append("\(name) has \(lines.count) lines")
    captures[name] = lines
  }

  /// Reads a capture in its current or an earlier form.
  private mutating func stage() throws {
    guard let name = captures.keys.sorted().randomElement(using: &random),
      let lines = captures[name]
    else { return }
    let count = number(3) == 0 ? 1 + number(lines.count) : lines.count
    trace.append("read \(count) lines of \(name)")
    files += 1
    let path = folder.file("capture\(files)")
    try Data(lines[..<count].map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: path))
    let own = try EventLog.unnamed(
      in: folder.path, eventVersion: RecordReader.version, mapSize: Self.mapSize)
    var reading = CaptureImport(ImportOptions(), batch: 1 + number(5))
    let summary = try reading.run(
      try FileHandle(forReadingFrom: URL(filePath: path)), into: own,
      printer: SourceFingerprinter(name, knowing: try log.meta.imports))
    guard let print = summary.print else { return }
    let capture = StagedCapture(
      prints: [print], records: 1...UInt64(summary.records), connections: reading.connections)
    staged.append(Staged(name: name, lines: count, staged: StagedImport(own, [capture])))
  }

  /// Appends what the log lacks of a capture that was read before.
  private mutating func finishImport() throws {
    guard !staged.isEmpty else { return }
    let one = staged.remove(at: number(staged.count))
    let known = model.imported[one.name] ?? 0
    trace.append("import \(one.lines) lines of \(one.name), \(known) of them known")
    let before = model.last
    do {
      _ = try one.staged.append(to: log, takingAll: false)
    } catch ImportError.overlapsInTime where known == 0 {
      // Records from the time of the capture were added meanwhile.
      try expect(try log.read { try $0.lastSequence } == before, "a refused import appended")
      return
    }
    // Lines that were written after the capture was read are not in it.
    let new = one.lines > known ? captures[one.name]?[known..<one.lines] ?? [] : []
    let appended = try log.read { try EventLog.records($0) }.dropFirst(Int(before))
    try expect(
      appended.map(\.record.bytes) == new.map(Self.bytes),
      "\(new.count) lines were new, \(appended.count) records came")
    for (record, connection) in appended { model.append(record, on: connection) }
    model.imported[one.name] = max(known, one.lines)
  }

  /// The record for a line of a capture.
  private static func bytes(_ line: String) -> [UInt8] {
    guard let start = line.range(of: #""xml":""#)?.upperBound else { return Array(line.utf8) }
    return Array(line[start...].dropLast(2).utf8)
  }

  // MARK: Reading

  private mutating func beginReading() throws {
    guard readers.count < 3 else { return }
    trace.append("a reader begins")
    let (records, connections) = (model.records, model.connections)
    let reader = HeldReader(log) { transaction in
      let seen = try EventLog.records(transaction)
      guard seen.map(\.record) == records, seen.map(\.connection) == connections else {
        throw Failure(description: "a reader of \(records.count) records sees \(seen.count)")
      }
    }
    readers.append((reader, model.last))
  }

  private mutating func endReading() throws {
    guard !readers.isEmpty else { return }
    trace.append("a reader ends")
    try readers.remove(at: number(readers.count)).reader.end()
  }

  private mutating func endReaders() throws {
    while !readers.isEmpty { try endReading() }
  }

  private mutating func query() throws {
    let place = UInt64(number(Int(model.last) + 1))
    trace.append("query \(place)")
    try check(log, at: place)
    let contact = "contact\(number(8))@example.test"
    guard place > 0 else { return }
    let found = try Timeline(log).records(
      concerning: try BareJID(parsing: contact), in: 1...place)
    let expected = model.records(concerning: contact).filter { $0 <= place }
    try expect(found == expected, "\(contact) is in \(found.sorted()), not \(expected.sorted())")
  }

  private func check(_ log: EventLog, at place: UInt64) throws {
    let roster = try Timeline(log).state(at: .record(place)).roster
    try expect(roster == model.states[Int(place)], "another state after #\(place)")
  }

  // MARK: Crashing

  private mutating func crash() throws {
    files += 1
    let image = folder.file("log\(files).rollcall")
    let path = log.path
    if number(2) == 0 {
      trace.append("crash")
      try FileManager.default.copyItem(atPath: path, toPath: image)
    } else {
      // Inside a transaction, which then never happened.
      trace.append("crash while appending")
      let other = try EventLog.create(
        at: folder.file("other\(files).rollcall"), eventVersion: RecordReader.version)
      try other.append((0..<3).map { _ in draft() })
      let reader = RecordReader()
      try log.append(recordsOf: other) { _, _ in
        RecordSelection(records: [1...3])
      } _: { header, bytes in
        // The body runs again if the map has to grow.
        if header.sequence == 2 {
          try? FileManager.default.removeItem(atPath: image)
          try FileManager.default.copyItem(atPath: path, toPath: image)
        }
        return reader.decode(header, bytes)
      }
    }
    try leave()
    try verify(image, "after a crash")
    log = try EventLog.open(
      at: image, access: .readWrite, eventVersion: RecordReader.version, mapSize: Self.mapSize)
  }

  /// Stops everything that uses the log.
  private mutating func leave() throws {
    try endReaders()
    session = nil
    staged = []
  }

  private mutating func reopen() throws {
    trace.append("reopen")
    let path = log.path
    try leave()
    EventLog.removeStaleDrafts(of: path)
    log = try EventLog.unnamed(
      in: folder.path, eventVersion: RecordReader.version, mapSize: Self.mapSize)
    try verify(path, "when closed")
    log = try EventLog.open(
      at: path, access: .readWrite, eventVersion: RecordReader.version, mapSize: Self.mapSize)
  }

  /// Checks everything in a file: the records equal those of the model, and the derived data agrees
  /// with them.
  private func verify(_ path: String, _ when: String) throws {
    var damage: [String] = []
    try LogVerification.run(path) { step in
      if case .found(let found) = step { damage.append("\(found.part): \(found.what)") }
    }
    try expect(damage.isEmpty, "\(when): \(damage.joined(separator: "; "))")
    let log = try EventLog.open(
      at: path, access: .readOnly, eventVersion: RecordReader.version, mapSize: Self.mapSize)
    let records = try log.read { try EventLog.records($0) }
    try expect(
      records.map(\.record) == model.records && records.map(\.connection) == model.connections,
      "\(when): \(records.count) records of \(model.last)")
    try check(log, at: model.last)
  }
}
