import Captures
import EventStore
import Rollcall
import RosterCore

extension Timeline.Moment {
  /// Whether the record is part of the story.
  var tells: Bool { !outcome.changes.isEmpty || !outcome.findings.isEmpty }

  /// The record, what it changed and what is odd about it.
  var lines: [String] {
    [heading] + outcome.changes.map { "    " + $0.line }
      + outcome.findings.map { "    " + $0.line }
  }

  /// The record and what it means, on one line.
  var heading: String {
    let arrow =
      switch direction {
      case .inbound: "←"
      case .outbound: "→"
      case .none: "·"
      }
    let clock = stamp.time.map { Timestamp.clock($0) + " " } ?? ""
    return Style.dim("#\(stamp.record)") + " \(Style.dim(clock))\(arrow) \(event.clause.visible)"
  }
}

extension RosterChange {
  /// The change with its mark, coloured by it.
  var line: String { Style.marked(mark, clause) }
}

extension Finding {
  /// The finding with its record, code and severity.
  var line: String {
    let head = "! #\(record) \(code.rawValue) (\(severity.rawValue))"
    let text = "\(head): \(sentence)".visible
    return severity == .error ? Style.red(text) : Style.cyan(text)
  }
}
