import Captures
import RosterCore
import XMPPStanza

/// What people and machines see of a change of one field.
struct FieldRow {
  /// Whether something came, went, or became different.
  enum Mark: String {
    case came = "+"
    case went = "-"
    case changed = "~"

    /// Of what is there or not.
    static func of(_ before: Bool, _ after: Bool) -> Mark {
      before == after ? .changed : after ? .came : .went
    }

    /// Of a value where there can be none.
    static func of<Value>(_ before: Value?, _ after: Value?) -> Mark {
      of(before != nil, after != nil)
    }
  }

  let mark: Mark
  /// A clause of the story.
  let clause: () -> ChangeClause
  /// A clause under the name of the contact.
  let titled: () -> String
  /// The values as `rollcall state --json` has them.
  let values: () -> (before: JSONValue, after: JSONValue)
  /// What else JSON says: which of several resources, addresses or connections it is.
  var others: [String: JSONValue] = [:]

  /// - Parameter titled: The clause under the contact's name, if it is not what the clause says of
  ///   the contact.
  init(
    _ mark: Mark, _ clause: @autoclosure @escaping () -> ChangeClause,
    titled: (() -> String)? = nil, _ before: @autoclosure @escaping () -> JSONValue,
    _ after: @autoclosure @escaping () -> JSONValue, _ others: [String: JSONValue] = [:]
  ) {
    self.mark = mark
    self.clause = clause
    self.titled =
      titled ?? {
        let parts = clause()
        let text = parts.lead + parts.what
        return parts.who == nil ? text : String(text.drop { $0 == " " })
      }
    values = { (before(), after()) }
    self.others = others
  }
}

extension FieldValues {
  /// The table: for each field its mark, its clauses and its JSON. The name is ``StateField``.
  ///
  /// - Parameters:
  ///   - contact: The contact that the field is of; nil for the account.
  ///   - reason: Why it changed, where a record did it and the values do not say it.
  ///   - number: The number by which a record is known.
  func row(
    of contact: BareJID?, because reason: RosterChange.Reason?,
    number: @escaping (UInt64) -> UInt64 = { $0 }
  ) -> FieldRow {
    let who = contact?.text
    switch self {
    case .account(let before, let after):
      return FieldRow(
        .changed, ChangeClause("the account is \(after?.description ?? "unknown")"),
        titled: {
          "account \(before?.bare.text ?? "unknown") → \(after?.bare.text ?? "unknown")"
        },
        JSONValue(before?.bare.text), JSONValue(after?.bare.text),
        after?.resource.map { ["resource": .string($0)] } ?? [:])
    case .connected(let before, let after):
      return FieldRow(
        .of(before, after),
        ChangeClause(after ? "connected" : "disconnected: no presence is shown"),
        titled: { after ? "connected" : "not connected" }, .bool(before), .bool(after))
    case .connection(let before, let after):
      return FieldRow(
        .of(before?.isOpen ?? false, after?.isOpen ?? false),
        ChangeClause(Connection.clause(before, after, isOnly: reason == .onlyConnection)),
        before.map { JSONValue($0) } ?? .null, after.map { JSONValue($0) } ?? .null,
        (after ?? before).map { ["connection": .integer(Int64($0.id.number))] } ?? [:])
    case .completeness(let before, let after):
      return FieldRow(
        .changed, ChangeClause(after.clause), titled: { after.clause(after: before) },
        .string(before.name), .string(after.name))
    case .version(let before, let after):
      return FieldRow(
        .changed, ChangeClause("roster version \(quoted(after))"),
        titled: { "roster version \(quoted(before)) → \(quoted(after))" }, JSONValue(before),
        JSONValue(after))
    case .blockedKnown(let before, let after):
      return FieldRow(
        .changed, ChangeClause("the block list is \(after ? "" : "not ")known"), .bool(before),
        .bool(after))
    case .ownPresence(let resource, let before, let after):
      return FieldRow(
        .of(before, after),
        ChangeClause(
          "our other resource \(resource)" + ResourcePresence.clause(after, because: reason)),
        titled: { "our other resource \(resource) \(arrow(before, after))" },
        before.document(number), after.document(number), ["resource": .string(resource)])
    case .presence(let resource, let before, let after):
      return FieldRow(
        .of(before, after),
        ChangeClause(
          of: who.map { resource.isEmpty ? $0 : "\($0)/\(resource)" },
          ResourcePresence.clause(after, because: reason)),
        titled: { "\(resource.isEmpty ? "presence" : resource) \(arrow(before, after))" },
        before.document(number), after.document(number), ["resource": .string(resource)])
    case .item(let before, let after):
      return FieldRow(
        .of(before, after), ChangeClause("contact ", of: who, (after ?? before)?.words ?? ""),
        titled: { (after ?? before)?.clause ?? "" },
        before.map { JSONValue($0) } ?? .null, after.map { JSONValue($0) } ?? .null)
    case .name(let before, let after): return .texts(.changed, who, "name", before, after)
    case .subscription(let before, let after):
      return FieldRow(
        .changed,
        ChangeClause(of: who, " subscription \(before.rawValue) → \(after.rawValue)"),
        .string(before.rawValue), .string(after.rawValue))
    case .ask(let before, let after):
      return FieldRow(
        .changed,
        ChangeClause(of: who, after ? " ask: we wait for an answer" : " ask: no longer"),
        before ? .string("subscribe") : .null, after ? .string("subscribe") : .null)
    case .approved(let before, let after):
      return FieldRow(
        .changed,
        ChangeClause(
          of: who, after ? " approved in advance" : " no longer approved in advance"),
        .bool(before), .bool(after))
    case .groups(let before, let after):
      return FieldRow(
        .changed, ChangeClause(of: who, " groups \(list(before)) → \(list(after))"),
        JSONValue(before), JSONValue(after))
    case .request(let before, let after):
      return FieldRow(
        .of(before, after),
        ChangeClause("request of ", of: who, ContactRequest.clause(before, after, reason)),
        titled: { ContactRequest.titledClause(before, after) },
        before.map { $0.document(number) } ?? .null, after.map { $0.document(number) } ?? .null)
    case .outgoing(let before, let after):
      return FieldRow(
        .of(before, after), OutgoingRequest.clause(before, after, who, reason),
        titled: { "our request for its presence" },
        before.map { $0.document(number) } ?? .null, after.map { $0.document(number) } ?? .null)
    case .blocked(let jid, let before, let after):
      return FieldRow(
        .of(before, after),
        ChangeClause(of: jid.description, after ? " is blocked" : " is not blocked"),
        titled: { "blocked: \(jid)" }, .bool(before), .bool(after),
        ["jid": .string(jid.description)])
    case .nickname(let before, let after):
      return .texts(.changed, who, "nickname", before, after)
    case .vCard(let before, let after):
      let (old, new) = (before?.nickname ?? before?.fullName, after?.nickname ?? after?.fullName)
      return FieldRow(
        .changed, ChangeClause(of: who, " vCard \(quoted(old)) → \(quoted(new))"),
        before?.document ?? .null, after?.document ?? .null)
    case .starred(let before, let after):
      return FieldRow(
        .of(before, after), ChangeClause(of: who, after ? " starred" : " no longer starred"),
        .bool(before), .bool(after))
    case .reading(let before, let after):
      return .texts(.of(before, after), who, "read as", before, after)
    case .note(let before, let after):
      return .texts(.of(before, after), who, "note", before, after)
    }
  }
}

