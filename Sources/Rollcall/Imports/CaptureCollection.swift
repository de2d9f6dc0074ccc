import Captures
package import EventStore
import RawBytes

/// Captures that are imported together.
///
/// A capture that continues another one is joined with it: the same file a day later, or the next
/// file of a rotated log. All others are kept apart, each with its own connections.
package struct CaptureCollection {
  private var parts: [CaptureMerge.Part] = []
  /// For each added capture, the index of the part that it belongs to.
  private var places: [Int] = []
  /// For each added capture, what the earlier ones already contained.
  private var outcomes: [ImportOutcome] = []

  package init() {}

  /// The imports that the captures so far amount to.
  package var sources: [ImportedSource] {
    parts.flatMap { part in
      part.capture.prints.map {
        ImportedSource($0, records: [part.capture.records], connections: [:])
      }
    }
  }

  /// Adds a capture. Add the files of a rotated log from the oldest to the newest.
  ///
  /// - Parameters:
  ///   - capture: A capture with at least one record.
  ///   - log: The log that contains its records and nothing else.
  ///   - name: The name for its connection if the capture does not have one.
  ///   - source: The log that the file belongs to. A capture of the same source and a later time
  ///     continues the one before it.
  ///   - keepsAll: Whether it is kept as it is, even if an earlier one contains some of its
  ///     records.
  package mutating func add(
    _ capture: StagedCapture, in log: EventLog, called name: String, of source: String,
    keepingAll keepsAll: Bool
  ) throws {
    let staged = StagedImport(log, [capture])
    let part = CaptureMerge.Part(
      log: log, name: name, source: source, capture: capture, span: try CaptureMerge.span(of: log))
    let same = try keepsAll ? nil : parts.firstIndex { try staged.goesOn(with: $0.log) }
    guard let former = try same ?? predecessor(of: part) else {
      try staged.note()
      places.append(parts.count)
      outcomes.append(ImportOutcome())
      return parts.append(part)
    }
    if same == nil { try endRuns(of: parts[former], before: capture) }
    let outcome = try staged.append(
      to: parts[former].log, takingAll: same == nil,
      droppingHeaders: same == nil && parts[former].source == source)
    outcomes += outcome
    places.append(former)
    for print in capture.prints
    where !parts[former].capture.prints.contains(where: { $0.digest == print.digest }) {
      parts[former].capture.prints.append(print)
    }
    let last = try parts[former].log.read { try $0.lastSequence }
    parts[former].capture.records = 1...last
    parts[former].span = try CaptureMerge.span(of: parts[former].log)
    parts[former].capture.runs = capture.runs ?? parts[former].capture.runs
    for outcome in outcome.suffix(1) {
      parts[former].capture.connections.merge(outcome.connections) { _, new in new }
    }
  }

  /// Closes the connections that are open at the end of a part, if the capture that is joined to it
  /// begins with a later run of the server, as one file with both does.
  private func endRuns(of part: CaptureMerge.Part, before next: StagedCapture) throws {
    guard let former = part.capture.runs, let run = next.runs, former.last != run.first else {
      return
    }
    let end = Lifecycle.closed(reason: ServerRuns.end)
    var ends = RecordArena()
    for connection in try Self.openConnections(of: part.log) {
      ends.add(
        RecordDraft(
          CapturedRecord(connection: "", time: nil, line: 0, content: .lifecycle(end)),
          on: connection))
    }
    try part.log.append(ends)
  }

  /// The connections of a log that have not been closed since their last element.
  private static func openConnections(of log: EventLog) throws -> [UInt32] {
    var open: Set<UInt32> = []
    try log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      if header.kind == .lifecycle, case .closed = Lifecycle([UInt8](bytes)) {
        open.remove(header.connection)
      } else if header.kind != .annotation {
        open.insert(header.connection)
      }
    }
    return open.sorted()
  }

  /// The capture that another one continues although they share no record: the older file of the
  /// same log, or, if the capture begins in mid-session, everything before it.
  private func predecessor(of part: CaptureMerge.Part) throws -> Int? {
    if let own = parts.lastIndex(where: { $0.source == part.source && part.follows($0) }) {
      return own
    }
    guard let last = parts.indices.last, parts.allSatisfy(part.follows),
      try !part.beginsSession
    else { return nil }
    return last
  }

  /// Whether several captures overlap in time, so they come from several devices.
  package var overlaps: Bool { CaptureMerge(parts).isDue }

  /// All captures in one log, which notes its sources. Several captures are merged by time, each
  /// with its own connections.
  ///
  /// - Parameter makeLog: Creates an empty log; not called if the log of one part contains
  ///   everything.
  package func staged(_ makeLog: () throws -> EventLog) throws -> StagedImport {
    if parts.count == 1 { return StagedImport(parts[0].log, [parts[0].capture]) }
    let target = try makeLog()
    let merged = StagedImport(target, try CaptureMerge(parts).run(into: target))
    try merged.note()
    return merged
  }

  /// The outcome of each added capture, given the outcomes of the parts.
  package func outcomes(ofParts parts: [ImportOutcome]) -> [ImportOutcome] {
    zip(places, outcomes).map { place, own in
      var outcome = parts[place]
      outcome.known.merge(own.known) { max($0, $1) }
      outcome.isRotated = outcome.isRotated || own.isRotated
      return outcome
    }
  }
}
