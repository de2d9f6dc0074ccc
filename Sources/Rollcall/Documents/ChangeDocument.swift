package import Captures
package import RosterCore
import XMPPStanza

extension JSONValue {
  /// What two states show differently: the contact, the name of the field, and both values as
  /// `rollcall state --json` has them, null where there is none; of several resources, addresses or
  /// connections also which it is.
  private init(_ row: FieldRow, of field: StateField, _ contact: BareJID?) {
    let (before, after) = row.values()
    self = .object([
      "contact": JSONValue(contact?.text), "field": .string(field.rawValue),
      "before": before, "after": after,
    ])
    .adding(row.others)
  }

  /// A change: what is different, whether it came, went or became different, why, and how people
  /// read it.
  ///
  /// - Parameter number: The number by which a record is known.
  package init(_ change: RosterChange, number: @escaping (UInt64) -> UInt64 = { $0 }) {
    let row = change.values.row(of: change.contact, because: change.reason, number: number)
    self = JSONValue(row, of: change.field, change.contact)
      .adding(change.reason.map { ["reason": .string($0.name)] } ?? [:])
      .adding(["kind": .string(row.mark.name), "mark": .string(row.mark.rawValue)])
      .adding(Self.words(row.clause()))
  }

  /// The members that have a clause: its text, and its parts.
  package static func words(_ clause: ChangeClause) -> [String: JSONValue] {
    [
      "text": .string(clause.description),
      "parts": .object([
        "lead": .string(clause.lead), "who": JSONValue(clause.who), "what": .string(clause.what),
      ]),
    ]
  }

  /// A difference with the record that caused it, as `rollcall diff --json` lists it.
  ///
  /// - Parameter number: The number by which a record is known.
  package init(
    _ item: StateDiff.Item, number: @escaping (UInt64) -> UInt64 = { $0 }
  ) {
    let difference = item.difference
    let row = difference.values.row(of: difference.contact, because: nil, number: number)
    self = JSONValue(row, of: difference.field, difference.contact)
      .adding(["record": JSONValue(item.cause?.record), "time": JSONValue(time: item.cause?.time)])
      .adding(item.last.map { ["lastRecord": JSONValue($0)] } ?? [:])
  }
}

extension FieldRow.Mark {
  /// What happened, in one word.
  fileprivate var name: String {
    switch self {
    case .came: "added"
    case .went: "removed"
    case .changed: "changed"
    }
  }
}

extension RosterChange.Reason {
  /// The reason in one word.
  fileprivate var name: String {
    switch self {
    case .unconfirmed(let doubt): doubt.rawValue
    case .ended(let way): way.rawValue
    case .outgoingEnded(let end): end.rawValue
    case .session: "session"
    case .onlyConnection: "onlyConnection"
    }
  }
}

// MARK: Values of the state, as documents have them

extension Completeness {
  /// What is known of the roster, as a document names it.
  package var name: String {
    switch self {
    case .neverFetched: "neverFetched"
    case .baseUnknown: "baseUnknown"
    case .complete: "complete"
    }
  }
}

extension JSONValue {
  init(_ connection: Connection) {
    self = .object([
      "id": .integer(Int64(connection.id.number)), "resource": JSONValue(connection.resource),
      "open": .bool(connection.isOpen),
    ])
  }
}

extension ResourcePresence? {
  package func document(_ number: (UInt64) -> UInt64 = { $0 }) -> JSONValue {
    guard let self else { return .null }
    return .object([
      "show": .string(self.availability.show.rawValue),
      "priority": .integer(Int64(self.availability.priority)),
      "status": JSONValue(self.availability.status),
      "since": JSONValue(number(self.since.record)),
    ])
  }
}

extension ContactRequest {
  package func document(_ number: (UInt64) -> UInt64 = { $0 }) -> JSONValue {
    .object([
      "since": JSONValue(number(request.since.record)),
      "count": .integer(Int64(request.count)), "text": JSONValue(request.status),
      "nick": JSONValue(request.nickname), "confirmed": .bool(isConfirmed),
      "seen": .bool(request.seen != nil), "seenRecord": JSONValue(request.seen.map(number)),
    ])
  }
}

extension OutgoingRequest {
  package func document(_ number: (UInt64) -> UInt64 = { $0 }) -> JSONValue {
    .object([
      "since": JSONValue(number(since.record)), "reflected": .bool(isReflected),
    ])
  }
}

extension VCardNames {
  var document: JSONValue {
    .object(["nickname": JSONValue(nickname), "fullName": JSONValue(fullName)])
  }
}
