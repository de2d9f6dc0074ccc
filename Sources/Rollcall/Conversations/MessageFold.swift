import ConversationCore
import RosterCore

/// Makes a long conversation one entry of the story: records in a row that only carry messages, or
/// say something about earlier ones.
///
/// Which records are folded does not depend on which are shown, so a filter makes no story longer.
///
/// Memory: a few records, and a number for each conversation of a run.
package struct MessageFold: Sendable {
  /// A part of the story.
  package enum Entry: Sendable {
    case moment(MessageMoment)
    case run(MessageRun)
  }

  /// The records that may be folded, as long as they are too few.
  private var waiting: [(moment: MessageMoment, isShown: Bool)] = []
  private var isFolding = false
  /// The folded records that are shown; nil if none is.
  private var run: MessageRun?
  /// The last record that is folded or may be.
  private var last: RecordStamp?
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
    fewest: Int = StoryFold.foldingThreshold, keepsFindings: Bool = true,
    day: @escaping @Sendable (RecordStamp) -> Int64?
  ) {
    (self.fewest, self.keepsFindings, self.day) = (fewest, keepsFindings, day)
  }

  /// Adds the next record, and returns the entries that it completes.
  ///
  /// - Parameters:
  ///   - moment: The record.
  ///   - isShown: Whether the record is selected; if not, it is in no entry.
  package mutating func take(_ moment: MessageMoment, isShown: Bool = true) -> [Entry] {
    guard !keepsFindings || moment.findings.isEmpty else {
      return finish() + (isShown ? [.moment(moment)] : [])
    }
    let ended = finish(before: moment.stamp)
    last = moment.stamp
    guard !isFolding else {
      if isShown { fold(moment) }
      return ended
    }
    waiting.append((moment, isShown))
    guard waiting.count >= fewest else { return ended }
    isFolding = true
    for (moment, isShown) in waiting where isShown { fold(moment) }
    waiting = []
    return ended
  }

  private mutating func fold(_ moment: MessageMoment) {
    guard run != nil else { return run = MessageRun(moment) }
    run?.add(moment)
  }

  /// Whether a record is held back because others may be folded with it.
  package var isHolding: Bool { isFolding || !waiting.isEmpty }

  /// The entries of what is held back, if a record is of another day.
  package mutating func finish(before stamp: RecordStamp) -> [Entry] {
    last.map { day($0) != day(stamp) } == true ? finish() : []
  }

  /// The entries of what is still held back.
  package mutating func finish() -> [Entry] {
    defer { (run, waiting, isFolding, last) = (nil, [], false, nil) }
    guard !isFolding else { return run.map { [.run($0)] } ?? [] }
    return waiting.filter(\.isShown).map { .moment($0.moment) }
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

  init(_ moment: MessageMoment) {
    (first, last) = (moment.stamp, moment.stamp)
    add(moment)
  }

  mutating func add(_ moment: MessageMoment) {
    last = moment.stamp
    // A record that did nothing to messages is only odd.
    guard !moment.effects.isEmpty else { return }
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
