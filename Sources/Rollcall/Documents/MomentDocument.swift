package import Captures
package import EventStore
package import RosterCore

extension JSONValue {
  /// A record of the story.
  package init(_ moment: Timeline.Moment) {
    self.init(moment, changes: moment.outcome.changes, findings: moment.outcome.findings)
  }

  /// A record of the story with some of its changes and findings.
  package init(_ moment: Timeline.Moment, changes: [RosterChange], findings: [Finding]) {
    self = .object([
      "record": JSONValue(moment.stamp.record),
      "connection": .integer(Int64(moment.connection.number)),
      "time": JSONValue(time: moment.stamp.time),
      "direction": .string(moment.direction.name),
      "meaning": .string(moment.event.clause),
      "changes": .array(changes.map { JSONValue($0) }),
      "findings": .array(findings.map { JSONValue($0) }),
    ])
  }
}

extension RecordDirection {
  /// The direction as JSON and options have it.
  package var name: String {
    switch self {
    case .inbound: "in"
    case .outbound: "out"
    case .none: "none"
    }
  }
}
