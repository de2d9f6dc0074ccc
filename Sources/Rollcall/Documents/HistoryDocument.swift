package import Captures

extension HistoryEntry.Origin {
  fileprivate var document: JSONValue {
    switch self {
    case .ownSet(let record): .object(["kind": .string("own-set"), "record": JSONValue(record)])
    case .elsewhere: .object(["kind": .string("elsewhere")])
    case .fetch: .object(["kind": .string("fetch")])
    }
  }
}

extension JSONValue {
  /// What a record did to a contact, as `rollcall history --json` lists it.
  package init(_ entry: HistoryEntry) {
    self = JSONValue(
      entry.moment, changes: entry.changes, findings: entry.findings, origins: entry.origins
    )
    .adding([
      "handshake": entry.handshake.map {
        .object(["side": .string($0.side.rawValue), "since": JSONValue($0.since)])
      } ?? .null,
      "origin": entry.origin?.document ?? .null,
    ])
  }
}
