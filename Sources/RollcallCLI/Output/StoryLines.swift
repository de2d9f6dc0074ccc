import Captures
import EventStore
import Rollcall
import RosterCore

extension Timeline.Moment {
  /// The record, its changes and its findings, with the connection's label.
  func lines(_ labels: ConnectionLabels, _ roster: Roster) -> [String] {
    [heading + labels.suffix(connection, roster)]
      + details(labels.originLines(outcome, roster))
  }

  /// The record, its changes and its findings, without the connection.
  var lines: [String] { [heading] + details([]) }

  private func details(_ origins: [String]) -> [String] {
    (outcome.changes.forPeople.map(\.line) + origins + outcome.findings.map(\.line))
      .map { "    " + $0 }
  }

  /// The record and its meaning on one line, with the time in UTC.
  var heading: String { heading(.utc) }

  /// The record and its meaning on one line, with the time in a zone.
  func heading(_ zone: Zone) -> String { heading(zone, clause) }

  /// The record with a given clause about it.
  func heading(_ zone: Zone, _ clause: String) -> String {
    stamp.heading(zone, direction, clause)
  }
}

extension RecordStamp {
  /// The record with its direction and a clause about it.
  fileprivate func heading(_ zone: Zone, _ direction: RecordDirection, _ clause: String) -> String {
    let arrow =
      switch direction {
      case .inbound: "←"
      case .outbound: "→"
      case .none: "·"
      }
    let clock = time.map { zone.clock($0) + " " } ?? ""
    return Style.dim("#\(record)") + " \(Style.dim(clock))\(arrow) \(clause.visible)"
  }
}

extension MessageMoment {
  /// The record, its meaning and its findings, with the connection's label.
  func lines(_ labels: ConnectionLabels, _ roster: Roster, _ zone: Zone = .utc) -> [String] {
    [stamp.heading(zone, direction, clause) + labels.suffix(connection, roster)]
      + findings.map { "    " + ListedFinding.message($0).line }
  }
}

/// The labels of the connections of a log that has several.
struct ConnectionLabels {
  private let names: ConnectionNames

  init(_ log: EventLog) throws {
    names = ConnectionNames(try log.meta.connections)
  }

  /// The label of a record's connection for the end of its line; empty if the log has only one.
  func suffix(_ connection: ConnectionID, _ roster: Roster) -> String {
    guard names.areNeeded(for: connection, roster) else { return "" }
    return Style.dim(" · \(label(connection, roster))")
  }

  /// The resource, or else the source's name, or else the number.
  func label(_ connection: ConnectionID, _ roster: Roster) -> String {
    let resource = roster.connections.first { $0.id == connection }?.resource
    return names.label(connection, resource: resource).visible
  }

  /// Who asked for a record's changes, a line each.
  func originLines(_ outcome: RosterOutcome, _ roster: Roster) -> [String] {
    outcome.originLines { names.agent(of: $0, roster) }.map { Style.dim($0.visible) }
  }

  /// Who asked for a change, and at which record.
  func line(_ origin: ChangeOrigin, _ roster: Roster) -> String {
    Style.dim(origin.line { names.agent(of: $0, roster) }.visible)
  }
}

extension RosterChange {
  /// The change with its mark, in the color of the mark.
  var line: String { Style.marked(mark, clause) }
}

extension Finding {
  /// The finding with its record, code, severity and device.
  package var line: String { ListedFinding.roster(self).line }

  /// The finding at the end of its record's line, where the summary has its sentence.
  var mark: String {
    ListedFinding.roster(self).styled("! \(code.rawValue) (\(severity.rawValue))")
  }
}

extension ListedFinding {
  /// The finding with its record, code, severity and device.
  package var line: String {
    let place = device.map { " · \($0)" } ?? ""
    let head = "! #\(record) \(code) (\(severity.rawValue))\(place)"
    return styled("\(head): \(sentence)".visible)
  }

  fileprivate func styled(_ text: String) -> String {
    severity == .error ? Style.red(text) : Style.cyan(text)
  }
}
