import Captures
package import Rollcall
import RosterCore

/// The story of a log that this process writes, printed as it grows, with its messages.
package final class LiveStory {
  private let timeline: Timeline
  private let isForMachines: Bool
  private var follower: LogFollower
  private var conversations: ConversationFollower
  private var printer: StoryPrinter

  /// A story from the end of the log on; earlier records are not printed.
  package init(_ timeline: Timeline, zone: Zone, isForMachines: Bool) throws {
    self.timeline = timeline
    self.isForMachines = isForMachines
    let last = try timeline.record(at: .head(minus: 0))
    follower = try LogFollower(timeline, after: last)
    conversations = try ConversationFollower(timeline, after: last, textLimit: .max)
    printer = StoryPrinter(try ConnectionLabels(timeline.log), zone: zone, .folded)
  }

  /// Prints what has arrived.
  package func update() throws {
    let last = try timeline.record(at: .head(minus: 0))
    guard last > follower.position else { return }
    printer.labels = try ConnectionLabels(timeline.log)
    // What is odd about messages cannot be known without those before this story.
    var messages = try conversations.moments(upTo: last).moments
      .filter { !$0.effects.isEmpty }.map(\.withoutFindings)[...]
    try follower.follow(upTo: last) { moment, roster in
      try tell(&messages, before: moment.stamp.record, roster)
      printer.hold(moment)
      guard moment.tells else { return }
      if isForMachines {
        try Terminal.say(JSONValue(moment))
      } else {
        try printer.add(moment, roster)
      }
    }
    try tell(&messages, before: .max, follower.state.roster)
    try Terminal.flush()
  }

  private func tell(
    _ messages: inout ArraySlice<MessageMoment>, before record: UInt64, _ roster: Roster
  ) throws {
    while let message = messages.first, message.stamp.record < record {
      messages.removeFirst()
      if isForMachines {
        try Terminal.say(JSONValue(message))
      } else {
        try printer.add(message, roster)
      }
    }
  }

  /// Prints the output that was held back to be folded with what follows.
  package func settle() throws {
    if !isForMachines { try printer.settle(follower.state.roster) }
    try Terminal.flush()
  }

  /// Prints everything that was held back, because no more will come.
  package func finish() throws {
    if !isForMachines { try printer.finish(follower.state.roster) }
    try Terminal.flush()
  }
}
