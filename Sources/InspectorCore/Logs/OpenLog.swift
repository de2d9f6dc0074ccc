import Captures
import EventStore
import Rollcall
import RosterCore
import XMPPStanza

/// A log with its index, and with what was looked at last.
struct OpenLog: Sendable {
  let timeline: Timeline
  let title: String
  /// How many logs were open at this place before: one that is replaced is another log.
  let generation: Int
  /// The number of records of the log, of which the index may not have all yet.
  private(set) var end: UInt64 = 0
  private(set) var index = StoryIndex()
  private(set) var labels = ConnectionLabels([:], SessionSpans())
  /// How the log is damaged, and the number of records that it had: until it has others, no request
  /// reads it again from the beginning.
  private var failure: (end: UInt64, error: any Error)?
  var stretches: StretchCache
  var texts = TextIndex()
  var views = StoryViews()
  var screens = ScreenCache()
  var histories = HistoryCache()
  let cards = CardReading()
  var branches = Branches()

  init(_ timeline: Timeline, title: String, generation: Int = 0) {
    self.timeline = timeline
    self.title = title
    self.generation = generation
    stretches = StretchCache(timeline)
  }

  /// The number of the last record that is indexed: nothing later is shown.
  var head: UInt64 { index.head }

  /// Whether all records are indexed.
  var isComplete: Bool { head == end }

  /// Whether the file at the log's path is another log, or has lost records that were shown.
  var isReplaced: Bool {
    get throws {
      guard timeline.log.isAtItsPath else { return true }
      return try timeline.log.read { try $0.lastSequence } < head
    }
  }

  /// Takes up what was appended to the log.
  ///
  /// - Parameter limit: The most records to index now.
  mutating func refresh(atMost limit: UInt64 = .max) throws {
    end = try timeline.log.read { try $0.lastSequence }
    guard end > index.head else { return }
    if let failure, failure.end == end { throw failure.error }
    do {
      try index.extend(over: timeline, upTo: index.head + min(limit, end - index.head))
    } catch {
      // It has a part of what cannot be read.
      index = StoryIndex()
      if RollcallError(error).reason == .damaged { failure = (end, error) }
      throw error
    }
    failure = nil
    labels = ConnectionLabels(try timeline.log.meta.connections, index.sessions)
  }

  /// For answers about the whole log, which those about its first records must not be taken for.
  ///
  /// - Throws: `Refusal` while records are not indexed.
  func requireAll() throws(Refusal) {
    guard !isComplete else { return }
    throw Refusal(
      409, "indexing", "\(title) is being indexed: \(head) of \(end) records so far")
  }

  /// What is odd about the end of the log, which is not known before all records are indexed.
  var ending: [Finding] { isComplete ? index.ending : [] }

  // MARK: Points

  /// The record that a parameter names; the last one if it is not given.
  func record(_ name: String, of request: InspectorRequest) throws -> UInt64 {
    try record(named: request.query[name])
  }

  /// The record that a member of a body names; the last one if it is not given.
  func record(at value: JSONValue?) throws -> UInt64 {
    switch value {
    case nil, .null?: head
    case .integer(let number)?: try record(named: "\(number)")
    case .string(let text)?: try record(named: text)
    case .bool?, .decimal?, .array?, .object?: throw Refusal.malformed("at is not a point")
    }
  }

  private func record(named text: String?) throws -> UInt64 {
    guard let text, !text.isEmpty else { return head }
    do {
      let record = try timeline.record(at: LogPoint(parsing: text))
      // What was appended since the index was made is shown by the next request.
      return min(record, head)
    } catch let error as PointError {
      throw Refusal(error)
    }
  }

  /// What the page needs to know of the records after one; nil if there are none.
  ///
  /// - Parameter generation: That of the log in which the page has seen the record.
  func news(after record: UInt64, of generation: Int) -> JSONValue? {
    guard head > record || generation != self.generation else { return nil }
    var replaced = index.entryCount
    if let entry = index.entry(atOrBefore: record) {
      replaced = index.entry(entry).last > record ? entry : entry + 1
    } else {
      replaced = 0
    }
    return .object([
      "head": JSONValue(head), "t": Self.number(index.flags.clock(of: head)),
      "entries": .integer(Int64(index.entryCount)), "replaceFrom": .integer(Int64(replaced)),
      "findings": findingCounts, "complete": .bool(isComplete), "records": JSONValue(end),
      "generation": .integer(Int64(self.generation)),
    ])
  }

  /// A time in milliseconds, or null.
  static func number(_ time: Int64?) -> JSONValue { time.map { .integer($0) } ?? .null }
}
