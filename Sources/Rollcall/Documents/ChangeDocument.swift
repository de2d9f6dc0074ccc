import Captures
import RosterCore
import XMPPStanza

extension JSONValue {
  /// A change: its kind, the contact, the field of the state that it touched as `rollcall diff`
  /// names it, and both values as `rollcall state --json` has them. They are null where there was
  /// or is none, or the change does not say.
  ///
  /// - Parameter number: The number by which a record is known.
  init(_ change: RosterChange, number: (UInt64) -> UInt64 = { $0 }) {
    let (before, after) = change.values(number)
    self = .object([
      "kind": .string(change.kindName), "contact": JSONValue(change.contact?.text),
      "field": .string(change.field.rawValue), "before": before, "after": after,
      "mark": .string(change.mark), "text": .string(change.clause),
    ])
    .adding(change.others)
  }
}

extension RosterChange {
  /// What happened, in one word.
  fileprivate var kindName: String {
    switch kind {
    case .account: "account"
    case .connected: "connected"
    case .connection: "connection"
    case .completeness: "completeness"
    case .version: "version"
    case .itemAdded: "item-added"
    case .itemChanged: "item-changed"
    case .itemRemoved: "item-removed"
    case .requestOpened: "request-opened"
    case .requestRepeated: "request-repeated"
    case .requestUnconfirmed: "request-unconfirmed"
    case .requestEnded: "request-ended"
    case .outgoingOpened: "outgoing-opened"
    case .outgoingReflected: "outgoing-reflected"
    case .outgoingEnded: "outgoing-ended"
    case .presence: "presence"
    case .ownPresence: "own-presence"
    case .blocking: "blocking"
    case .nickname: "nickname"
    case .vCard: "vcard"
    case .requestSeen: "request-seen"
    case .annotated(_, .starred): "starred"
    case .annotated(_, .reading): "reading"
    case .annotated(_, .note): "note"
    }
  }

  /// The field of the state that it touched.
  fileprivate var field: FieldDifference.Field {
    switch kind {
    case .account: .account
    case .connected, .connection: .connected
    case .completeness: .complete
    case .version: .version
    case .itemAdded, .itemRemoved: .item
    case .itemChanged(_, let field): field.name
    case .requestOpened, .requestRepeated, .requestUnconfirmed, .requestEnded, .requestSeen:
      .request
    case .outgoingOpened, .outgoingReflected, .outgoingEnded: .outgoing
    case .presence: .presence
    case .ownPresence: .ownResources
    case .blocking: .blocked
    case .nickname: .nickname
    case .vCard: .vCard
    case .annotated(_, .starred): .starred
    case .annotated(_, .reading): .reading
    case .annotated(_, .note): .note
    }
  }

  fileprivate func values(
    _ number: (UInt64) -> UInt64
  ) -> (before: JSONValue, after: JSONValue) {
    switch kind {
    case .account(let jid): (.null, .string(jid.description))
    case .connected(let isOn), .connection(_, _, let isOn), .blocking(_, let isOn):
      (.bool(!isOn), .bool(isOn))
    case .completeness(let before, let after): (.string(before.name), .string(after.name))
    case .version(let before, let after), .nickname(_, let before, let after):
      (JSONValue(before), JSONValue(after))
    case .itemAdded(let item): (.null, JSONValue(item))
    case .itemRemoved(let item): (JSONValue(item), .null)
    case .itemChanged(_, let field): field.values
    case .requestOpened(_, let request), .requestRepeated(_, let request),
      .requestSeen(_, let request):
      (.null, request.document(number))
    case .requestUnconfirmed, .outgoingReflected: (.null, .null)
    case .requestEnded(_, let end):
      (.object(["since": JSONValue(number(end.since.record))]), .null)
    case .outgoingOpened(_, let request):
      (.null, .object(["since": JSONValue(number(request.since.record))]))
    case .outgoingEnded: (.null, .null)
    case .presence(_, _, let before, let after), .ownPresence(_, let before, let after):
      (
        before.map { JSONValue($0.availability) } ?? .null,
        after.map { JSONValue($0.availability) } ?? .null
      )
    case .vCard(_, let before, let after):
      (before?.document ?? .null, after?.document ?? .null)
    case .annotated(_, let field): field.values
    }
  }

  /// What else a kind of change says.
  fileprivate var others: [String: JSONValue] {
    switch kind {
    case .connection(let id, let resource, _):
      ["connection": .integer(Int64(id.number)), "resource": JSONValue(resource)]
    case .presence(_, let resource, _, _), .ownPresence(let resource, _, _):
      ["resource": .string(resource)]
    case .blocking(let jid, _): ["jid": .string(jid.description)]
    case .requestUnconfirmed(_, let doubt): ["reason": .string(doubt.rawValue)]
    case .requestEnded(_, let end): ["reason": .string(end.way.rawValue)]
    case .outgoingEnded(_, let end): ["reason": .string(end.rawValue)]
    case .account, .connected, .completeness, .version, .itemAdded, .itemChanged, .itemRemoved,
      .requestOpened, .requestRepeated, .outgoingOpened, .outgoingReflected, .nickname, .vCard,
      .requestSeen, .annotated:
      [:]
    }
  }
}

extension RosterChange.ItemField {
  fileprivate var name: FieldDifference.Field {
    switch self {
    case .name: .name
    case .subscription: .subscription
    case .ask: .ask
    case .approved: .approved
    case .groups: .groups
    }
  }
}

extension IncomingRequest {
  fileprivate func document(_ number: (UInt64) -> UInt64) -> JSONValue {
    .object([
      "since": JSONValue(number(since.record)), "count": .integer(Int64(count)),
      "text": JSONValue(status), "nick": JSONValue(nickname), "seen": .bool(seen != nil),
    ])
  }
}
