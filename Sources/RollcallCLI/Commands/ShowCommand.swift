import ArgumentParser
import Captures
import EventStore
import Rollcall
import RosterCore
import XMPPStanza

struct ShowCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows one record: its XML, what it meant, what it changed.",
    discussion: """
      It also shows findings, why bytes could not be read, and the digest that covers the record.

      Examples:
        rollcall show alice.rollcall 120
        rollcall show debug.log head
      """)

  @OptionGroup var capture: CaptureOptions
  @OptionGroup var output: OutputOptions

  @Argument(help: .source, completion: .file())
  var source: String

  @Option(help: .also, completion: .file())
  var also: [String] = []

  @Argument(help: "The record: \(PointError.forms).")
  var record: String

  func run() throws {
    let point = try LogPoint(option: "RECORD", record)
    let opened = try SourceOptions.open(
      [source] + also, try capture.importOptions, pair: capture.selection.pair)
    let (stored, number) = try stored(point, in: opened)
    guard let stored else {
      throw Failure("\(opened.path): there is no record \(number)")
    }
    let moment = try opened.naming {
      try opened.timeline.moment(of: stored.header.sequence)
    }
    if output.json {
      return try Terminal.say(JSONValue(stored, moment))
    }
    let label = try opened.naming { try self.label(stored.header, opened) }
    try Terminal.say(lines(stored, moment, label))
  }

  private func stored(
    _ point: LogPoint, in opened: OpenedSource
  ) throws -> (StoredRecord?, UInt64) {
    try opened.naming {
      let number = try opened.timeline.record(at: point)
      return (try opened.log.read { try $0.record(at: number) }, number)
    }
  }

  /// The label of the record's connection, if there are several connections.
  private func label(_ header: RecordHeader, _ opened: OpenedSource) throws -> String? {
    let labels = try ConnectionLabels(opened.log)
    let roster = try Timeline(opened.log).state(at: .record(header.sequence)).roster
    let connection = ConnectionID(number: header.connection)
    return labels.suffix(connection, roster).isEmpty ? nil : labels.label(connection, roster)
  }

  private func lines(
    _ stored: StoredRecord, _ moment: Timeline.Moment?, _ connection: String?
  ) -> [String] {
    let header = stored.header
    var about = ["record \(header.sequence)", header.direction.phrase, header.kind.name]
    if let connection { about.append(connection) }
    about.append(header.time.map(Timestamp.text) ?? "no time")
    if let source = header.sourceTime {
      about.append("the source's clock said \(Timestamp.text(source))")
    }
    var lines = [Style.bold(about.joined(separator: " · ")), ""]
    if let node = RecordReader().element(stored.bytes) {
      lines += node.indentedLines
    } else if header.kind == .unreadable, let bytes = UnreadableBytes(line: stored.bytes) {
      lines += bytes.lines
    } else {
      lines.append(String(decoding: stored.bytes, as: UTF8.self).visible)
    }
    if let moment {
      lines += ["", "It means: \(moment.clause.visible)."]
      if moment.outcome.changes.isEmpty { lines.append("It changed nothing.") }
      lines += moment.outcome.changes.forPeople.map { "  " + $0.line }
      lines += moment.outcome.findings.map { "  " + $0.line }
    } else {
      lines += ["", "It means nothing to the roster."]
    }
    return lines + ["", Style.dim(stored.pack.line)]
  }
}

extension UnreadableBytes {
  /// The number of bytes, and why they cannot be read.
  var summary: String {
    let kept =
      self.kept.map { $0.count < count ? ", \($0.count) of them kept" : "" } ?? ", not kept"
    return "\(count) bytes\(kept): \(reason.visible)"
  }

  /// The summary, and the bytes themselves if they were kept.
  fileprivate var lines: [String] {
    [summary] + (kept.map { [String(decoding: $0, as: UTF8.self).visible] } ?? [])
  }
}

extension PackSummary {
  /// The digest that covers the record, on one line.
  fileprivate var line: String {
    sequences.count == 1
      ? "digest \(digest)"
      : "digest of records \(sequences.lowerBound) to \(sequences.upperBound) \(digest)"
  }
}

extension RecordDirection {
  /// The direction as a phrase.
  fileprivate var phrase: String {
    switch self {
    case .inbound: "from the server"
    case .outbound: "to the server"
    case .none: "neither way"
    }
  }
}