extension FieldRow {
  /// A text that may be none.
  fileprivate static func texts(
    _ mark: Mark, _ who: String?, _ noun: String, _ before: String?, _ after: String?
  ) -> FieldRow {
    FieldRow(
      mark, ChangeClause(of: who, " \(noun) \(quoted(before)) → \(quoted(after))"),
      JSONValue(before), JSONValue(after))
  }
}

private func list(_ groups: [String]) -> String {
  groups.isEmpty ? "none" : groups.joined(separator: ", ")
}

private func arrow(_ before: ResourcePresence?, _ after: ResourcePresence?) -> String {
  "\(before?.availability.clause ?? "offline") → \(after?.availability.clause ?? "offline")"
}

extension ResourcePresence {
  /// What it says now, after the name of the resource.
  fileprivate static func clause(
    _ after: ResourcePresence?, because reason: RosterChange.Reason?
  ) -> String {
    let now = after?.availability.clause
    guard reason == .session else { return " \(now ?? "offline")" }
    return now.map { " is shown again: \($0)" } ?? " is no longer shown"
  }
}

extension Connection {
  fileprivate static func clause(
    _ before: Connection?, _ after: Connection?, isOnly: Bool
  ) -> String {
    guard let connection = after ?? before else { return "" }
    let number = "connection \(connection.id.number)"
    let (was, isOpen) = (before?.isOpen ?? false, after?.isOpen ?? false)
    guard was == isOpen else {
      return "\(connection.resource ?? number) is \(isOpen ? "connected" : "disconnected")"
        + (isOnly || !isOpen ? "" : ", too")
    }
    if after == nil { return "\(number) makes room for another" }
    return number + (connection.resource.map { " has the resource \($0)" } ?? " is known")
  }
}

extension ContactRequest {
  fileprivate static func clause(
    _ before: ContactRequest?, _ after: ContactRequest?, _ reason: RosterChange.Reason?
  ) -> String {
    let since = before.map { " of record \($0.request.since.record)" } ?? ""
    guard let after else {
      guard case .ended(let way)? = reason else { return since }
      return "\(since): \(way.clause)"
    }
    if case .unconfirmed(let doubt)? = reason { return ": \(doubt.clause)" }
    let request = after.request
    if request.seen != nil, before?.request.seen == nil { return "\(since): seen" }
    return (before == nil ? "" : ", sent \(request.count) times") + request.words
  }

  fileprivate static func titledClause(
    _ before: ContactRequest?, _ after: ContactRequest?
  ) -> String {
    let doubt = after?.isConfirmed == false ? ", not confirmed in this session" : ""
    let seen = after?.request.seen == nil ? "" : ", seen"
    return "its request for our presence" + ((after ?? before)?.request.words ?? "") + doubt + seen
  }
}

extension OutgoingRequest {
  fileprivate static func clause(
    _ before: OutgoingRequest?, _ after: OutgoingRequest?, _ who: String?,
    _ reason: RosterChange.Reason?
  ) -> ChangeClause {
    guard before != nil else { return ChangeClause("we wait for ", of: who) }
    guard after == nil else { return ChangeClause("the server shows our request to ", of: who) }
    guard case .outgoingEnded(let end)? = reason else {
      return ChangeClause("we no longer wait for ", of: who)
    }
    return ChangeClause("we no longer wait for ", of: who, ": \(end.clause)")
  }
}
