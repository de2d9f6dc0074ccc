import Captures
import EventStore
import Foundation
import Rollcall

/// A log or a capture that is followed while it is written.
final class LiveSource {
  enum Arrival {
    /// There may be more at once.
    case more
    /// There is nothing more now.
    case quiet
    /// Nothing more will come.
    case end
  }

  private let path: String
  private let connection: String?
  private let log: EventLog
  private var capture: LiveCapture?
  private var source: OpenedSource?

  /// Opens a log, or a capture, which is read into a temporary log.
  ///
  /// - Parameter sources: One, as `FollowOptions` has made sure.
  init(_ sources: [String], _ reading: some SourceReading) throws {
    let path = sources.first ?? "-"
    self.path = path
    var options = try reading.importOptions
    connection = options.connection
    (log, capture) = try Failure.naming(path) {
      let input = try CaptureInput(path, keyLog: options.keyLog)
      if try input.isLog {
        return (try SourceOptions.openLog(path, options), nil)
      }
      // All connections: a chosen one is looked at where they are read.
      options.connection = nil
      let directory = FileManager.default.temporaryDirectory.path
      let log = try Failure.naming(directory) {
        try EventLog.unnamed(in: directory, eventVersion: DecodedRecord.version)
      }
      let printer = SourcePrinter(input.name, knowing: [])
      let follower = CaptureFollower(options, into: log, printer: printer)
      return (log, try LiveCapture(input, follower))
    }
  }

  /// Takes what has come.
  func take() throws -> Arrival {
    guard capture != nil else { return .quiet }
    return try capture?.take { _ in } ?? .quiet
  }

  /// Takes the end of what comes.
  func finish() throws { try capture?.finish() }

  /// Waits a moment for more.
  func wait() throws {
    guard let capture else { return try LiveInput.wait() }
    try capture.wait()
  }

  /// What there is of it so far.
  ///
  /// - Parameter isOver: Whether nothing more will come.
  /// - Returns: Nil while there is nothing, or nothing of the connection that was chosen.
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

/// A capture whose bytes go to a follower as they come.
struct LiveCapture {
  private(set) var follower: CaptureFollower
  private let input: LiveInput
  private let path: String
  /// How many of what had to be skipped was told of.
  private var told = 0
  private var saidLackOfTimes = false

  /// How much is read before it is handed on.
  private static let burstBytes = 1 << 20

  init(_ input: CaptureInput, _ follower: CaptureFollower) throws {
    path = input.path
    self.input = try LiveInput(input)
    self.follower = follower
  }

  /// Takes what has come, and makes it durable in the follower's log.
  ///
  /// - Parameter beginAnew: Called before what is of a file that begins anew.
  mutating func take(
    _ beginAnew: (inout CaptureFollower) throws -> Void
  ) throws -> LiveSource.Arrival {
    var (arrival, count) = (LiveSource.Arrival.more, 0)
    try Failure.naming(path) {
      while arrival == .more, count < Self.burstBytes {
        switch try input.next() {
        case .bytes(let bytes):
          try follower.take(bytes)
          count += bytes.count
        case .beginsAnew: try beginAnew(&follower)
        case .nothing: arrival = .quiet
        case .end: arrival = .end
        }
      }
      try follower.commit(isQuiet: arrival != .more)
    }
    tellProblems()
    return arrival
  }

  mutating func finish() throws {
    defer { tellProblems(atEnd: true) }
    try Failure.naming(path) { try follower.finish() }
  }

  func wait() throws(OutputError) { try input.wait() }

  /// - Parameter atEnd: Whether nothing more comes, so that what was counted is final.
  private mutating func tellProblems(atEnd: Bool = false) {
    guard var summary = follower.summary else { return }
    if !atEnd {
      summary.unread = UnreadLines()
      summary.guessed = nil
    }
    // What was told is told once.
    let new = summary.problems.dropFirst(told)
    told = summary.problems.count
    summary.problems = Array(new)
    summary.problemCount = new.count
    if saidLackOfTimes { summary.lacksTimes = false }
    saidLackOfTimes = saidLackOfTimes || summary.lacksTimes
    summary.tell(of: path)
  }
}
