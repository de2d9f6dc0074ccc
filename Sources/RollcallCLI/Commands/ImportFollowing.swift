import EventStore
import Foundation
import Rollcall

extension ImportCommand {
  /// The maximum time for which a capture without pauses is read before its records are made
  /// durable.
  private static let burst = Duration.milliseconds(500)
  /// The minimum interval between appends, as a multiple of the duration of the last one.
  private static let pause = 3

  /// Imports what a capture contains and what arrives, until it ends or the process is asked to
  /// end.
  func follow(_ path: String) throws {
    Ending.begin()
    let isNew = !FileManager.default.fileExists(atPath: log)
    var target = try Failure.naming(log) {
      try FollowedImport(into: opened(isNew: isNew), takingAll: force) { try opened(isNew: false) }
    }
    var capture = try capture(path, target)
    var next = ContinuousClock.now
    var isOver = false
    while !isOver {
      let arrival = try capture.read { follower, file in
        // The following bytes are from another file, which a later import treats as a separate
        // source.
        try follower.commit()
        try put(follower, into: &target, isOver: true)
        target.beginFile()
        try follower.goOn(into: draft(), printer: printer(file, target))
      }
      isOver = arrival == .end || Ending.isAsked
      if isOver { try capture.finish() }
      if isOver || .now >= next + (arrival == .quiet ? .zero : Self.burst) {
        let start = ContinuousClock.now
        try put(capture.follower, into: &target, isOver: isOver)
        next = .now + (.now - start) * Self.pause
      }
      if !isOver, arrival == .quiet { try capture.wait() }
    }
    try printResult(capture, target, path, isNew: isNew)
  }

  private func capture(_ path: String, _ target: FollowedImport) throws -> LiveCapture {
    let segment = try LiveSource.firstSegment(of: path)
    let input = try Failure.naming(path) { try CaptureInput(segment ?? path) }
    let follower = CaptureFollower(
      try capture.importOptions, into: try draft(), printer: try printer(input.path, target))
    return try LiveCapture(input, of: segment.map { _ in path }, follower)
  }

  /// A log for the records of a file before they are in the target log.
  private func draft() throws -> EventLog {
    let folder = (log as NSString).deletingLastPathComponent
    return try Failure.naming(log) {
      try EventLog.unnamed(
        in: folder.isEmpty ? "." : folder, eventVersion: RecordReader.version)
    }
  }

  private func printer(_ path: String, _ target: FollowedImport) throws -> SourceFingerprinter {
    SourceFingerprinter(CaptureInput.name(of: path), knowing: try target.sources)
  }

  private func put(
    _ follower: CaptureFollower, into target: inout FollowedImport, isOver: Bool
  ) throws {
    try Failure.naming(log) { try target.take(follower, isOver: isOver) }
    target.target.noteDeferredFailures(path: log)
  }

  private func printResult(
    _ capture: LiveCapture, _ target: FollowedImport, _ path: String, isNew: Bool
  ) throws {
    guard var summary = capture.follower.summary else { return }
    if !isNew {
      try Failure.naming(log) { try noteEarlierRecords(after: target.head, in: target.target) }
    }
    summary.known = summary.records - Int(clamping: target.appended)
    try printResults([(path: path, summary: summary)])
  }
}
