import Captures
import EventStore
import Foundation
import Rollcall

/// A log or a capture that is followed while it is written.
final class LiveSource {
  enum Arrival {
    /// More may be available at once.
    case more
    /// Nothing more is available now.
    case quiet
    /// Nothing more will come.
    case end
  }

  private let path: String
  private let connection: String?
  private let log: EventLog
  private var capture: LiveCapture?
  private var source: OpenedSource?

  /// Opens a log, or a capture, which is imported into a temporary log.
  ///
  /// - Parameter sources: One source, as checked by `FollowOptions`.
  init(_ sources: [String], _ reading: some SourceReading) throws {
    let path = sources.first ?? "-"
    self.path = path
    var options = try reading.importOptions
    connection = options.connection
    (log, capture) = try Failure.naming(path) {
      let segment = try Self.firstSegment(of: path)
      let input = try CaptureInput(segment ?? path, keyLog: options.keyLog)
      if try input.isLog {
        return (try SourceOptions.openLog(path, options), nil)
      }
      // Import all connections; the chosen one is selected when the log is read.
      options.connection = nil
      let directory = FileManager.default.temporaryDirectory.path
      let log = try Failure.naming(directory) {
        try EventLog.unnamed(in: directory, eventVersion: RecordReader.version)
      }
      let printer = SourceFingerprinter(input.name, knowing: [])
      let follower = CaptureFollower(options, into: log, printer: printer)
      return (log, try LiveCapture(input, of: segment.map { _ in path }, follower))
    }
  }

  /// The path of the first segment of a spool; nil if the path is not that of a spool's folder.
  static func firstSegment(of path: String) throws -> String? {
    guard SourceFiles.isDirectory(path) else { return nil }
    return try Failure.naming(path) {
      try SpoolTail.segments(of: path).first.map { "\(path)/\($0)" }
    }
  }

  /// Reads what has arrived.
  func read() throws -> Arrival {
    guard capture != nil else { return .quiet }
    return try capture?.read { _, _ in } ?? .quiet
  }

  /// Handles the end of the source.
  func finish() throws { try capture?.finish() }

  /// Waits a moment for more.
  func wait() throws {
    guard let capture else { return try LiveInput.wait() }
    try capture.wait()
  }

  /// The source as far as it was read.
  ///
  /// - Parameter isOver: Whether nothing more will come.
  /// - Returns: Nil while there is nothing, or nothing of the chosen connection.
  func opened(isOver: Bool) throws -> OpenedSource? {
    if let source { return source }
    let last = try Failure.naming(path) { try log.read { try $0.lastSequence } }
    guard isOver || last > 0 else { return nil }
    source = try Failure.naming(path) {
      do {
        return try OpenedSource(log: log, path: path, connection: connection)
      } catch ConnectionError.unknown where !isOver {
        return nil
      }
    }
    return source
  }
}

/// A capture whose bytes are passed to a follower as they arrive.
struct LiveCapture {
  private(set) var follower: CaptureFollower
  private let input: LiveInput
  private let path: String
  /// The number of reported problems.
  private var reportedProblems = 0
  private var saidLackOfTimes = false

  /// The number of bytes after which the records are made durable.
  private static let burstBytes = 1 << 20

  /// - Parameter spool: The folder of the spool whose first segment the input is.
  init(_ input: CaptureInput, of spool: String?, _ follower: CaptureFollower) throws {
    path = spool ?? input.path
    self.input = try LiveInput(input, of: spool)
    self.follower = follower
  }

  /// Reads what has arrived, and makes it durable in the follower's log.
  ///
  /// - Parameter beginAnew: Called with the path before the bytes of a new file: one of the same
  ///   name, or the next segment of a spool.
  mutating func read(
    _ beginAnew: (inout CaptureFollower, String) throws -> Void
  ) throws -> LiveSource.Arrival {
    var (arrival, count) = (LiveSource.Arrival.more, 0)
    try Failure.naming(path) {
      while arrival == .more, count < Self.burstBytes {
        switch try input.next() {
        case .bytes(let bytes):
          try follower.take(bytes)
          count += bytes.count
        case .beginsAnew: try beginAnew(&follower, input.file)
        case .nothing: arrival = .quiet
        case .end: arrival = .end
        }
      }
      try follower.commit(isQuiet: arrival != .more)
    }
    reportProblems()
    return arrival
  }

  mutating func finish() throws {
    defer { reportProblems(atEnd: true) }
    try Failure.naming(path) { try follower.finish() }
  }

  func wait() throws(OutputError) { try input.wait() }

  /// - Parameter atEnd: Whether nothing more will come, so that the counts are final.
  private mutating func reportProblems(atEnd: Bool = false) {
    guard var summary = follower.summary else { return }
    if !atEnd {
      summary.unread = UnreadLines()
      summary.guessed = nil
    }
    // Report each problem only once.
    let new = summary.problems.dropFirst(reportedProblems)
    reportedProblems = summary.problems.count
    summary.problems = Array(new)
    summary.problemCount = new.count
    if saidLackOfTimes { summary.lacksTimes = false }
    saidLackOfTimes = saidLackOfTimes || summary.lacksTimes
    summary.printNotes(for: path)
  }
}
