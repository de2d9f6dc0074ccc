import Captures
import EventStore
// What the roster is made of.
@_exported public import RosterCore
@_exported public import XMPPStanza
import XMPPStream

/// A roster that is derived from the stanzas an application sends and receives, and recorded as
/// it is.
///
/// Hand it every top-level element of the stream, in order, exactly as it came or went. It takes
/// credentials out, appends the element durably to the log where there is one, and gives what the
/// element changed. Not thread-safe: keep it where the stream is handled.
public final class RosterSession {
  /// The roster as it is now.
  public private(set) var roster = Roster()

  private let log: EventLog?
  private let parser = StreamParser(root: .records, limits: .live)
  private var addresses = AddressMemo()
  private var credentials = Credentials()
  private var accountNote = AccountNote(isDone: false)
  private var pacing = SnapshotPacing()
  /// The newest time in the log, before which no record's time is.
  private var clock: Int64?

  /// A session that is kept in memory only.
  public init() {
    log = nil
  }

  /// A session that is recorded to a log, made where there is none and gone on with where there
  /// is one.
  ///
  /// - Parameter path: The log's file, by custom named `*.rollcall`; LMDB keeps its lock file
  ///   beside it. No other program may write over it or cut it while the session has it open: that
  ///   can end this process by a signal.
  /// - Throws: `RollcallError` where the log cannot be opened or read.
  ///
  /// Complexity: linear in the events after the log's last snapshot.
  public init(recordingTo path: String) throws(RollcallError) {
    do {
      let log = try Self.open(path)
      let state = try Timeline(log).state(at: .head(minus: 0))
      accountNote = AccountNote(isDone: try log.meta.account != nil)
      pacing = try log.read { try $0.snapshotPacing(of: .current) }
      self.log = log
      (roster, clock) = (state.roster, state.time)
    } catch {
      throw RollcallError(.log, "\(error)")
    }
  }

  private static func open(_ path: String) throws -> EventLog {
    do {
      let log = try EventLog.open(
        at: path, access: .readWrite, eventVersion: DecodedRecord.version)
      try log.bringUpToDate()
      return log
    } catch EventLogError.noSuchFile {
      return try EventLog.create(at: path, eventVersion: DecodedRecord.version)
    }
  }

  /// Takes an element that came from the server.
  ///
  /// - Parameters:
  ///   - xml: One complete top-level element as UTF-8, at most 1 MiB.
  ///   - time: Milliseconds since 1970 UTC; nil where it is not known.
  /// - Returns: What it changed, and what is odd about it. When this returns, the record is
  ///   durable.
  /// - Throws: `RollcallError` where the element is not well formed, is none or is several, and
  ///   then the bytes are recorded as what could not be read; and where the log cannot be written.
  ///   What is not in the log is not in the roster.
  @discardableResult
  public func received(
    _ xml: some Sequence<UInt8>, at time: Int64?
  ) throws(RollcallError) -> RosterReducer.Outcome {
    try take(Array(xml), .inbound, time)
  }

  /// Takes an element that went to the server; otherwise as `received`.
  @discardableResult
  public func sent(
    _ xml: some Sequence<UInt8>, at time: Int64?
  ) throws(RollcallError) -> RosterReducer.Outcome {
    try take(Array(xml), .outbound, time)
  }

  /// Says that the server bound a resource: a new session has begun.
  ///
  /// Not needed where the bind result itself is handed over.
  @discardableResult
  public func opened(
    as jid: JID, at time: Int64?
  ) throws(RollcallError) -> RosterReducer.Outcome {
    try take(.opened(jid), time)
  }

  /// Says that the session goes on over a new stream (XEP-0198).
  @discardableResult
  public func resumed(at time: Int64?) throws(RollcallError) -> RosterReducer.Outcome {
    try take(.resumed(nil), time)
  }

  /// Says that the connection is gone.
  @discardableResult
  public func closed(at time: Int64?) throws(RollcallError) -> RosterReducer.Outcome {
    try take(.closed(reason: nil), time)
  }

  private func take(
    _ xml: [UInt8], _ direction: Direction, _ time: Int64?
  ) throws(RollcallError) -> RosterReducer.Outcome {
    let element: StreamElement
    do {
      element = try self.element(in: xml)
    } catch {
      try note(unreadable: xml, direction, error, time)
      throw error
    }
    let clean = credentials.scrubbed(element.node)
    let decoded = DecodedRecord(clean ?? element.node, direction, &addresses)
    let bytes = clean?.serialized() ?? element.bytes
    return try record(bytes, .element, RecordDirection(direction), decoded, time)
  }

