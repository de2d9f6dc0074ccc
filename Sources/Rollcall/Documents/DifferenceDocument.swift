package import Captures
import RosterCore
import XMPPStanza

extension JSONValue {
  /// A difference with the record that caused it, as `rollcall diff --json` lists it.
  package init(_ item: StateDiff.Item) {
    let difference = item.difference
    let (before, after) = difference.values
    var members: [String: JSONValue] = [
      "contact": JSONValue(difference.contact?.text),
      "field": .string(difference.fieldName),
      "before": before, "after": after,
      "record": JSONValue(item.cause?.record), "time": JSONValue(time: item.cause?.time),
    ]
    if let last = item.last { members["lastRecord"] = JSONValue(last) }
    switch difference.change {
    case .presence(let resource, _, _), .ownPresence(let resource, _, _):
      members["resource"] = .string(resource)
    case .blocked(let jid, _, _): members["jid"] = .string(jid.description)
    case .account, .connected, .completeness, .version, .item, .itemField, .request, .outgoing,
      .nickname, .vCard, .annotation:
      break
    }
    self = .object(members)
  }
}

extension FieldDifference {
  /// The name of what is different. Whether the roster is complete and why it is not are two
  /// things: only the second is different where it is complete in neither state.
  fileprivate var fieldName: String {
    if case .completeness(let before, let after) = change, before != .complete, after != .complete {
      return "completeness"
    }
    return field.rawValue
  }

  /// Both values as `rollcall state --json` has them.
  fileprivate var values: (before: JSONValue, after: JSONValue) {
    switch change {
    case .account(let before, let after): (JSONValue(before?.text), JSONValue(after?.text))
    case .connected(let before, let after), .outgoing(let before, let after),
      .blocked(_, let before, let after):
      (.bool(before), .bool(after))
    case .completeness(let before, let after) where before == .complete || after == .complete:
      (.bool(before == .complete), .bool(after == .complete))
    case .completeness(let before, let after): (.string(before.name), .string(after.name))
    case .version(let before, let after), .nickname(let before, let after):
      (JSONValue(before), JSONValue(after))
    case .ownPresence(_, let before, let after), .presence(_, let before, let after):
      (before.map { JSONValue($0) } ?? .null, after.map { JSONValue($0) } ?? .null)
    case .item(let before, let after):
      (before.map { JSONValue($0) } ?? .null, after.map { JSONValue($0) } ?? .null)
    case .itemField(let field): field.values
    case .request(let before, let after):
      (before?.document ?? .null, after?.document ?? .null)
    case .vCard(let before, let after): (before?.document ?? .null, after?.document ?? .null)
    case .annotation(let field): field.values
    }
  }
}

extension FieldDifference.ShownRequest {
  fileprivate var document: JSONValue {
    .object([
      "text": JSONValue(status), "nick": JSONValue(nickname), "confirmed": .bool(isConfirmed),
      "seen": .bool(isSeen),
    ])
  }
}
