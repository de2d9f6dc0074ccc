import ArgumentParser
import Captures
import ContactSections
import ConversationCore
import EventStore
import Rollcall
import RosterCore
import XMPPStanza

struct ReplayCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Tells the story: each record that changed something, what it changed, what is odd.",
    discussion: """
      ← came from the server, → went to it; + was added, - was removed, ~ changed, ! is a finding. \
      Four or more records in a row that change only presence are one line, and so are four or \
      more with messages or signs about them. A long session begins \
      with a summary; in a very long one, each record is one line, and presence and messages are \
      counted by day: --full shows everything, --from, --to and --contact show a part.

      With --follow, the story continues with what is written later, within a second; Ctrl-C ends \
      it as if the source had ended, and the summary of a long session is printed then. Presence \
      is folded with what arrives within 0.6 seconds, and --from head shows only what is new. \
      Input that is not complete yet is held back: half a line, half an element, records before \
      the one that says whose they are.

      Examples:
        rollcall replay debug.log
        rollcall replay debug.log --follow
        ssh host tail -F debug.log | rollcall replay - --follow
        rollcall replay alice.rollcall --from 10:00 --at 11:00 --zone Asia/Shanghai
        rollcall replay alice.rollcall --contact bob@example.test --full
        rollcall replay alice.rollcall --only findings
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: ListOutputOptions
  @OptionGroup var filter: StoryFilter
  @OptionGroup var times: ZoneOptions
  @OptionGroup var following: FollowOptions

  @Flag(help: "Fold nothing.")
  var full = false

  /// The number of records from which a session gets a summary.
  private static let summaryThreshold: UInt64 = 300

  func validate() throws { try following.check(source, source.source) }

  func run() throws {
    guard !following.follow else {
      return try Following.run(
        source.source, source, isForMachines: output.isForMachines
      ) { try self.story(of: $0) }
    }
    let opened = try source.open()
    let last = try opened.naming { try opened.timeline.record(at: source.point) }
    let story = try self.story(of: opened)
    if !output.isForMachines, let found = try survey(opened, last, story), !full {
      story.condense(presence: found.presence, summarized: found.summarized)
    }
    story.summary = nil
    try story.printRecords(upTo: last)
    try story.end()
  }

  /// Looks through a long session, and prints its summary unless a filter selects a part of it.
  ///
  /// - Returns: The presence of each day in the part that is shown, and the findings that the
  ///   summary has told, if the whole story is long. How long the whole one is depends on no filter
  ///   and no end, so that none makes a story longer.
  private func survey(
    _ opened: OpenedSource, _ last: UInt64, _ story: Story
  ) throws -> (presence: [Int64?: PresenceBurst], summarized: Set<Finding>)? {
    let head = try opened.lastRecord
    guard head >= Self.summaryThreshold else { return nil }
    var whole = StorySummary(day: times.zone.day)
    // Without a filter, the part that is shown is the whole up to the last record.
    var part = filter.isSet ? whole : nil
    var summarized: Set<Finding> = []
    try opened.naming {
      var follower = try LogFollower(opened.timeline)
      try follower.follow(upTo: last) { moment, _ in
        whole.take(moment)
        if part != nil, try story.chosen.tells(moment, toPeople: true) { part?.take(moment) }
      }
      if part == nil { part = whole }
      if last >= Self.summaryThreshold, !filter.isSet {
        whole.take(ending: try opened.timeline.findings(ending: follower.state))
        summarized = Set(whole.seriousFindings.map(\.first))
        try Terminal.say(
          whole.lines(follower.state, records: last, words, times.zone, isFull: full))
      }
      while !whole.isLong, follower.position < head {
        let next = min(head, follower.position + Self.summaryThreshold)
        try follower.follow(upTo: next) { moment, _ in whole.take(moment) }
      }
    }
    guard whole.isLong, let part else { return nil }
    return (part.presence, summarized)
  }

  /// The source, for commands that the user may copy.
  private var words: SourceWords { SourceWords(source.source, source.words) }

  private func story(of opened: OpenedSource) throws -> Story {
    let chosen = try filter.chosen(in: opened)
    let printer = try opened.naming {
      StoryPrinter(
        try ConnectionLabels(opened.log), zone: times.zone, full ? .full : .folded)
    }
    return try Story(
      opened, chosen, source: words, times.zone,
      records: output.isForMachines ? output.list("records") : nil, printer,
      summary: output.isForMachines || filter.isSet ? nil : StorySummary(day: times.zone.day))
  }

  /// A story in printed form, for people or for machines.
  private final class Story: FollowedOutput {
    let opened: OpenedSource
    let chosen: StoryFilter.Chosen
    let source: SourceWords
    let zone: Zone
    /// The output for machines; nil for people.
    private var records: DocumentList?
    private var printer: StoryPrinter
    private var follower: LogFollower
    private var conversations: ConversationFollower
    /// Findings about messages of records that were already told.
    private var lateFindings: [ConversationFinding] = []
    /// The summary of a long session, if it is printed at the end.
    var summary: StorySummary?

    init(
      _ opened: OpenedSource, _ chosen: StoryFilter.Chosen, source: SourceWords, _ zone: Zone,
      records: DocumentList?, _ printer: StoryPrinter, summary: StorySummary?
    ) throws {
      (self.opened, self.chosen, self.source, self.zone) = (opened, chosen, source, zone)
      (self.records, self.printer, self.summary) = (records, printer, summary)
      follower = try opened.naming { try LogFollower(opened.timeline) }
      conversations = ConversationFollower(opened.timeline)
    }

    /// The number of records whose messages are in memory at a time.
    private static let stretch: UInt64 = 4096

    var isHolding: Bool { printer.isHolding }

    /// Prints a condensed story, because the whole one is very long.
    ///
    /// - Parameters:
    ///   - presence: The presence of each day.
    ///   - summarized: The findings that the summary has told.
    func condense(presence: [Int64?: PresenceBurst], summarized: Set<Finding>) {
      printer = StoryPrinter(
        printer.labels, zone: zone, .condensed(presence: presence, summarized: summarized))
    }

    func update() throws {
      try printRecords(upTo: opened.lastRecord)
    }

    func printRecords(upTo last: UInt64) throws {
      guard last > follower.position else { return }
      try opened.naming {
        printer.labels = try ConnectionLabels(opened.log)
        if last - follower.position > Self.stretch { try conversations.settle(upTo: last) }
        while follower.position < last {
          try printStretch(upTo: min(last, follower.position + Self.stretch))
        }
      }
    }

    private func printStretch(upTo last: UInt64) throws {
      let told = try conversations.moments(upTo: last)
      var messages = told.moments[...]
      lateFindings += told.late
      try follower.follow(upTo: last) { moment, roster in
        try printMessages(&messages, before: moment.stamp.record, roster)
        summary?.take(moment)
        if records != nil { return try add(moment, &messages) }
        // A record that changes nothing but this is not told by itself.
        if try chosen.tells(moment, toPeople: false) {
          printer.hold(moment, about: chosen.includes)
        }
        if moment.tells {
          let isShown = try chosen.tells(moment, toPeople: true)
          try printer.add(moment, roster, isShown: isShown)
        }
      }
      try printMessages(&messages, before: .max, follower.state.roster)
    }

    /// Adds a record to the output for machines if it is selected, with what it did to messages.
    private func add(
      _ moment: Timeline.Moment, _ messages: inout ArraySlice<MessageMoment>
    ) throws {
      let isChosen = try chosen.tells(moment, toPeople: false)
      guard let message = messages.first, message.stamp.record == moment.stamp.record,
        try chosen.includes(message), isChosen || !message.findings.isEmpty
      else {
        if isChosen { try records?.add(JSONValue(moment)) }
        return
      }
      messages.removeFirst()
      try records?.add(JSONValue(moment, message))
    }

    /// Prints what records before another one did to messages.
    private func printMessages(
      _ messages: inout ArraySlice<MessageMoment>, before record: UInt64, _ roster: Roster
    ) throws {
      while let message = messages.first, message.stamp.record < record {
        messages.removeFirst()
        let isShown = try chosen.includes(message)
        if records == nil {
          try printer.add(message, roster, isShown: isShown)
        } else if isShown {
          try records?.add(JSONValue(message))
        }
      }
    }

    func settle() throws { try printer.settle(follower.state.roster) }

    func end() throws {
      let state = follower.state
      let findings = try opened.naming {
        try opened.timeline.findings(ending: state).filter { try chosen.includes(ending: $0) }
      }
      var ending = try (lateFindings + conversations.findingsAtEnd())
        .map { ListedFinding.message($0) }.filter { try chosen.includes($0) }
      if records == nil { ending.removeAll { !printer.tells($0) } }
      ending += findings.map { ListedFinding.roster($0) }
      if let records {
        var others = ["account": JSONValue(state.account?.text)]
        others["findings"] = .array(ending.map { JSONValue($0) })
        others["unread"] = JSONValue(unreadIn: opened.files)
        return try records.finish(others)
      }
      try printer.finish(state.roster)
      try Terminal.say(ending.map(\.line))
      summary?.take(ending: findings)
      let count = follower.position
      if let summary, count >= ReplayCommand.summaryThreshold {
        let lines = summary.lines(state, records: count, source, zone, isFull: true)
        try Terminal.say([""] + lines.dropLast())
      }
      try say(state)
    }

    /// Prints the state at the end.
    private func say(_ state: Timeline.State) throws {
      let roster = state.roster
      let friends = roster.friends().count
      let contacts =
        roster.isKnownInPart
        ? "\(roster.itemCount.of("contact"))\(roster.completeness == .complete ? "" : " known"), "
          + "\(friends) of them friends" : "contacts unknown"
      try Terminal.say([
        "",
        Style.bold(state.account?.text ?? "account unknown")
          + ": \(contacts); "
          + "\(roster.incoming.count) asking us, \(roster.outgoing.count) asked by us",
      ])
      roster.noteIncompleteness()
    }
  }
}
