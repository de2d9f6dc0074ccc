import EventStore
import RosterCore

/// Makes the story of a long session as readable as that of a short one: the records that change
/// only presence, and are most of them, become one entry for as many as come in a row.
///
/// Memory: a few records, and the addresses of a burst.
package struct StoryFold {
  /// A part of the story.
  package enum Entry: Sendable {
    /// One record that tells something.
    case moment(Timeline.Moment)
    /// Several, as one.
    case burst(PresenceBurst)

    /// When it began.
    package var stamp: RecordStamp {
      switch self {
      case .moment(let moment): moment.stamp
      case .burst(let burst): burst.first
      }
    }
  }

  /// From how many on records in a row are folded: fewer are read as easily one by one.
  package static let fewest = 4

  /// What of the burst came so far, while that is too little to be one.
  private var waiting: [Timeline.Moment] = []
  private var burst: PresenceBurst?
  private let day: (RecordStamp) -> Int64?

  /// - Parameter day: The number of the day that a record is of, where its time is known: a burst
  ///   ends with its day.
  package init(day: @escaping (RecordStamp) -> Int64?) {
    self.day = day
  }

  /// Takes the next record that tells something, and gives what is complete by it: what was folded
  /// before it, and itself unless it is folded in turn.
  package mutating func take(_ moment: Timeline.Moment) -> [Entry] {
    guard moment.isFleeting else { return finish() + [.moment(moment)] }
    let last = burst?.last ?? waiting.last?.stamp
    let ended = last.map { day($0) != day(moment.stamp) } == true ? finish() : []
    if burst != nil {
      burst?.add(moment)
      return ended
    }
    waiting.append(moment)
    guard waiting.count >= Self.fewest, let first = waiting.first else { return ended }
    var begun = PresenceBurst(first)
    for moment in waiting.dropFirst() { begun.add(moment) }
    (burst, waiting) = (begun, [])
    return ended
  }

  /// Whether something waits for what may be folded with it.
  package var isHolding: Bool { burst != nil || !waiting.isEmpty }

  /// What is still folded, at the end.
  package mutating func finish() -> [Entry] {
    defer { (burst, waiting) = (nil, []) }
    return burst.map { [.burst($0)] } ?? waiting.map { .moment($0) }
  }
}
