import EventStore
import RosterCore

/// The log that a session records to.
final class Recording {
  let log: EventLog
  let writer: LogWriter
  /// Released once nothing more is written.
  private let lease: RecorderLease

  /// Opens a log, or makes it where there is none.
  ///
  /// - Parameters:
  ///   - threads: Who writes to it; nil for a thread of its own.
  ///   - lease: What keeps other recorders away.
  init(_ path: String, on threads: WriterThreads? = nil, holding lease: RecorderLease) throws {
    self.lease = lease
    let log = try Self.open(path)
    writer = try LogWriter(log, isAccountNoted: try log.meta.account != nil, on: threads)
    self.log = log
  }

  deinit { try? writer.close() }

  private static func open(_ path: String) throws -> EventLog {
    do {
      let log = try EventLog.open(
        at: path, access: .readWrite, eventVersion: RecordReader.version)
      try log.bringUpToDate()
      return log
    } catch let error as EventLogError where error.code == .noSuchLog {
      return try EventLog.create(at: path, eventVersion: RecordReader.version)
    }
  }

  /// What the log says at its end.
  func state() throws -> Timeline.State { try Timeline(log).state(at: .head(minus: 0)) }

  /// What the log says, and what its records did that a roster does not have, where somebody else
  /// has appended some; nil where nobody has.
  func catchUp(from roster: Roster) throws -> (state: Timeline.State, outcome: RosterOutcome)? {
    // As long as records wait, only the writer can tell.
    let isOvertaken =
      try writer.overtaken != nil
      || (writer.isDurable && log.read { try $0.lastSequence } != roster.position)
    guard isOvertaken else { return nil }
    try writer.flush()
    let timeline = Timeline(log)
    // Up to there the roster and the log say the same.
    var state = Timeline.State(roster)
    if let first = writer.overtaken { state = try timeline.state(at: .record(first - 1)) }
    var outcome = RosterOutcome()
    try timeline.advance(&state, to: timeline.record(at: .head(minus: 0))) { moment, _ in
      outcome.add(moment.outcome)
    }
    writer.caughtUp()
    return (state, outcome)
  }
}
