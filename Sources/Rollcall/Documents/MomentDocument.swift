package import Captures
package import EventStore
package import RosterCore

extension JSONValue {
  /// A record of the story.
  package init(_ moment: Timeline.Moment) {
    let outcome = moment.outcome
    self.init(
      moment, changes: outcome.changes, findings: outcome.findings,
      origins: outcome.toldOrigins)
  }

  /// A record of the story with some of its changes and findings.
  package init(
    _ moment: Timeline.Moment, changes: [RosterChange], findings: [Finding],
    origins: [ChangeOrigin]
  ) {
    self = .object([
      "record": JSONValue(moment.stamp.record),
      "connection": .integer(Int64(moment.connection.number)),
      "time": JSONValue(time: moment.stamp.time),
      "direction": .string(moment.direction.name),
      "meaning": .string(moment.clause),
      "changes": .array(changes.map { JSONValue($0) }),
      "findings": .array(findings.map { JSONValue($0) }),
      "origins": .array(origins.map { JSONValue($0) }),
    ])
  }

  /// The earlier record that a change goes back to.
  package init(_ origin: ChangeOrigin) {
    self = .object([
      "contact": .string(origin.contact.text), "kind": .string(origin.kind.name),
      "cause": JSONValue(origin.cause), "effect": JSONValue(origin.effect),
      "connection": .integer(Int64(origin.connection.number)),
      "device": JSONValue(origin.device), "stanza": JSONValue(origin.kind.stanza),
    ])
  }
}

extension ChangeOrigin.Kind {
  /// The type of a subscription stanza.
  fileprivate var stanza: String? {
    switch self {
    case .edit, .blocking: nil
    case .ownStanza(let kind), .contactStanza(let kind): kind.rawValue
    }
  }

  /// The kind in one word.
  fileprivate var name: String {
    switch self {
    case .edit: "set"
    case .ownStanza: "own-stanza"
    case .contactStanza: "contact-stanza"
    case .blocking: "blocking"
    }
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
