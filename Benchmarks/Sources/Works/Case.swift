public import CaptureGenerator
import Captures
import EventStore
import Foundation
import RosterCore
import Rollcall
import XMPPStanza

/// A capture to measure on, with derived data that several works share.
public final class Case {
  /// The capture and its expected states.
  public let capture: GeneratedCapture
  /// A folder for files of this process only.
  private let folder: String
  /// A folder that several processes may share.
  private let shared: String
  private var files = 0
  private var drafted: [RecordDraft]?

  /// The number of random points with known states.
  static let pointCount = 200

  /// - Parameter folder: A folder for files; it must be on a disk, as that of a log would be.
  public init(_ shape: CaptureShape, folder: String) throws {
    var chance = SystemlessChance(state: shape.seed &+ 99)
    let points = (0..<Self.pointCount).map { _ in chance.below(shape.stanzas) + 1 }
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

  /// The path of a log of the capture, to which nothing may be appended.
  ///
  /// It is imported once for all processes with the same folder, so each series of measurements
  /// needs a new folder.
  func log() throws -> String {
    let path = "\(shared)/\(capture.shape.stanzas)x\(capture.shape.contacts).rollcall"
    if !FileManager.default.fileExists(atPath: path) {
      try importCapture(to: path, version: RecordReader.version)
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
      file, into: log, printer: SourceFingerprinter("capture.jsonl", knowing: []))
    try file.close()
    try expect(summary.records == capture.records, "\(summary.records) records were imported")
    try expect(summary.problemCount == 0, "\(summary.problems)")
    try log.publish()
  }

  /// The records as an import appends them to the log.
  func drafts() throws -> [RecordDraft] {
    if let drafted { return drafted }
    var drafts: [RecordDraft] = []
    drafts.reserveCapacity(capture.records)
    try readCapture { record in
      var draft = RecordDraft(record)
      // Copy the arrays: a million of them must not keep the far larger buffers that they share.
      draft.bytes = draft.bytes.withUnsafeBytes { Array($0) }
      draft.event = draft.event.map { event in event.withUnsafeBytes { Array($0) } }
      drafts.append(draft)
    }
    drafted = drafts
    return drafts
  }

  /// Reads the capture in pieces of the size in which a file is read.
  ///
  /// - Parameter handle: Handles an element in place, as an import does with most of them.
  func readCapture(
    handle: (borrowing CapturedHead, XMPPElement) throws -> Bool = { _, _ in false },
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
        Array(capture.file[start..<end]), handle: handle, took)
      start = end
    }
    try reader.finish(took)
  }

  /// The stored events and their stamps, of the records that are events.
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

/// The address space for a log: the default, or less under valgrind, which does not have so much.
let mapSize =
  ProcessInfo.processInfo.environment["ROLLCALL_BENCH_MAP_BYTES"].flatMap { Int($0) }
  ?? EventLog.defaultMapSize

/// The generator of the random points, with equal results on every machine.
struct SystemlessChance {
  var state: UInt64

  mutating func below(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(truncatingIfNeeded: state >> 33) % bound
  }
}
