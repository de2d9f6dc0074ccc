import EventStore
import RosterCore

/// Makes the story of a long session as readable as that of a short one: consecutive records that
/// change only presence, which are most records, become one entry.
///
/// Which records are folded does not depend on which are shown, so a filter makes no story longer.
///
/// Memory: a few records, and the addresses of a burst.
package struct StoryFold: Sendable {
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
  package static let foldingThreshold = 4

  /// The records that may be folded, as long as they are too few.
  private var waiting: [(moment: Timeline.Moment, isShown: Bool)] = []
  private var isFolding = false
  /// The folded records that are shown; nil if none is.
  private var burst: PresenceBurst?
  /// The last record that is folded or may be.
  private var last: RecordStamp?
  private let day: @Sendable (RecordStamp) -> Int64?

  /// - Parameter day: The number of the day that a record is of, where its time is known: a burst
  ///   ends with its day.
  package init(day: @escaping @Sendable (RecordStamp) -> Int64?) {
    self.day = day
  }

  /// Takes the next record that is part of the story, and returns the entries that it completes:
  /// those folded before it, and itself unless it may be folded.
  ///
  /// - Parameter isShown: Whether the record is selected; if not, it is in no entry.
  package mutating func take(_ moment: Timeline.Moment, isShown: Bool = true) -> [Entry] {
    guard moment.isFleeting else { return finish() + (isShown ? [.moment(moment)] : []) }
    let ended = last.map { day($0) != day(moment.stamp) } == true ? finish() : []
    last = moment.stamp
    guard !isFolding else {
      if isShown { fold(moment) }
      return ended
    }
    waiting.append((moment, isShown))
    guard waiting.count >= Self.foldingThreshold else { return ended }
    isFolding = true
    for (moment, isShown) in waiting where isShown { fold(moment) }
    waiting = []
    return ended
  }

  private mutating func fold(_ moment: Timeline.Moment) {
    guard burst != nil else { return burst = PresenceBurst(moment) }
    burst?.add(moment)
  }

  /// Whether a record is held back because others may be folded with it.
  package var isHolding: Bool { isFolding || !waiting.isEmpty }

  /// The entries of what is still held back, at the end.
  package mutating func finish() -> [Entry] {
    defer { (burst, waiting, isFolding, last) = (nil, [], false, nil) }
    guard !isFolding else { return burst.map { [.burst($0)] } ?? [] }
    return waiting.filter(\.isShown).map { .moment($0.moment) }
  }
}
