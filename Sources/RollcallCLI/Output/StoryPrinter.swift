import EventStore
import Rollcall
import RosterCore
import XMPPStanza

/// How much of a story is printed.
enum StoryDensity {
  /// Every record with all its changes.
  case full
  /// Bursts of presence as one line each.
  case folded
  /// One line for each record with a lasting effect, and presence counted by day. A finding that
  /// the summary has told is only named there.
  case condensed(presence: [Int64?: PresenceBurst], summarized: Set<Finding>)
}

/// Prints a story: the date when it changes, and the records that matter, with frequent ones
/// folded.
struct StoryPrinter {
  /// The labels of connections; more may be added.
  var labels: ConnectionLabels
  private let zone: Zone
  private let density: StoryDensity
  private var fold: StoryFold
  private var condensed = CondensedStory()
  private var messages: MessageFold
  private var doubts = DoubtHold()
  /// The days whose dates were printed; nil if the first records have no time.
  private var days: [Int64?] = []

  init(_ labels: ConnectionLabels, zone: Zone, _ density: StoryDensity) {
    self.labels = labels
    self.zone = zone
    self.density = density
    fold = StoryFold(day: zone.day)
    switch density {
    case .full, .folded: messages = MessageFold(day: zone.day)
    // A very long story is read at a glance: the messages of a day are one line.
    case .condensed: messages = MessageFold(fewest: 2, keepsFindings: false, day: zone.day)
    }
  }

  /// Adds a record that is part of the unfiltered story.
  ///
  /// - Parameters:
  ///   - roster: The state after the record.
  ///   - isShown: Whether a filter selects it.
  mutating func add(
    _ moment: Timeline.Moment, _ roster: Roster, isShown: Bool = true
  ) throws(OutputError) {
    if doubts.isOver(at: moment) { try finish(roster) }
    switch density {
    case .full: if isShown { try say(StoryFold.Entry.moment(moment), roster) }
    case .folded:
      try finishMessages(roster)
      for entry in fold.take(moment, isShown: isShown) { try say(entry, roster) }
    case .condensed:
      for entry in messages.finish(before: moment.stamp) { try say(entry, roster) }
      if isShown { for entry in condensed.take(moment) { try say(entry, roster) } }
    }
  }

  /// Adds a record that means something to messages.
  ///
  /// - Parameters:
  ///   - message: The record, which is part of the unfiltered story.
  ///   - roster: A state near the record, for the labels of connections.
  ///   - isShown: Whether a filter selects it.
  mutating func add(
    _ message: MessageMoment, _ roster: Roster, isShown: Bool = true
  ) throws(OutputError) {
    switch density {
    case .full: if isShown { try say(MessageFold.Entry.moment(message), roster) }
    case .folded:
      for entry in fold.finish() { try say(entry, roster) }
      for entry in messages.take(message, isShown: isShown) { try say(entry, roster) }
    case .condensed:
      // The message is counted with those of its day, and the finding names its sender.
      for entry in messages.take(message.withoutFindings, isShown: isShown) {
        try say(entry, roster)
      }
      let findings = message.findings.map { ListedFinding.message($0) }.filter(tells)
      guard isShown, !findings.isEmpty else { return }
      try sayDate(message.stamp)
      try Terminal.say(findings.map(\.line))
    }
  }

  /// Whether the story tells a finding about messages. A very long one leaves what is only worth
  /// knowing to the command `findings`.
  func tells(_ finding: ListedFinding) -> Bool {
    switch density {
    case .full, .folded: true
    case .condensed: finding.severity != .info
    }
  }

  private mutating func finishMessages(_ roster: Roster) throws(OutputError) {
    for entry in messages.finish() { try say(entry, roster) }
  }

  /// Holds back doubts about requests, which the following records may settle. Called for every
  /// record, before `add`.
  mutating func hold(_ moment: Timeline.Moment, about isShown: (BareJID?) -> Bool = { _ in true }) {
    doubts.take(moment, about: isShown)
  }

  /// Whether output is held back to be folded with what follows.
  var isHolding: Bool { fold.isHolding || messages.isHolding }

  /// Prints the output that was held back, and the doubts that nothing has settled.
  mutating func finish(_ roster: Roster) throws(OutputError) {
    try settle(roster)
    if let line = doubts.finish(roster) { try Terminal.say(Style.dim(line.visible)) }
  }

