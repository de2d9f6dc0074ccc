import Captures
import EventLog
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
  private var lastRecord: UInt64 = 0

  /// A session that is kept in memory only.
  public init() {
    log = nil
  }

  /// A session that is recorded to a log, made where there is none and gone on with where there
  /// is one.
  ///
  /// - Parameter path: The log's file, by custom named `*.rollcall`; LMDB keeps its lock file
  ///   beside it.
  /// - Throws: `RollcallError` where the log cannot be opened or read.
  ///
  /// Complexity: linear in the events that the log holds.
  public init(recordingTo path: String) throws(RollcallError) {
    do {
      let log = try Self.open(path)
      let state = try Timeline(log).state(at: .head(minus: 0))
      self.log = log
      roster = state.roster
      lastRecord = roster.position
    } catch {
      throw RollcallError("\(error)")
    }
  }

  private static func open(_ path: String) throws -> EventLog {
    do {
      let log = try EventLog.open(
        at: path, access: .readWrite, eventVersion: RecordMeaning.version)
      try log.bringUpToDate()
      return log
    } catch EventLogError.noSuchFile {
      return try EventLog.create(at: path, eventVersion: RecordMeaning.version)
    }
  }

  /// Takes an element that came from the server.
  ///
  /// - Parameters:
  ///   - xml: One complete top-level element as UTF-8, at most 1 MiB.
  ///   - time: Milliseconds since 1970 UTC; nil where it is not known.
  /// - Returns: What it changed, and what is odd about it. When this returns, the record is
  ///   durable.
  /// - Throws: `RollcallError` where the element is not well formed, is none or is several, or
  ///   the log cannot be written; the roster is then as it was.
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
    try take(.closed, time)
  }

  private func take(
    _ xml: [UInt8], _ direction: Direction, _ time: Int64?
  ) throws(RollcallError) -> RosterReducer.Outcome {
    do {
      let element = try element(in: xml)
      let (node, bytes) = withoutCredentials(element.node, element.bytes)
      return try record(
        bytes, .element, RecordDirection(direction), RecordMeaning(node, direction), time)
    } catch {
      throw RollcallError("\(error)")
    }
  }

  private func take(
    _ lifecycle: Lifecycle, _ time: Int64?
  ) throws(RollcallError) -> RosterReducer.Outcome {
    do {
      return try record(
        try lifecycle.bytes, .lifecycle, .none, RecordMeaning(lifecycle.event), time)
    } catch {
      throw RollcallError("\(error)")
    }
  }

  private func element(in xml: [UInt8]) throws -> StreamElement {
    var found: [StreamElement] = []
    parser.reset()
    try parser.feed(xml) { event in
      if case .element(let element) = event { found.append(element) }
    }
    try parser.finish()
    guard let element = found.first, found.count == 1 else {
      throw RollcallError("one element was expected, \(found.count) were given")
    }
    return element
  }

  private func record(
    _ bytes: [UInt8], _ kind: RecordKind, _ direction: RecordDirection, _ meaning: RecordMeaning,
    _ time: Int64?
  ) throws -> RosterReducer.Outcome {
    let draft = RecordDraft(
      time: time, direction: direction, kind: kind, bytes: bytes, meaning: meaning)
    let number = try log?.append([draft]).lowerBound ?? lastRecord + 1
    lastRecord = number
    guard let event = meaning.event else {
      roster.move(to: number)
      return RosterReducer.Outcome()
    }
    // The log's clock never runs backwards, and the roster goes by it.
    let time = try log?.read { try $0.header(at: number)?.time } ?? draft.time
    return RosterReducer.reduce(
      &roster, event, at: RecordStamp(record: number, time: time))
  }
}

/// Why something could not be recorded or read.
public struct RollcallError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence for a person, with the place.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