  private func take(
    _ lifecycle: Lifecycle, _ time: Int64?
  ) throws(RollcallError) -> RosterReducer.Outcome {
    try record(lifecycle.bytes, .lifecycle, .none, DecodedRecord(lifecycle.event), time)
  }

  /// Records what could not be read: it may be what broke the stream.
  private func note(
    unreadable xml: [UInt8], _ direction: Direction, _ error: RollcallError, _ time: Int64?
  ) throws(RollcallError) {
    guard log != nil, !xml.isEmpty else { return }
    let bytes = UnreadableBytes(
      xml, direction, reason: error.description, isAuthenticated: roster.isConnected)
    _ = try record(
      bytes.line, .unreadable, RecordDirection(direction), DecodedRecord(nil), time)
  }

  private func element(in xml: [UInt8]) throws(RollcallError) -> StreamElement {
    var found: [StreamElement] = []
    do {
      try parser.feed(xml) { event in
        if case .element(let element) = event { found.append(element) }
      }
      try parser.finish()
    } catch {
      parser.reset()
      // Without the place, which counts the bytes of all elements since the last error.
      let reason = (error as? StreamError)?.kind.description ?? "\(error)"
      throw RollcallError(.element, "the element cannot be read: \(reason)")
    }
    guard let element = found.first, found.count == 1 else {
      throw RollcallError(.element, "one element was expected, \(found.count) were given")
    }
    return element
  }

  /// Appends a record and reduces what it means.
  func record(
    _ bytes: [UInt8], _ kind: RecordKind, _ direction: RecordDirection, _ decoded: DecodedRecord,
    _ time: Int64?
  ) throws(RollcallError) -> RosterReducer.Outcome {
    let draft = RecordDraft(
      time: time, direction: direction, kind: kind, bytes: bytes, decoded: decoded)
    do {
      let stamp = try stored(draft)
      let outcome: RosterReducer.Outcome
      if let event = decoded.event {
        outcome = RosterReducer.reduce(&roster, event, at: stamp)
      } else {
        roster.move(to: stamp.record)
        outcome = RosterReducer.Outcome()
      }
      if let log {
        // It is noted with the next record if not now: this one is durable.
        do {
          try accountNote.note(roster.account) { try log.append([], marks: $0) }
        } catch {
          log.undone.note(.account, error)
        }
      }
      takeSnapshotIfDue(bytes.count)
      return outcome
    } catch let error as RollcallError {
      throw error
    } catch {
      throw RollcallError(.log, "\(error)")
    }
  }

  /// Stores the roster now and then, so that it can be had later without going over all records.
  private func takeSnapshotIfDue(_ appended: Int) {
    guard let log else { return }
    pacing.appended(bytes: appended)
    guard pacing.isDue else { return }
    let state = roster.snapshot
    guard pacing.admits(stateBytes: state.count) else { return }
    do {
      try log.store([
        SnapshotDraft(sequence: roster.position, version: .current, state: state)
      ])
    } catch {
      log.undone.note(.snapshots, error)
    }
  }

  /// Makes a record durable, and says which it became.
  private func stored(_ draft: RecordDraft) throws -> RecordStamp {
    guard let log else { return RecordStamp(record: roster.position + 1, time: draft.time) }
    let number = try log.append([draft]).lowerBound
    if number != roster.position + 1 {
      // Somebody else has added to the log: what they added is part of the history.
      do {
        let state = try Timeline(log).state(at: .record(number - 1))
        (roster, clock) = (state.roster, state.time)
      } catch {
        throw RollcallError(
          .log,
          "the element is recorded, as #\(number), but what came before it is not read: \(error)")
      }
    }
    // The log's clock never runs backwards, and the roster goes by it.
    guard let time = draft.time else { return RecordStamp(record: number) }
    let now = max(time, clock ?? time)
    clock = now
    return RecordStamp(record: number, time: now)
  }
}

/// Why something could not be recorded or read.
public struct RollcallError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where the fault lies.
  public enum Reason: Hashable, Sendable {
    /// What was handed over is not one well-formed element, or one over the limits.
    case element
    /// The log cannot be opened, read or written; the disk may be full.
    case log
    /// A capture, or what is expected of it, cannot be read.
    case capture
  }

  /// Where the fault lies.
  public let reason: Reason
  /// A sentence for a person, with the place.
  public let description: String

  init(_ reason: Reason, _ description: String) {
    self.reason = reason
    self.description = description
  }
}