  /// Prints the output that was held back to be folded with what follows.
  mutating func settle(_ roster: Roster) throws(OutputError) {
    switch density {
    case .full: break
    case .folded: for entry in fold.finish() { try say(entry, roster) }
    case .condensed: for entry in condensed.finish() { try say(entry, roster) }
    }
    try finishMessages(roster)
  }

  // MARK: Folded or full

  private mutating func say(
    _ entry: StoryFold.Entry, _ roster: Roster
  ) throws(OutputError) {
    try sayDate(entry.stamp)
    switch entry {
    case .moment(let moment):
      let suffix = labels.suffix(moment.connection, roster)
      try Terminal.say([moment.heading(zone) + suffix] + details(moment, roster))
    case .burst(let burst):
      try Terminal.say(line(burst.first, burst.last, records: burst.records, burst.clause))
    }
  }

  private func details(_ moment: Timeline.Moment, _ roster: Roster) -> [String] {
    let changes: [String]
    if case .full = density {
      changes = moment.outcome.changes.forStory.map(\.line)
    } else {
      changes = moment.outcome.changes.digest.map { Style.marked($0.mark, $0.clause) }
    }
    let origins = labels.originLines(moment.outcome, roster)
    return (changes + origins + moment.outcome.findings.map(\.line)).map { "    " + $0 }
  }

  /// The line of several records, with a clause about them.
  private func line(
    _ first: RecordStamp, _ last: RecordStamp, records: Int, _ clause: String
  ) -> String {
    let end = records == 1 ? "" : "–#\(last.record)"
    return Style.dim("#\(first.record)\(end)") + " \(clock(first, last))… "
      + Style.dim("\(records.of("record")): \(clause)".visible)
  }

  // MARK: Messages

  private mutating func say(
    _ entry: MessageFold.Entry, _ roster: Roster
  ) throws(OutputError) {
    switch entry {
    case .moment(let moment):
      try sayDate(moment.stamp)
      try Terminal.say(moment.lines(labels, roster, zone))
    case .run(let run):
      try sayDate(run.first)
      try Terminal.say(line(run.first, run.last, records: run.records, run.clause))
    }
  }

  // MARK: Condensed

  private mutating func say(
    _ entry: CondensedStory.Entry, _ roster: Roster
  ) throws(OutputError) {
    switch entry {
    case .moment(let moment):
      try sayDate(moment.stamp)
      let heading = moment.heading(zone, moment.condensedClause)
      let origins = labels.originLines(moment.outcome, roster).joined(separator: "; ")
      let suffix = labels.suffix(moment.connection, roster)
      let findings = moment.outcome.findings
      let marks = findings.filter(isSummarized).map { "  " + $0.mark }.joined()
      try Terminal.say(
        [heading + suffix + (origins.isEmpty ? "" : " (\(origins))") + marks]
          + findings.filter { !isSummarized($0) }.map { "    " + $0.line })
    case .interruption(let lost, let resumed):
      try sayDate(lost.stamp)
      try Terminal.say(
        Style.dim("#\(lost.stamp.record)–#\(resumed.stamp.record)")
          + " \(clock(lost.stamp, resumed.stamp))· the connection is lost, the session is resumed"
          + labels.suffix(resumed.connection, roster))
    }
  }

  private func isSummarized(_ finding: Finding) -> Bool {
    guard case .condensed(_, let summarized) = density else { return false }
    return summarized.contains(finding)
  }

  // MARK: Times

  /// Prints the date if another day begins; records without a time belong to no day.
  private mutating func sayDate(_ stamp: RecordStamp) throws(OutputError) {
    let now = zone.day(stamp)
    guard now != nil || days.isEmpty, days.last != now else { return }
    days.append(now)
    let date = stamp.time.map { Style.bold(zone.date($0)) }
    let parts = [date, presence(of: now)].compactMap { $0 }
    if !parts.isEmpty { try Terminal.say(parts.joined(separator: " ")) }
  }

  private func presence(of day: Int64?) -> String? {
    guard case .condensed(let presence, _) = density, let burst = presence[day] else { return nil }
    return Style.dim("… \(burst.records.of("record")): \(burst.clause)")
  }

  private func clock(_ first: RecordStamp, _ last: RecordStamp) -> String {
    let ends = first == last ? [first] : [first, last]
    let times = ends.compactMap { $0.time.map(zone.clock) }
    return times.isEmpty ? "" : Style.dim(times.joined(separator: "–")) + " "
  }
}
