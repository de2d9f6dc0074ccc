import ArgumentParser
import Captures
import ConversationCore
import EventStore
import RawBytes
import Rollcall
import RosterCore
import XMPPStanza

/// The option for the direction of a record.
enum DirectionOption: String, ExpressibleByArgument, CaseIterable {
  case `in`, out, none
}

/// The option for the kind of a record.
enum KindOption: String, ExpressibleByArgument, CaseIterable {
  case iq, presence, message, stream, other, unreadable
}

struct LogCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Lists the records, all of them or some.",
    discussion: """
      Each record is listed with its time, its direction (← came from the server, → went to it, \
      · neither), its kind and its beginning, if it matches all of the options. --no-presence \
      keeps requests for presence and their answers. With --follow, each new record is listed \
      within a second, until Ctrl-C or the end of a pipe.

      Examples:
        rollcall log alice.rollcall --contact bob@example.test
        rollcall log alice.rollcall --direction in --kind presence --range 100-200
        rollcall log debug.log --kind presence --since -5m
        rollcall log debug.log --only findings
        rollcall log alice.rollcall --follow --kind iq
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: ListOutputOptions

  @OptionGroup var filter: StoryFilter

  @Option(help: "Only records that came from the server, went to it, or neither.")
  var direction: DirectionOption?

  @Option(
    parsing: .unconditional, help: "Only these records, such as 100-200, #100-#200, 100- or -200.")
  var range: RecordRange = RecordRange()

  @OptionGroup var following: FollowOptions

  func validate() throws { try following.check(source, source.source) }

  func run() throws {
    guard !following.follow else {
      return try Following.run(
        source.source, source, isForMachines: output.isForMachines
      ) { try self.listing(of: $0) }
    }
    let opened = try source.open()
    let listing = try self.listing(of: opened)
    try listing.printRows(upTo: opened.naming { try opened.timeline.record(at: source.point) })
    try listing.end()
  }

  private func listing(of opened: OpenedSource) throws -> Listing {
    try Listing(
      opened: opened, command: self, chosen: try filter.chosen(in: opened),
      document: output.isForMachines ? output.list("records") : nil)
  }

  /// The rows, written as they are found, so that a log of any length needs bounded memory.
  private final class Listing: FollowedOutput {
    let opened: OpenedSource
    let command: LogCommand
    let chosen: StoryFilter.Chosen
    /// The output for machines; nil for a table.
    var document: DocumentList?
    private var table: Table?
    private var isEmpty = true
    /// Whether there are several connections, so that each row names its own.
    private var isShared = false
    /// The last record that was listed or skipped.
    private var position: UInt64 = 0
    /// Keeps the state with which findings are searched for.
    private var follower: LogFollower
    private var conversations: ConversationFollower
    /// The records with findings, if only these are requested.
    private var odd: Set<UInt64> = []

    init(
      opened: OpenedSource, command: LogCommand, chosen: StoryFilter.Chosen,
      document: DocumentList?
    ) throws {
      (self.opened, self.command, self.chosen) = (opened, command, chosen)
      self.document = document
      follower = try opened.naming { try LogFollower(opened.timeline) }
      conversations = ConversationFollower(opened.timeline)
    }

    func update() throws {
      try printRows(upTo: opened.lastRecord)
    }

    func printRows(upTo last: UInt64) throws {
      guard last > position else { return }
      try opened.naming {
        let isNowShared =
          try opened.log.meta.connections.count > 1 && opened.timeline.connection == nil
        // If another connection has appeared, start a new table with other columns.
        if isNowShared != isShared { table = nil }
        isShared = isNowShared
        if let bounds = command.range.bounds(after: max(chosen.before, position), upTo: last) {
          try findOdd(upTo: bounds.upperBound)
          try list(bounds)
        }
      }
      position = last
    }

    func end() throws {
      try document?.finish()
      if isEmpty { throw NothingFound(sentence: "no record matches") }
    }

    private func findOdd(upTo last: UInt64) throws {
      guard command.filter.records.only != nil else { return }
      odd.formUnion(try conversations.follow(upTo: last).map(\.record))
      try follower.follow(upTo: last) { moment, _ in
        if !moment.outcome.findings.isEmpty { odd.insert(moment.stamp.record) }
      }
    }

    private func list(_ bounds: ClosedRange<UInt64>) throws {
      let timeline = opened.timeline
      let filter = command.filter.records
      let wanted = try chosen.contact.map { try timeline.records(concerning: $0, in: bounds) }
      let reader = RecordReader()
      var rows: [Row] = []
      try timeline.log.forEachRecord(in: bounds) { header, span in
        guard command.direction.map({ $0.rawValue == header.direction.name }) ?? true else {
          return
        }
        if let wanted, !wanted.contains(header.sequence) { return }
        if filter.only != nil, !odd.contains(header.sequence) { return }
        guard timeline.includes(header.connection) else { return }
        let bytes = [UInt8](span)
        let node = header.kind == .element ? reader.element(bytes) : nil
        let found = KindOption(header, node)
        guard filter.kind == nil || filter.kind == found else { return }
        if filter.noPresence, found == .presence, node?.isSubscription != true { return }
        rows.append(Row(header: header, bytes: bytes, kind: found))
      } between: {
        for row in rows { try add(row, upTo: bounds.upperBound) }
        rows.removeAll(keepingCapacity: true)
      }
    }

    private func add(_ row: Row, upTo last: UInt64) throws(OutputError) {
      isEmpty = false
      guard document == nil else {
        try document?.add(JSONValue(row.header, row.bytes, kind: row.kind.rawValue))
        return
      }
      // Estimate the widest cell of each column except the last, so that rows need not be held
      // back.
      var widths = ["#\(last)".count, "2026-11-20T10:00:00.000Z".count, 1, "presence".count]
      var titles = ["record", "time", "", "kind", "element"]
      var cells = row.cells
      if isShared {
        widths.insert("c".count + 4, at: 2)
        titles.insert("c", at: 2)
        cells.insert("\(row.header.connection)", at: 2)
      }
      var table = table ?? Table(titles, widths: widths, isCutToFit: true)
      table.add(cells)
      try Terminal.say(table.takeLines())
      self.table = table
    }
  }

  private struct Row {
    let header: RecordHeader
    let bytes: [UInt8]
    let kind: KindOption

    var cells: [String] {
      [
        "#\(header.sequence)", header.time.map(Timestamp.text) ?? "–",
        header.direction.name == "in" ? "←" : header.direction.name == "out" ? "→" : "·",
        kind.rawValue, Self.head(of: shown),
      ]
    }

    private var shown: [UInt8] {
      guard header.kind == .unreadable, let unreadable = UnreadableBytes(line: bytes) else {
        return bytes
      }
      return Array(unreadable.summary.utf8)
    }

    /// The beginning of the element, on one line.
    private static func head(of bytes: [UInt8]) -> String {
      let limit = max(100, Terminal.columns ?? 0)
      // Counting characters is slow, so count only in a prefix that is probably long enough.
      let text = String(decoding: bytes.prefix(5 * limit), as: UTF8.self)
      guard let end = text.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex),
        end < text.endIndex
      else { return bytes.count > 5 * limit ? text + "…" : text }
      return text.prefix(limit - 1) + "…"
    }
  }
}

extension XMPPElement {
  /// Whether a presence stanza concerns a subscription rather than availability.
  fileprivate var isSubscription: Bool {
    ["subscribe", "subscribed", "unsubscribe", "unsubscribed"].contains(attribute("type"))
  }
}

extension KindOption {
  init(_ header: RecordHeader, _ node: XMPPElement?) {
    guard header.kind == .element else {
      self = header.kind == .unreadable ? .unreadable : .stream
      return
    }
    guard let node, node.name.namespace == Namespace.client else {
      self = node?.name.namespace == Namespace.streams ? .stream : .other
      return
    }
    self = KindOption(rawValue: node.name.local) ?? .other
  }
}

/// The option for a range of record numbers: `100-200`, `100-`, `-200` or `100`, also with `#`
/// before a number, as printed.
struct RecordRange: ExpressibleByArgument {
  private var first: UInt64 = 1
  private var last: UInt64 = .max

  /// All records.
  init() {}

  init?(argument: String) {
    let parts = argument.split(separator: "-", omittingEmptySubsequences: false)
    func number(_ part: Substring) -> UInt64? {
      UInt64(part.hasPrefix("#") ? part.dropFirst() : part)
    }
    switch parts.count {
    case 1:
      guard let number = number(parts[0]) else { return nil }
      (first, last) = (number, number)
    case 2:
      guard let first = parts[0].isEmpty ? 1 : number(parts[0]),
        let last = parts[1].isEmpty ? UInt64.max : number(parts[1]), first <= last
      else { return nil }
      (self.first, self.last) = (first, last)
    default: return nil
    }
  }

  var defaultValueDescription: String { "all" }

  /// The part of the range between two records of a log, nil if it is empty.
  ///
  /// - Parameters:
  ///   - before: The last record before the part.
  ///   - head: The last record of the log.
  func bounds(after before: UInt64, upTo head: UInt64) -> ClosedRange<UInt64>? {
    let low = max(before + 1, first)
    let high = min(last, head)
    return low <= high ? low...high : nil
  }
}
