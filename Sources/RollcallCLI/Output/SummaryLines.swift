import Rollcall
import RosterCore

extension StorySummary {
  /// The number of contacts that are listed as the busiest.
  private static let busiestLimit = 10

  /// The summary of a long session, printed before its story.
  ///
  /// - Parameters:
  ///   - state: The state at the end.
  ///   - records: The number of records.
  ///   - source: The source, for the commands that show more.
  ///   - isFull: Whether the story is printed in full, however long it is.
  func lines(
    _ state: Timeline.State, records: UInt64, _ source: SourceWords, _ zone: Zone, isFull: Bool
  ) -> [String] {
    let times = span.map { span in
      let isOneDay = zone.date(span.lowerBound) == zone.date(span.upperBound)
      let end = isOneDay ? zone.clock(span.upperBound) : zone.text(span.upperBound)
      return ", \(zone.text(span.lowerBound)) to \(end) \(zone)"
    }
    let account = state.account?.text ?? "account unknown"
    var lines = [Style.bold("\(account): \(records) records\(times ?? "")")]
    lines.append(
      "  \(told) of them are in the story, \(told - fleeting) with more than presence")
    if state.roster.connections.count > 1 {
      lines.append(
        "  \(state.roster.connections.count) connections: rollcall connections \(source.all)")
    }
    let busy = busiest(Self.busiestLimit).map { "\($0.contact) \($0.records)" }
    if !busy.isEmpty { lines.append("  busiest: " + busy.joined(separator: ", ")) }
    lines += findingLines(source)
    if isLong, !isFull {
      lines.append("  abridged: --full shows everything, --from, --to and --contact show a part")
    }
    return lines + [""]
  }

  /// The kinds of findings whose first one is told in a sentence.
  var seriousFindings: [FindingCount] { findingCounts.filter { $0.first.severity != .info } }

  private func findingLines(_ source: SourceWords) -> [String] {
    let severities = [Finding.Severity.error, .warning, .info].map { (count(of: $0), $0) }
      .filter { $0.0 > 0 }.map { $0.0.of($0.1.rawValue) }
    guard !severities.isEmpty else { return ["  no findings"] }
    var lines = [
      "  findings: \(severities.joined(separator: ", ")): rollcall findings \(source.all)"
    ]
    for found in seriousFindings {
      let times = found.count == 1 ? "" : " (\(found.count) times)"
      lines.append("  " + found.first.line + times)
      lines.append("      " + Style.dim("see: " + found.first.command(source)))
    }
    return lines
  }
}

extension Finding {
  /// The command that shows how the finding came about.
  fileprivate func command(_ source: SourceWords) -> String {
    if let contact { return source.command("history", contact.text.shellWord) }
    return source.command("show", "\(cause ?? record)")
  }
}

/// The sources as named on the command line of another command.
struct SourceWords {
  private let paths: [String]
  private let options: [String]

  /// - Parameter options: The options for reading the sources, each word quoted for a shell.
  init(_ paths: [String], _ options: [String]) {
    self.paths = paths.map(\.shellWord)
    self.options = options
  }

  /// The words for a command without other arguments.
  var all: String { (paths + options).joined(separator: " ") }

  /// A command with an argument after its source.
  func command(_ name: String, _ argument: String) -> String {
    let also = paths.dropFirst().flatMap { ["--also", $0] }
    return (["rollcall", name, paths.first ?? "-", argument] + also + options)
      .joined(separator: " ")
  }
}
