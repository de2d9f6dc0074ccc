import ConversationCore
import RosterCore

/// Makes a long conversation one entry of the story: records in a row that only carry messages, or
/// say something about earlier ones.
///
/// Memory: a few records, and a number for each conversation of a run.
package struct MessageFold: Sendable {
  /// A part of the story.
  package enum Entry: Sendable {
    case moment(MessageMoment)
    case run(MessageRun)
  }

  private var waiting: [MessageMoment] = []
  private var run: MessageRun?
  /// From how many on records in a row are folded.
  private let fewest: Int
  /// Whether a record with a finding is an entry of its own.
  private let keepsFindings: Bool
  private let day: @Sendable (RecordStamp) -> Int64?

  /// - Parameters:
  ///   - fewest: From how many on records in a row are folded.
  ///   - keepsFindings: Whether a record with a finding is an entry of its own, which ends a run.
  ///   - day: The number of the day that a record is of, if its time is known: a run ends with its
  ///     day.
  package init(
    fewest: Int = StoryFold.fewest, keepsFindings: Bool = true,
    day: @escaping @Sendable (RecordStamp) -> Int64?
  ) {
    (self.fewest, self.keepsFindings, self.day) = (fewest, keepsFindings, day)
  }

  /// Adds the next record, and returns the entries that it completes.
  package mutating func take(_ moment: MessageMoment) -> [Entry] {
    guard !keepsFindings || moment.findings.isEmpty else { return finish() + [.moment(moment)] }
    let ended = finish(before: moment.stamp)
    guard run == nil else {
      run?.add(moment)
      return ended
    }
    waiting.append(moment)
    if waiting.count >= fewest {
      run = MessageRun(waiting)
      waiting = []
    }
    return ended
  }

  /// Whether a record is held back because others may be folded with it.
  package var isHolding: Bool { run != nil || !waiting.isEmpty }

  /// The entries of what is held back, if a record is of another day.
  package mutating func finish(before stamp: RecordStamp) -> [Entry] {
    let last = run?.last ?? waiting.last?.stamp
    return last.map { day($0) != day(stamp) } == true ? finish() : []
  }

  /// The entries of what is still held back.
  package mutating func finish() -> [Entry] {
    defer { (run, waiting) = (nil, []) }
    return run.map { [.run($0)] } ?? waiting.map { .moment($0) }
  }
}

/// Records in a row about messages.
package struct MessageRun: Hashable, Sendable {
  /// The first record of it, and the last one.
  package let first: RecordStamp
  package private(set) var last: RecordStamp
  package private(set) var records = 0
  /// The number of records that showed no new message.
  private var later = 0
  /// The new messages by conversation.
  private var messages: [ConversationKey: Int] = [:]

  /// The run of some records in order; nil if there are none.
  init?(_ moments: [MessageMoment]) {
    guard let first = moments.first else { return nil }
    (self.first, last) = (first.stamp, first.stamp)
    for moment in moments { add(moment) }
  }

  mutating func add(_ moment: MessageMoment) {
    last = moment.stamp
    records += 1
    var isNew = false
    for effect in moment.effects where effect.kind == .began {
      messages[effect.conversation, default: 0] += 1
      isNew = true
    }
    if !isNew { later += 1 }
  }

  /// What it was, in a clause.
  package var clause: String {
    var parts: [String] = []
    let count = messages.values.reduce(0, +)
    if let (key, _) = messages.first {
      let place =
        messages.count > 1
        ? "in \(messages.count.of("conversation"))"
        : key.kind == .group ? "in \(key.jid)" : "with \(key.jid)"
      parts.append("\(count.of("message")) \(place)")
    }
    if later > 0 { parts.append("\(later.of("record")) about earlier messages") }
    return parts.joined(separator: "; ")
  }
}
