import EventStore
import RawBytes
import RosterCore
import XMPPStanza

/// Replays a log and its branch in parallel, position by position.
struct BranchReplay {
  private let branch: Branch
  private let places: [UInt64: Branch.Place]
  private var upcoming: ArraySlice<UInt64>
  private var reader: PolicyReader
  private var result = Branch.Comparison()
  private var happened: [Finding] = []
  private var instead: [Finding] = []

  /// The effect of an event in one of the histories.
  private struct Effect {
    let stamp: RecordStamp
    let connection: ConnectionID
    let direction: RecordDirection
    /// The record's own event, even if the policy translates it.
    let event: [UInt8]
    let outcome: RosterOutcome

    var moment: Timeline.Moment {
      get throws {
        Timeline.Moment(
          stamp: stamp, connection: connection, direction: direction,
          event: try RosterEvent(stored: event.span.bytes), outcome: outcome)
      }
    }
  }

  /// - Parameters:
  ///   - places: The edited positions.
  ///   - roster: A state that both histories share.
  init(branch: Branch, places: [UInt64: Branch.Place], from roster: Roster) {
    self.branch = branch
    self.places = places
    upcoming = places.keys.sorted()[...]
    reader = PolicyReader(branch.policy)
    (result.actual.roster, result.branched.roster) = (roster, roster)
  }

  /// Takes the log's next record that has a meaning.
  mutating func advance(_ step: Timeline.Step) throws {
    try passPlaces(before: step.stamp.record)
    if upcoming.first == step.stamp.record { upcoming.removeFirst() }
    try run(
      step.stamp.record, at: step.stamp,
      Branch.Content(
        connection: step.connection, direction: step.direction, event: [UInt8](step.event)))
  }

  /// Takes the remaining positions. The states are then those after the last record.
  ///
  /// - Parameters:
  ///   - last: The log's final state.
  ///   - time: The log's clock at its last record.
  mutating func finish(
    at last: Timeline.State, _ time: Int64?
  ) throws -> Branch.Comparison {
    try passPlaces(before: .max)
    let end = branch.numbering.number(branch.head)
    result.actual.roster.move(to: end)
    result.branched.roster.move(to: end)
    (result.actual.time, result.actual.noted) = (last.time, last.noted)
    (result.branched.time, result.branched.noted) = (last.time, last.noted)
    (result.actual.names, result.branched.names) = (last.names, last.names)
    happened += try ending(result.actual.roster, time)
    instead += try ending(result.branched.roster, time)
    (result.removed, result.added) = Self.difference(happened, instead)
    return result
  }

  /// What is odd about the end of either course.
  private func ending(_ roster: Roster, _ time: Int64?) throws -> [Finding] {
    try branch.timeline.outcome(
      ending: roster, at: RecordStamp(record: roster.position, time: time), of: branch.head
    ).findings
  }

  /// Takes the positions at which the log itself has no record with a meaning.
  private mutating func passPlaces(before record: UInt64) throws {
    while let next = upcoming.first, next < record {
      upcoming.removeFirst()
      try run(next, at: nil, nil)
    }
  }

  private mutating func run(
    _ record: UInt64, at read: RecordStamp?, _ content: Branch.Content?
  ) throws {
    let place = places[record]
    let stamp = RecordStamp(
      record: branch.numbering.number(record), time: read?.time ?? place?.time,
      isHeld: read?.isHeld ?? false)
    var actual: [Effect] = []
    if let content, let event = content.event {
      actual = [
        try Self.reduce(event, for: event, of: content, at: stamp, into: &result.actual.roster)
      ]
    }
    try compare(record, actual, try branched(record, stamp, content))
  }

  /// The effect of the branch at a position.
  private mutating func branched(
    _ record: UInt64, _ stamp: RecordStamp, _ content: Branch.Content?
  ) throws -> [Effect] {
    let place = places[record]
    var effects: [Effect] = []
    if let swapped = place?.swapped {
      effects += try follow(swapped, stamp)
    } else if let content, !branch.edits.drops(record) {
      effects += try follow(content, stamp)
    }
    for (index, inserted) in (place?.inserted ?? []).enumerated() {
      let number = branch.numbering.number(record, inserted: UInt64(index) + 1)
      effects += try follow(
        inserted, RecordStamp(record: number, time: stamp.time, isHeld: stamp.isHeld))
    }
    return effects
  }

  /// Reduces a record of the branch according to its policy.
  private mutating func follow(
    _ content: Branch.Content, _ stamp: RecordStamp
  ) throws -> [Effect] {
    guard let event = content.event else { return [] }
    return try reader.events(for: event, in: result.branched.roster).map { read in
      try Self.reduce(
        read, for: event, of: content, at: stamp, into: &result.branched.roster)
    }
  }

  /// Reduces an event into which the policy translates a record's own event.
  private static func reduce(
    _ read: [UInt8], for event: [UInt8], of content: Branch.Content, at stamp: RecordStamp,
    into roster: inout Roster
  ) throws -> Effect {
    Effect(
      stamp: stamp, connection: content.connection, direction: content.direction, event: event,
      outcome: try RosterReducer.reduce(
        &roster, read.span.bytes, at: stamp, on: content.connection))
  }

  private mutating func compare(
    _ record: UInt64, _ actual: [Effect], _ branched: [Effect]
  ) throws {
    if result.divergence == nil {
      // That a change goes back to another record makes no other roster.
      let before = actual.map(\.outcome.withoutOrigins).filter { !$0.isEmpty }
      let after = branched.map(\.outcome.withoutOrigins).filter { !$0.isEmpty }
      guard before != after else { return }
      result.divergence = Branch.Comparison.Divergence(
        record: record, happened: try actual.map { try $0.moment },
        instead: try branched.map { try $0.moment })
    }
    happened += actual.flatMap(\.outcome.findings)
    instead += branched.flatMap(\.outcome.findings)
  }

  /// The elements that are in only one list, for each list in its order.
  private static func difference(
    _ before: [Finding], _ after: [Finding]
  ) -> (removed: [Finding], added: [Finding]) {
    let old = Set(before)
    let new = Set(after)
    return (before.filter { !new.contains($0) }, after.filter { !old.contains($0) })
  }
}
