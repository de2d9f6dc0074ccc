import EventStore
import Rollcall
import RosterCore

/// Prints a story: the day where it changes, records that tell something, and folded what happens
/// all the time.
struct StoryPrinter {
  /// What connections are called; more may come.
  var labels: ConnectionLabels
  private let zone: Zone
  private let isFull: Bool
  private var fold: StoryFold
  private var day: Int64?

  /// - Parameter isFull: Whether nothing is folded.
  init(_ labels: ConnectionLabels, zone: Zone, isFull: Bool) {
    self.labels = labels
    self.zone = zone
    self.isFull = isFull
    fold = StoryFold(day: zone.day)
  }

  /// - Parameter roster: The state after the record.
  mutating func tell(_ moment: Timeline.Moment, _ roster: Roster) throws(OutputError) {
    guard !isFull else { return try say(.moment(moment), roster) }
    for entry in fold.take(moment) { try say(entry, roster) }
  }

  /// Whether something waits for what may be folded with it.
  var isHolding: Bool { fold.isHolding }

  /// Prints what waits.
  mutating func finish(_ roster: Roster) throws(OutputError) {
    for entry in fold.finish() { try say(entry, roster) }
  }

  private mutating func say(
    _ entry: StoryFold.Entry, _ roster: Roster
  ) throws(OutputError) {
    if let time = entry.stamp.time, zone.day(entry.stamp) != day {
      day = zone.day(entry.stamp)
      try Terminal.say(Style.bold(zone.date(time)))
    }
    switch entry {
    case .moment(let moment):
      let suffix = labels.suffix(moment.connection, roster)
      try Terminal.say([moment.heading(zone) + suffix] + details(moment))
    case .burst(let burst): try Terminal.say(line(burst))
    }
  }

  private func details(_ moment: Timeline.Moment) -> [String] {
    let changes =
      isFull
      ? moment.outcome.changes.map(\.line)
      : moment.outcome.changes.digest.map { Style.marked($0.mark, $0.clause) }
    return (changes + moment.outcome.findings.map(\.line)).map { "    " + $0 }
  }

  private func line(_ burst: PresenceBurst) -> String {
    let times = [burst.first.time, burst.last.time].compactMap { $0.map(zone.clock) }
    let clock = times.isEmpty ? "" : Style.dim(times.joined(separator: "–")) + " "
    return Style.dim("#\(burst.first.record)–#\(burst.last.record)") + " \(clock)… "
      + Style.dim("\(burst.records) records: \(burst.clause)")
  }
}
