package import Captures
package import RosterCore
import XMPPStanza

extension FieldDifference {
  /// Whether something came, went, or became different: the mark in front of its line.
  package var mark: String {
    switch change {
    case .item(before: nil, _), .request(before: nil, _), .presence(_, before: nil, _),
      .ownPresence(_, before: nil, _), .outgoing(before: false, _), .blocked(_, before: false, _):
      "+"
    case .item(_, after: nil), .request(_, after: nil), .presence(_, _, after: nil),
      .ownPresence(_, _, after: nil), .outgoing(before: true, _), .blocked(_, before: true, _):
      "-"
    case .account, .connected, .completeness, .version, .item, .itemField, .request, .presence,
      .ownPresence, .nickname, .vCard:
      "~"
    }
  }

  /// What is different, in a clause.
  package var clause: String {
    switch change {
    case .account(let before, let after):
      "account \(before?.text ?? "unknown") → \(after?.text ?? "unknown")"
    case .connected(_, let after): after ? "connected" : "not connected"
    case .completeness(_, .complete): "the whole roster is known"
    case .completeness(.complete, _): "the whole roster is not known"
    case .completeness(_, .neverFetched):
      "the whole roster is known in neither; in the second no roster get has been answered by one"
    case .completeness(_, .baseUnknown):
      "the whole roster is known in neither; in the second the server has said that nothing "
        + "changed since a version that is not in the log"
    case .version(let before, let after): "roster version \(quoted(before)) → \(quoted(after))"
    case .ownPresence(let resource, let before, let after):
      "our other resource \(resource) \(arrow(before?.clause, after?.clause))"
    case .item(let before, let after): (after ?? before)?.clause ?? ""
    case .itemField(let field): field.clause
    case .request(let before, let after): request(before, after)
    case .outgoing: "our request for its presence"
    case .presence(let resource, let before, let after):
      "\(resource.isEmpty ? "presence" : resource) \(arrow(before?.clause, after?.clause))"
    case .blocked(let jid, _, _): "blocked: \(jid)"
    case .nickname(let before, let after): "nickname \(quoted(before)) → \(quoted(after))"
    case .vCard(let before, let after):
      "vCard \(quoted(before?.nickname ?? before?.fullName)) → "
        + quoted(after?.nickname ?? after?.fullName)
    }
  }

  private func request(_ before: ShownRequest?, _ after: ShownRequest?) -> String {
    let doubt = after?.isConfirmed == false ? ", not confirmed in this session" : ""
    return "its request for our presence" + ((after ?? before)?.words ?? "") + doubt
  }

  private func arrow(_ before: String?, _ after: String?) -> String {
    "\(before ?? "offline") → \(after ?? "offline")"
  }
}

extension FieldDifference.ShownRequest {
  fileprivate var words: String {
    (nickname.map { " as “\($0)”" } ?? "") + (status.map { ": “\($0)”" } ?? "")
  }
}

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
      .nickname, .vCard:
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
    }
  }
}

extension Completeness {
  /// What is known of the roster, as a document names it.
  fileprivate var name: String {
    switch self {
    case .neverFetched: "neverFetched"
    case .baseUnknown: "baseUnknown"
    case .complete: "complete"
    }
  }
}

extension RosterChange.ItemField {
  fileprivate var values: (before: JSONValue, after: JSONValue) {
    switch self {
    case .name(let before, let after): (JSONValue(before), JSONValue(after))
    case .subscription(let before, let after):
      (.string(before.rawValue), .string(after.rawValue))
    case .ask(let before, let after):
      (before ? .string("subscribe") : .null, after ? .string("subscribe") : .null)
    case .approved(let before, let after): (.bool(before), .bool(after))
    case .groups(let before, let after): (JSONValue(before), JSONValue(after))
    }
  }
}

extension FieldDifference.ShownRequest {
  fileprivate var document: JSONValue {
    .object([
      "text": JSONValue(status), "nick": JSONValue(nickname), "confirmed": .bool(isConfirmed),
    ])
  }
}

extension VCardNames {
  fileprivate var document: JSONValue {
    .object(["nickname": JSONValue(nickname), "fullName": JSONValue(fullName)])
  }
}
