import Captures
package import EventStore
import RawBytes
public import RosterCore
public import XMPPStanza

/// A log read as the history of a roster: its state at any record or time, and what each record
/// did.
///
/// Reading blocks no writer: this process or another may write the log meanwhile, and each answer
/// covers the records up to the last one at the time of the call.
public struct Timeline: Sendable {
  /// The log that is read.
  package let log: EventLog
  /// The only connection that is read, so that states show what that device knows; nil for all.
  package let connection: ConnectionID?

  /// The history in a log.
  package init(_ log: EventLog, narrowedTo connection: ConnectionID? = nil) {
    self.log = log
    self.connection = connection
  }

  /// Opens the log at a path for reading.
  ///
  /// A session that was begun before may have the log open too. As long as a timeline that was
  /// opened first is in use, no session of this process can record to the log: begin the session
  /// first, and use its `timeline()`.
  ///
  /// - Throws: `RollcallError` if the log cannot be opened.
  public init(ofLogAt path: String) throws(RollcallError) {
    do {
      self.init(
        try EventLog.open(at: path, access: .readOnly, eventVersion: RecordReader.version))
    } catch {
      throw RollcallError(error)
    }
  }

  /// What one record did.
  public struct Moment: Sendable {
    /// The number and time of the record.
    public let stamp: RecordStamp
    /// The connection that it was sent or received on.
    public let connection: ConnectionID
    package let direction: RecordDirection
    package let event: RosterEvent
    /// Its changes and findings.
    public package(set) var outcome: RosterOutcome
    /// Why the connection ended, in the words of the source; nil for other records, or if the
    /// source does not say.
    package var endReason: String?

    /// Its direction; nil for a record about the stream itself.
    public var way: Direction? { Direction(direction) }

    /// The meaning of the record as a clause for people, such as “the server pushes:
    /// bob@example.test both”.
    public var clause: String { subjectClause.full }
  }

  /// A roster after a record, and the time of that record.
  public struct State: Hashable, Sendable {
    /// The roster.
    public package(set) var roster = Roster()
    /// Milliseconds since 1970 UTC, by the log's clock; nil if no record so far has a time.
    public package(set) var time: Int64?
    /// The log's account, if the log notes it.
    var noted: BareJID?
    /// The log's names of the connections, by number.
    package internal(set) var names: [UInt32: String] = [:]

    /// The state before all records.
    package init() {}

    init(_ roster: Roster) {
      self.roster = roster
    }

    /// The account, even before the record that names it, if the log notes it.
    public var account: BareJID? { roster.account ?? noted }
  }

  /// The state at a point.
  ///
  /// - Throws: `RollcallError` if there is no such point, or the log cannot be read.
  ///
  /// Complexity: linear in the events after the last snapshot before it.
  public func state(at point: LogPoint) throws(RollcallError) -> State {
    try RollcallError.converting { try state(after: record(at: point), from: nil) }
  }

  /// The state after a record, reduced from the nearest state before it: a known one or a snapshot.
  func state(after record: UInt64, from known: State?) throws -> State {
    // The only reference, so that the state is changed in place.
    var state =
      try snapshot(atOrBefore: record, after: known?.roster ?? Roster()).map { State($0) }
      ?? known ?? State()
    try advance(&state, to: record)
    return state
  }

  /// What a record did; nil if there is no such record, or it means nothing to the roster. The last
  /// record also has the origins that only the end of the log decides.
  ///
  /// - Throws: `RollcallError` if the log cannot be read.
  ///
  /// Complexity: linear in the events after the last snapshot before it.
  public func moment(of record: UInt64) throws(RollcallError) -> Moment? {
    try RollcallError.converting {
      let last = try log.read { try $0.lastSequence }
      guard record > 0, record <= last else { return nil }
      var state = try self.state(after: record - 1, from: nil)
      var found: Moment?
      try follow(&state, to: record) { found = try $1.moment(reducedInto: &$0) }
      guard var moment = try found.map(explainingEnd) else { return nil }
      if record == last { moment.outcome.origins += try outcome(ending: state).origins }
      return moment
    }
  }

  /// Reduces every event up to a point, and passes each to `body` with its outcome and the state
  /// after it.
  ///
  /// - Returns: The state at the point.
  /// - Throws: `RollcallError` if there is no such point, or the log cannot be read; and what
  ///   `body` throws.
  ///
  /// Complexity: linear in the events up to the point. `body` runs outside of every transaction.
  @discardableResult
  public func replay(
    upTo point: LogPoint = .head, _ body: (Moment, Roster) throws -> Void
  ) throws -> State {
    try RollcallError.convertingLogErrors {
      var state = State()
      try advance(&state, to: record(at: point), body)
      return state
    }
  }

  /// The numbers of the records of a range that concern a contact.
  ///
  /// If this program made the index, only the records that it lists are read. An index of another
  /// version is not complete.
  package func records(
    concerning contact: BareJID, in range: ClosedRange<UInt64>
  ) throws -> Set<UInt64> {
    try records(of: contact.text, in: range)
  }

  /// Like `records(concerning:in:)`, for any subject of the index.
  func records(of subject: String, in range: ClosedRange<UInt64>) throws -> Set<UInt64> {
    var found: Set<UInt64> = []
    guard var candidates = try candidates(of: subject, in: range)?[...] else {
      let reader = RecordReader()
      try log.forEachRecord(in: range) { header, bytes in
        if reader.isSubject(subject, of: header, bytes) { found.insert(header.sequence) }
      }
      return found
    }
    while !candidates.isEmpty {
      let some = candidates.prefix(Self.slice)
      candidates = candidates.dropFirst(some.count)
      found.formUnion(try records(of: subject, among: some))
    }
    return found
  }

  /// The records of a slice that concern a subject, read in one transaction.
  ///
  /// - Parameter candidates: The numbers of the records, in order; the log has all of them.
  func records(of subject: String, among candidates: ArraySlice<UInt64>) throws -> Set<UInt64> {
    let reader = RecordReader()
    return try log.read { transaction in
      var found: Set<UInt64> = []
      var untold = Set(candidates)
      // A program of another version may have rebuilt them since the index was read.
      if try transaction.hasCurrentEvents {
        try transaction.forEachStoredEvent(of: candidates) { header, event in
          guard let concerns = try? RosterEvent.concerns(subject, stored: event) else { return }
          untold.remove(header.sequence)
          if concerns { found.insert(header.sequence) }
        }
      }
      // For a record without an event, such as a message, the bytes decide.
      try transaction.forEachRecord(of: candidates.lazy.filter(untold.contains)) { header, bytes in
        if reader.isSubject(subject, of: header, bytes) { found.insert(header.sequence) }
      }
      return found
    }
  }

  /// The records that the index lists for a subject; nil if the index must not be used.
  private func candidates(
    of subject: String, in range: ClosedRange<UInt64>
  ) throws -> [UInt64]? {
    try log.read { transaction in
      guard try transaction.hasCurrentEvents else { return nil }
      return try transaction.sequences(concerning: subject, in: range)
    }
  }
}

extension RecordReader {
  /// Whether a record concerns a subject of the index.
  fileprivate func isSubject(
    _ subject: String, of header: RecordHeader, _ bytes: RawSpan
  ) -> Bool {
    decode(header, bytes).contacts.contains { $0.hasSameBytes(as: subject) }
  }
}
