import EventStore
import RosterCore

/// The log that a session records to.
final class Recording {
  let log: EventLog
  let writer: LogWriter
  /// Released once nothing more is written.
  private let lease: RecorderLease

  /// Opens a log, or creates it if it does not exist.
  ///
  /// - Parameters:
  ///   - threads: The threads that write to it; nil for a thread of its own.
  ///   - lease: The lease that keeps other recorders away.
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

  /// The state at the end of the log.
  func state() throws -> Timeline.State { try Timeline(log).state(at: .head(minus: 0)) }

  /// If others have appended to the log: its state, and the outcome of the records that a roster
  /// does not include. Otherwise nil.
  func catchUp(from roster: Roster) throws -> (state: Timeline.State, outcome: RosterOutcome)? {
    // While records wait to be written, only the writer can tell.
    let isOvertaken =
      try writer.overtaken != nil
      || (writer.isDurable && log.read { try $0.lastSequence } != roster.position)
    guard isOvertaken else { return nil }
    try writer.flush()
    let timeline = Timeline(log)
    // Up to this record, the roster and the log agree.
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
