import Captures
package import Rollcall

/// The story of a log that this process writes, printed as it grows.
package final class LiveStory {
  private let timeline: Timeline
  private let isForMachines: Bool
  private var follower: LogFollower
  private var printer: StoryPrinter

  /// A story from the end of the log on; earlier records are not printed.
  package init(_ timeline: Timeline, zone: Zone, isForMachines: Bool) throws {
    self.timeline = timeline
    self.isForMachines = isForMachines
    follower = try LogFollower(timeline, after: timeline.record(at: .head(minus: 0)))
    printer = StoryPrinter(try ConnectionLabels(timeline.log), zone: zone, .folded)
  }

  /// Prints what has arrived.
  package func update() throws {
    printer.labels = try ConnectionLabels(timeline.log)
    try follower.follow(upTo: timeline.record(at: .head(minus: 0))) { moment, roster in
      printer.hold(moment)
      guard moment.tells else { return }
      if isForMachines {
        try Terminal.say(JSONValue(moment))
      } else {
        try printer.add(moment, roster)
      }
    }
    try Terminal.flush()
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
