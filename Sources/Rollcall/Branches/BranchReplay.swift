import EventStore
import RosterCore
import XMPPStanza

/// Replays a log and its branch side by side, place by place.
struct BranchReplay {
  private let branch: Branch
  private let places: [UInt64: Branch.Place]
  private var upcoming: ArraySlice<UInt64>
  private var reader: PolicyReader
  private var result = Branch.Comparison()
  private var happened: [Finding] = []
  private var instead: [Finding] = []

  init(branch: Branch, places: [UInt64: Branch.Place]) {
    self.branch = branch
    self.places = places
    upcoming = places.keys.sorted()[...]
    reader = PolicyReader(branch.policy)
  }

  /// Takes the next record of the log that means something.
  mutating func advance(_ moment: Timeline.Moment) {
    passPlaces(before: moment.stamp.record)
    if upcoming.first == moment.stamp.record { upcoming.removeFirst() }
    run(moment.stamp.record, moment)
  }

  /// Passes what is left. The states are then those after the last record.
  ///
  /// - Parameter last: The log's state there.
  mutating func finish(at last: Timeline.State) -> Branch.Comparison {
    passPlaces(before: .max)
    let end = branch.numbering.number(branch.head)
    result.actual.roster.move(to: end)
    result.branched.roster.move(to: end)
    (result.actual.time, result.actual.noted) = (last.time, last.noted)
    (result.branched.time, result.branched.noted) = (last.time, last.noted)
    (result.actual.names, result.branched.names) = (last.names, last.names)
    (result.removed, result.added) = Self.difference(happened, instead)
    return result
  }

  /// Places at which the log itself has nothing that means anything.
  private mutating func passPlaces(before record: UInt64) {
    while let next = upcoming.first, next < record {
      upcoming.removeFirst()
      run(next, nil)
    }
  }

  private mutating func run(_ record: UInt64, _ moment: Timeline.Moment?) {
    let place = places[record]
    let stamp = RecordStamp(
      record: branch.numbering.number(record), time: moment?.stamp.time ?? place?.time)
    var actual: [Timeline.Moment] = []
    if let moment {
      let outcome = RosterReducer.reduce(
        &result.actual.roster, moment.event, at: stamp, on: moment.connection)
      actual = [
        Timeline.Moment(
          stamp: stamp, connection: moment.connection, direction: moment.direction,
          event: moment.event, outcome: outcome)
      ]
    }
    compare(record, actual, branched(record, stamp, moment))
  }

  /// What the branch does at a place.
  private mutating func branched(
    _ record: UInt64, _ stamp: RecordStamp, _ moment: Timeline.Moment?
  ) -> [Timeline.Moment] {
    let place = places[record]
    var moments: [Timeline.Moment] = []
    if let swapped = place?.swapped {
      moments += follow(swapped, stamp)
    } else if let moment, !branch.edits.drops(record) {
      moments += follow(
        Branch.Content(
          connection: moment.connection, direction: moment.direction, event: moment.event), stamp)
    }
    for (index, inserted) in (place?.inserted ?? []).enumerated() {
      let number = branch.numbering.number(record, inserted: UInt64(index) + 1)
      moments += follow(inserted, RecordStamp(record: number, time: stamp.time))
    }
    return moments
  }

  /// Reduces a record of the branch, as its policy reads it.
  private mutating func follow(
    _ content: Branch.Content, _ stamp: RecordStamp
  ) -> [Timeline.Moment] {
    guard let event = content.event else { return [] }
    return reader.events(for: event, in: result.branched.roster).map { read in
      let outcome = RosterReducer.reduce(
        &result.branched.roster, read, at: stamp, on: content.connection)
      return Timeline.Moment(
        stamp: stamp, connection: content.connection, direction: content.direction, event: event,
        outcome: outcome)
    }
  }

  private mutating func compare(
    _ record: UInt64, _ actual: [Timeline.Moment], _ branched: [Timeline.Moment]
  ) {
    if result.divergence == nil {
      let before = actual.map(\.outcome).filter { $0 != RosterOutcome() }
      let after = branched.map(\.outcome).filter { $0 != RosterOutcome() }
      guard before != after else { return }
      result.divergence = Branch.Comparison.Divergence(
        record: record, happened: actual, instead: branched)
    }
    happened += actual.flatMap(\.outcome.findings)
    instead += branched.flatMap(\.outcome.findings)
  }

  /// What is in one list only, both ways, in their order.
  private static func difference(
    _ before: [Finding], _ after: [Finding]
  ) -> (removed: [Finding], added: [Finding]) {
    let old = Set(before)
    let new = Set(after)
    return (before.filter { !new.contains($0) }, after.filter { !old.contains($0) })
  }
}
