import EventStore
import RawBytes
import RosterCore

/// Writes the story of a report as it is read, a stretch of entries at a time.
///
/// Memory: a stretch of entries and the records they show.
struct ReportStory {
  /// How many entries are held before they are written.
  private static let stretch = 256

  private let report: Report
  /// How many entries come before those that are told.
  private let skipped: Int
  private let reader = RecordReader()
  private let write: (Markup) throws -> Void
  private var fold: StoryFold
  private var seen = 0
  private var odd = 0
  private var day: String?
  /// What is told next.
  private var waiting: [StoryFold.Entry] = []
  /// What the connections are called, where there are several.
  private let labels: [ConnectionID: String]

  /// - Parameter entries: How many there are.
  init(
    _ report: Report, _ connections: [ConnectionStory], entries: Int,
    _ write: @escaping (Markup) throws -> Void
  ) {
    self.report = report
    labels =
      connections.count > 1
      ? Dictionary(connections.map { ($0.id, $0.label) }, uniquingKeysWith: { first, _ in first })
      : [:]
    self.write = write
    skipped = max(0, entries - report.limits.entries)
    fold = StoryFold(day: report.zone.day)
  }

  /// Takes the next record.
  mutating func take(_ moment: Timeline.Moment) throws {
    guard moment.tells else { return }
    for entry in fold.take(moment) { try add(entry) }
  }

  mutating func finish() throws {
    for entry in fold.finish() { try add(entry) }
    try flush()
    if day != nil { try write(Tag.ol.end + Tag.section.end) }
  }

  private mutating func add(_ entry: StoryFold.Entry) throws {
    seen += 1
    if seen <= skipped {
      guard entry.isOdd, odd < report.limits.odd else { return }
      odd += 1
    }
    waiting.append(entry)
    if waiting.count >= Self.stretch { try flush() }
  }

  private mutating func flush() throws {
    let numbers = waiting.flatMap(\.shown)
    var records: [UInt64: ReportRecord] = [:]
    try report.timeline.log.read { transaction in
      try transaction.forEachRecord(of: numbers) { header, bytes in
        let bytes = [UInt8](bytes)
        records[header.sequence] = ReportRecord(
          header, bytes, reader, most: report.limits.recordBytes)
      }
    }
    for entry in waiting {
      try begin(dayOf: entry)
      let shown = entry.shown.compactMap { records[$0] }
      switch entry {
      case .moment(let moment): try write(item(moment, shown.first))
      case .burst(let burst): try write(item(burst, shown))
      }
    }
    waiting.removeAll(keepingCapacity: true)
  }

  /// Begins a list for each day; the records before the first time are of none.
  private mutating func begin(dayOf entry: StoryFold.Entry) throws {
    let date = entry.stamp.time.map { report.zone.date($0) } ?? day ?? ""
    guard date != day else { return }
    if day != nil { try write(Tag.ol.end + Tag.section.end) }
    day = date
    let heading = date.isEmpty ? Markup() : Tag.h3([:], Markup(date))
    try write(Tag.section.start([.class: "day"]) + heading + Tag.ol.start())
  }

  // MARK: Entries

  private func item(_ moment: Timeline.Moment, _ record: ReportRecord?) -> Markup {
    let odd = moment.outcome.findings.isEmpty ? "" : " odd"
    let place = "r\(moment.stamp.record)"
    var meaning = Markup(moment.event.clause.shortened(to: Report.mostWords))
    if let connection = labels[moment.connection] {
      meaning += Tag.span([.class: "faint"], Markup(" · " + connection))
    }
    var body = [Tag.p([.class: "meaning"], meaning)]
    let changes = moment.outcome.changes.digest
    if !changes.isEmpty { body.append(Tag.ul([.class: "changes"], changes.map(\.markup))) }
    body += moment.outcome.findings.map { finding in
      Tag.p(
        [.class: "told \(finding.severity.rawValue)"], finding.badge, " ",
        Tag.strong([:], Markup(finding.code.rawValue)),
        Markup(": " + finding.sentence.shortened(to: Report.mostWords)))
    }
    if let record {
      body.append(
        Tag.details(
          [.class: "xml"], Tag.summary([:], Markup(record.word)), record.markup(of: report.source)))
    }
    return Tag.li(
      [.class: "entry\(odd)", .id: place],
      Tag.span([.class: "number"], Tag.a([.place: place], Markup("#\(moment.stamp.record)"))),
      Tag.span([.class: "clock"], Markup(moment.stamp.time.map(report.zone.clock) ?? "")),
      moment.direction.arrow, Tag.div([:], body))
  }

  private func item(_ burst: PresenceBurst, _ records: [ReportRecord]) -> Markup {
    let end = burst.last.time.map { ", \(report.zone.clock($0))" } ?? ""
    let text = "to #\(burst.last.record)\(end) · \(burst.records) records: \(burst.clause)"
    var details = [Tag.summary([:], "XML")]
    details += records.map { $0.number + $0.markup(of: report.source) }
    let rest = burst.records - records.count
    if rest > 0 {
      let range = "\(burst.first.record)-\(burst.last.record)"
      details.append(
        Tag.p(
          [.class: "note"], Markup("\(rest) more are not in this page: "),
          Tag.code([:], Markup("rollcall log \(report.source) --range \(range)"))))
    }
    let body = [Tag.p([.class: "meaning"], Markup(text)), Tag.details([.class: "xml"], details)]
    return Tag.li(
      [.class: "entry burst", .id: "r\(burst.first.record)"],
      Tag.span([.class: "number"], Markup("#\(burst.first.record)")),
      Tag.span([.class: "clock"], Markup(burst.first.time.map(report.zone.clock) ?? "")),
      Tag.span([.class: "arrow", .ariaHidden: "true"], "…"), Tag.div([:], body))
  }
}

extension StoryFold.Entry {
  fileprivate var isOdd: Bool {
    if case .moment(let moment) = self { !moment.outcome.findings.isEmpty } else { false }
  }

  /// The records that it shows.
  fileprivate var shown: [UInt64] {
    switch self {
    case .moment(let moment): [moment.stamp.record]
    case .burst(let burst): burst.sample
    }
  }
}

extension StoryLine {
  fileprivate var markup: Markup {
    let (kind, word) =
      switch mark {
      case "+": ("came", "came")
      case "-": ("went", "went")
      default: ("changed", "became different")
      }
    let sign = mark == "-" ? "−" : mark
    return Tag.li(
      [.class: kind], Tag.span([.class: "sign", .role: "img", .ariaLabel: word], Markup(sign)),
      Markup(clause.shortened(to: Report.mostWords)))
  }
}

extension RecordDirection {
  fileprivate var arrow: Markup {
    let (sign, word) =
      switch self {
      case .inbound: ("←", "from the server")
      case .outbound: ("→", "to the server")
      case .none: ("·", "neither way")
      }
    return Tag.span([.class: "arrow", .role: "img", .ariaLabel: word], Markup(sign))
  }
}

extension Finding {
  /// How much it matters, in its colour.
  var badge: Markup { severity.badge }
}

extension Finding.Severity {
  var badge: Markup { Tag.span([.class: "badge \(rawValue)"], Markup(rawValue)) }
}
