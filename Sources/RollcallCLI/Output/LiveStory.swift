import Captures
package import Rollcall

/// The story of a log that this process writes, told as it grows.
package final class LiveStory {
  private let timeline: Timeline
  private let isForMachines: Bool
  private var follower: LogFollower
  private var printer: StoryPrinter

  /// A story from the log's end on: what stood in it before is not told again.
  package init(_ timeline: Timeline, zone: Zone, isForMachines: Bool) throws {
    self.timeline = timeline
    self.isForMachines = isForMachines
    follower = try LogFollower(timeline, after: timeline.record(at: .head(minus: 0)))
    printer = StoryPrinter(try ConnectionLabels(timeline.log), zone: zone, .folded)
  }

  /// Tells what has come.
  package func tell() throws {
    printer.labels = try ConnectionLabels(timeline.log)
    try follower.follow(upTo: timeline.record(at: .head(minus: 0))) { moment, roster in
      guard moment.tells else { return }
      if isForMachines {
        try Terminal.say(JSONValue(moment))
      } else {
        try printer.tell(moment, roster)
      }
    }
    try Terminal.flush()
  }

  /// Tells what was held back to be folded with what follows.
  package func settle() throws {
    if !isForMachines { try printer.finish(follower.state.roster) }
    try Terminal.flush()
  }
}
