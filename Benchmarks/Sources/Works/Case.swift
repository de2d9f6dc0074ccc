public import CaptureGenerator
import Captures
import EventStore
import Foundation
import RosterCore
import Rollcall
import XMPPStanza

/// A capture to work on, with what several works need of it, made once.
public final class Case {
  /// The capture and its answers.
  public let capture: GeneratedCapture
  /// Of this process alone.
  private let folder: String
  private let shared: String
  private var files = 0
  private var drafted: [RecordDraft]?

  /// How many random points have known states.
  static let points = 200

  /// - Parameter folder: Where files may be written; it must be on a disk, as a log's is.
  public init(_ shape: CaptureShape, folder: String) throws {
    var chance = SystemlessChance(state: shape.seed &+ 99)
    let points = (0..<Self.points).map { _ in chance.below(shape.stanzas) + 1 }
    capture = GeneratedCapture(shape, checkpoints: points)
    shared = folder
    self.folder = "\(folder)/\(ProcessInfo.processInfo.processIdentifier)"
    try FileManager.default.createDirectory(
      atPath: self.folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  func newPath() -> String {
    files += 1
    return "\(folder)/\(files).rollcall"
  }

  /// The capture as a file.
  func captureFile() throws -> String {
    let path = "\(folder)/capture.jsonl"
    if !FileManager.default.fileExists(atPath: path) {
      try Data(capture.file).write(to: URL(filePath: path))
    }
    return path
  }

  /// A log of the capture, which nothing may be appended to.
  ///
  /// It is imported once for all processes that are given the same folder: give each series of
  /// measurements a new one.
  func log() throws -> String {
    let path = "\(shared)/\(capture.shape.stanzas)x\(capture.shape.contacts).rollcall"
    if !FileManager.default.fileExists(atPath: path) {
      try importCapture(to: path, version: DecodedRecord.version)
    }
    return path
  }

  /// Imports the capture into a new log.
  func importCapture(to path: String, version: UInt32) throws {
    let log = try EventLog.draft(
      for: path, eventVersion: version, mapSize: mapSize)
    let file = try FileHandle(forReadingFrom: URL(filePath: try captureFile()))
    var importing = CaptureImport(ImportOptions())
    let summary = try importing.run(
      file, into: log, printer: SourcePrinter("capture.jsonl", knowing: []))
    try file.close()
    try expect(summary.records == capture.records, "\(summary.records) records were imported")
    try expect(summary.problemCount == 0, "\(summary.problems)")
    try log.publish()
  }

  /// The records as an import hands them to the log.
  func drafts() throws -> [RecordDraft] {
    if let drafted { return drafted }
    var drafts: [RecordDraft] = []
    drafts.reserveCapacity(capture.records)
    try readCapture { record in
      var draft = RecordDraft(record)
      // Arrays can share far larger buffers with what made them; a million of them cannot.
      draft.bytes = draft.bytes.withUnsafeBytes { Array($0) }
      draft.event = draft.event.map { event in event.withUnsafeBytes { Array($0) } }
      drafts.append(draft)
    }
    drafted = drafts
    return drafts
  }

  /// Reads the capture in the pieces in which a file is read.
  ///
  /// - Parameter takeInPlace: As an import takes most elements.
  func readCapture(
    takeInPlace: (borrowing CapturedHead, XMPPElement) throws -> Bool = { _, _ in false },
    _ take: (CapturedRecord) throws -> Void
  ) throws {
    guard let native = CaptureFormat.detect(Array(capture.file.prefix(64 << 10))) else {
      throw WrongAnswer("the capture's format was not found")
    }
    var reader = CaptureReader(format: native)
    func took(_ output: CaptureOutput) throws {
      switch output {
      case .record(let record): try take(record)
      case .problem(let problem): throw WrongAnswer("line \(problem.line): \(problem.message)")
      }
    }
    var start = 0
    while start < capture.file.count {
      let end = min(start + 256 << 10, capture.file.count)
      try reader.read(
        Array(capture.file[start..<end]), takeInPlace: takeInPlace, took)
      start = end
    }
    try reader.finish(took)
  }

  /// The stored events and their stamps, of the records that mean something.
  func events() throws -> [(event: [UInt8], stamp: RecordStamp)] {
    var events: [(event: [UInt8], stamp: RecordStamp)] = []
    var record: UInt64 = 0
    for draft in try drafts() {
      record += 1
      guard let event = draft.event else { continue }
      events.append((event, RecordStamp(record: record, time: draft.time)))
    }
    return events
  }
}

/// How much address space a log takes: as usual, but under valgrind, which has not that much.
let mapSize =
  ProcessInfo.processInfo.environment["ROLLCALL_BENCH_MAP_BYTES"].flatMap { Int($0) }
  ?? EventLog.defaultMapSize

/// Where random points lie: the same on every machine.
struct SystemlessChance {
  var state: UInt64

  mutating func below(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(truncatingIfNeeded: state >> 33) % bound
  }
}
