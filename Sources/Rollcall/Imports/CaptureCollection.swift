package import EventStore

/// Captures that are imported together.
///
/// One that goes on with another one, as the same file a day later does, becomes one with it.
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

  /// Adds a capture.
  ///
  /// - Parameters:
  ///   - capture: One with a record at least.
  ///   - log: What its records were read into, and nothing else.
  ///   - name: What its connection is called, where the capture does not say it.
  ///   - keepsAll: Whether it stays by itself also where it goes on with one before it.
  package mutating func add(
    _ capture: StagedCapture, in log: EventLog, called name: String, keepingAll keepsAll: Bool
  ) throws {
    let staged = StagedImport(log, [capture])
    let former = try keepsAll ? nil : parts.firstIndex { try staged.goesOn(with: $0.log) }
    guard let former else {
      try staged.note()
      places.append(parts.count)
      outcomes.append(ImportOutcome())
      return parts.append(CaptureMerge.Part(log: log, name: name, capture: capture))
    }
    outcomes += try staged.append(to: parts[former].log, takingAll: false)
    places.append(former)
    for print in capture.prints
    where !parts[former].capture.prints.contains(where: { $0.digest == print.digest }) {
      parts[former].capture.prints.append(print)
    }
    let last = try parts[former].log.read { try $0.lastSequence }
    parts[former].capture.records = 1...last
    for outcome in outcomes.suffix(1) {
      parts[former].capture.connections.merge(outcome.connections) { _, new in new }
    }
  }

  /// Whether several captures overlap in time: they are then of several devices.
  package var overlaps: Bool {
    get throws { parts.count > 1 ? try CaptureMerge(parts).isDue : false }
  }

  /// All captures in one log, which notes what it is made of: one after the other, or, where they
  /// overlap in time, by the time of their records.
  ///
  /// - Parameter makeLog: Makes an empty log; not called where one part's own log has them all.
  package func staged(_ makeLog: () throws -> EventLog) throws -> StagedImport {
    if parts.count == 1 { return StagedImport(parts[0].log, [parts[0].capture]) }
    let target = try makeLog()
    if try overlaps {
      let merged = StagedImport(target, try CaptureMerge(parts).run(into: target))
      try merged.note()
      return merged
    }
    var captures: [StagedCapture] = []
    for part in parts {
      let alone = StagedImport(part.log, [part.capture])
      for outcome in try alone.append(to: target, takingAll: true) {
        guard let records = outcome.appended else { continue }
        captures.append(
          StagedCapture(
            prints: part.capture.prints, records: records, connections: outcome.connections))
      }
    }
    return StagedImport(target, captures)
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
