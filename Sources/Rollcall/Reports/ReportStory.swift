import Captures
import EventStore
import RawBytes
import RosterCore

/// Writes the story of a report while it is read, in batches of entries.
///
/// Memory is bounded by a batch of entries and the records that they show.
struct ReportStory {
  /// The number of entries that are written together.
  private static let batchCount = 256

  private let report: Report
  /// The number of entries at the beginning that are left out unless they have findings.
  private let skipped: Int
  private let reader = RecordReader()
  private let write: (Markup) throws -> Void
  private var mask: MessageMask?
  private var fold: StoryFold
  private var entryCount = 0
  /// The number of entries with findings among the first ones.
  private var oddCount = 0
  private var day: String?
  /// The entries that are not written yet.
  private var batch: [StoryFold.Entry] = []
  /// The labels of the connections; empty if there is only one.
  private let labels: [ConnectionID: String]

  /// - Parameter entries: The number of all entries.
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
    mask = report.showsMessages ? nil : MessageMask()
    skipped = max(0, entries - report.limits.entries)
    fold = StoryFold(day: report.zone.day)
  }

  /// Adds the next record.
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
    entryCount += 1
    if entryCount <= skipped {
      guard entry.isOdd, oddCount < report.limits.odd else { return }
      oddCount += 1
    }
    batch.append(entry)
    if batch.count >= Self.batchCount { try flush() }
  }

  private mutating func flush() throws {
    let numbers = batch.flatMap(\.shown)
    var records: [UInt64: ReportRecord] = [:]
    try report.timeline.log.read { transaction in
      try transaction.forEachRecord(of: numbers) { header, bytes in
        let bytes = [UInt8](bytes)
        records[header.sequence] = ReportRecord(
          header, bytes, reader, byteLimit: report.limits.recordBytes, mask: &mask)
      }
    }
    for entry in batch {
      try begin(dayOf: entry)
      let shown = entry.shown.compactMap { records[$0] }
      switch entry {
      case .moment(let moment): try write(item(moment, shown.first))
      case .burst(let burst): try write(item(burst, shown))
      }
    }
    batch.removeAll(keepingCapacity: true)
  }

  /// Begins a list if the entry is of another day; records before the first time have no day.
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
    let oddClass = moment.outcome.findings.isEmpty ? "" : " odd"
    let id = "r\(moment.stamp.record)"
    var meaning = Markup(moment.clause.shortened(to: Report.sentenceLimit))
    if let connection = labels[moment.connection] {
      meaning += Tag.span([.class: "faint"], Markup(" · " + connection))
    }
    var body = [Tag.p([.class: "meaning"], meaning)]
    let changes = moment.outcome.changes.digest
    if !changes.isEmpty { body.append(Tag.ul([.class: "changes"], changes.map(\.markup))) }
    body += moment.outcome.originLines { agent(of: $0) }.map { line in
      Tag.p([.class: "faint"], Markup(line.shortened(to: Report.sentenceLimit)))
    }
    body += moment.outcome.findings.map { finding in
      Tag.p(
        [.class: "told \(finding.severity.rawValue)"], finding.badge, " ",
        Tag.strong([:], Markup(finding.code.rawValue)),
        Markup(": " + finding.sentence.shortened(to: Report.sentenceLimit)))
    }
    if let record {
      body.append(
        Tag.details(
          [.class: "xml"], Tag.summary([:], Markup(record.label)), record.markup(of: report.source))
      )
    }
    return Tag.li(
      [.class: "entry\(oddClass)", .id: id],
      Tag.span([.class: "number"], Tag.a([.fragment: id], Markup("#\(moment.stamp.record)"))),
      Tag.span([.class: "clock"], Markup(moment.stamp.time.map(report.zone.clock) ?? "")),
      moment.direction.arrow, Tag.div([:], body))
  }

  private func agent(of origin: ChangeOrigin) -> String {
    labels.isEmpty ? "us" : origin.device ?? labels[origin.connection] ?? "us"
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

  /// The records whose content the entry shows.
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
      case "+": ("came", "added")
      case "-": ("went", "removed")
      default: ("changed", "changed")
      }
    let sign = mark == "-" ? "−" : mark
    return Tag.li(
      [.class: kind], Tag.span([.class: "sign", .role: "img", .ariaLabel: word], Markup(sign)),
      Markup(clause.shortened(to: Report.sentenceLimit)))
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
  /// The severity, in its color.
  var badge: Markup { severity.badge }
}

extension Finding.Severity {
  var badge: Markup { Tag.span([.class: "badge \(rawValue)"], Markup(rawValue)) }
}
