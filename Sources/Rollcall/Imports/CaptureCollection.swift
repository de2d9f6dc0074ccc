package import EventStore

/// Captures that are imported together.
///
/// One that goes on with another one, as the same file a day later does, or the next file of a log
/// that is rotated, becomes one with it. The others are told apart: each has its own connections.
package struct CaptureCollection {
  private var parts: [CaptureMerge.Part] = []
  /// Of each capture that was added, the part that it became.
  private var places: [Int] = []
  /// Of each capture that was added, what the ones before it held already.
  private var outcomes: [ImportOutcome] = []

  package init() {}

  /// What is known of the captures so far.
  package var sources: [ImportedSource] {
    parts.flatMap { part in
      part.capture.prints.map {
        ImportedSource($0, records: [part.capture.records], connections: [:])
      }
    }
  }

  /// Adds a capture. Of the files of a rotated log the older ones come first.
  ///
  /// - Parameters:
  ///   - capture: One with a record at least.
  ///   - log: What its records were read into, and nothing else.
  ///   - name: What its connection is called, where the capture does not say it.
  ///   - source: Which log it is a file of; a capture that is equal in that, and of a later time,
  ///     goes on with the one before it.
  ///   - keepsAll: Whether it stays by itself also where records of it are in one before it.
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
    for outcome in outcome.suffix(1) {
      parts[former].capture.connections.merge(outcome.connections) { _, new in new }
    }
  }

  /// The capture that another one goes on with though no record is in both: the older file of the
  /// same log, or, where it begins in the middle of a session, all that was before it.
  private func predecessor(of part: CaptureMerge.Part) throws -> Int? {
    if let own = parts.lastIndex(where: { $0.source == part.source && part.follows($0) }) {
      return own
    }
    guard let last = parts.indices.last, parts.allSatisfy(part.follows),
      try !part.beginsSession
    else { return nil }
    return last
  }

  /// Whether several captures overlap in time: they are then of several devices.
  package var overlaps: Bool { CaptureMerge(parts).isDue }

  /// All captures in one log, which notes what it is made of: several are in the order of time,
  /// each with connections of its own.
  ///
  /// - Parameter makeLog: Makes an empty log; not called where one part's own log has them all.
  package func staged(_ makeLog: () throws -> EventLog) throws -> StagedImport {
    if parts.count == 1 { return StagedImport(parts[0].log, [parts[0].capture]) }
    let target = try makeLog()
    let merged = StagedImport(target, try CaptureMerge(parts).run(into: target))
    try merged.note()
    return merged
  }

  /// What came of each capture that was added, from what came of the parts.
  package func outcomes(ofParts parts: [ImportOutcome]) -> [ImportOutcome] {
    zip(places, outcomes).map { place, own in
      var outcome = parts[place]
      outcome.known.merge(own.known) { max($0, $1) }
      outcome.isRotated = outcome.isRotated || own.isRotated
      return outcome
    }
  }
}
