import Captures

/// A state in the form of documents, to which changes and differences are applied, as by a script
/// that reads `rollcall replay --json`. It knows the names of the fields but no rules.
struct StateFold: Equatable {
  /// Keyed by bytes, because names in two normal forms are two resources.
  typealias Key = [UInt8]

  /// The account's values, by field.
  private var account: [String: JSONValue] = [:]
  private var connections: [Int64: JSONValue] = [:]
  private var items: [String: [String: JSONValue]] = [:]
  private var requests: [String: JSONValue] = [:]
  private var outgoing: [String: JSONValue] = [:]
  private var presence: [String: [Key: JSONValue]] = [:]
  private var own: [Key: JSONValue] = [:]
  private var blocked: Set<String> = []
  private var names: [String: [String: JSONValue]] = [:]
  private var annotations: [String: [String: JSONValue]] = [:]
  /// Changes that did not fit the previous value.
  private(set) var mismatches: [String] = []

  static func == (a: StateFold, b: StateFold) -> Bool {
    a.account == b.account && a.connections == b.connections && a.items == b.items
      && a.requests == b.requests && a.outgoing == b.outgoing && a.presence == b.presence
      && a.own == b.own && a.blocked == b.blocked && a.names == b.names
      && a.annotations == b.annotations
  }

  private static let ofAccount = [
    "account", "connected", "completeness", "version", "blockedKnown",
  ]

  // MARK: Reading a state

  /// - Parameter state: A document of `rollcall state --json`.
  init(_ state: JSONValue) {
    let state = state.members
    for field in Self.ofAccount { account[field] = state[field] }
    for connection in state["connections"].list {
      var members = connection.members
      members["name"] = nil
      if case .integer(let id)? = members["id"] { connections[id] = .object(members) }
    }
    for item in state["items"].list { items[item.jid] = item.members }
    let lists = state["requests"].members
    for request in lists["incoming"].list + lists["unconfirmed"].list {
      requests[request.jid] = request.without("jid", "crossing")
    }
    for request in lists["outgoing"].list {
      outgoing[request.jid] = request.without("jid", "crossing")
    }
    for (jid, resources) in state["presence"].members {
      presence[jid] = Self.byBytes(resources.members)
    }
    own = Self.byBytes(state["ownResources"].members)
    blocked = Set(state["blocked"].list.compactMap(\.name))
    for names in state["names"].list { self.names[names.jid] = names.members }
    for annotation in state["annotations"].list {
      annotations[annotation.jid] = annotation.members
    }
  }

  private static func byBytes(_ resources: [String: JSONValue]) -> [Key: JSONValue] {
    Dictionary(uniqueKeysWithValues: resources.map { (Array($0.key.utf8), $0.value) })
  }

  /// The form of a document, which cannot distinguish canonically equal texts and omits missing
  /// values.
  var shown: StateFold {
    var shown = self
    shown.presence = presence.compactMapValues { resources in
      resources.isEmpty ? nil : Self.byBytes(Self.byText(resources))
    }
    shown.own = Self.byBytes(Self.byText(own))
    // A state knows the log's account before a record names it.
    shown.account["account"] = nil
    shown.annotations = annotations.filter { _, set in
      set["starred"] != .bool(false) || set["reading"] != .null || set["note"] != .null
    }
    return shown
  }

  private static func byText(_ resources: [Key: JSONValue]) -> [String: JSONValue] {
    let sorted = resources.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    return Dictionary(
      sorted.map { (String(decoding: $0.key, as: UTF8.self), $0.value) },
      uniquingKeysWith: { $1 })
  }

  /// Without the parts in which two states can differ although no difference shows: the records
  /// that set values, the number of times a request was received, connections, and whether the
  /// block list is known.
  var content: StateFold {
    var content = shown
    content.connections = [:]
    content.account["blockedKnown"] = nil
    content.items = items.mapValues { $0.without("records") }
    content.requests = requests.mapValues { $0.without("since", "count", "seenRecord") }
    content.outgoing = outgoing.mapValues { $0.without("since", "reflected") }
    content.presence = content.presence.mapValues { $0.mapValues { $0.without("since") } }
    content.own = content.own.mapValues { $0.without("since") }
    content.names = names.mapValues { $0.without("records") }
      .filter { $0.value["nickname"] != .null || $0.value["vCard"] != .null }
    content.annotations = content.annotations.mapValues { $0.without("records") }
    return content
  }

  /// The parts that differ, for the report of a failure.
  func difference(from other: StateFold) -> String {
    let mine = Mirror(reflecting: self).children
    return zip(mine, Mirror(reflecting: other).children)
      .filter { "\($0.0.value)" != "\($0.1.value)" }
      .map { "\($0.0.label ?? ""): \($0.0.value) is not \($0.1.value)" }
      .joined(separator: "; ")
  }

  // MARK: Applying

  /// Applies a change of `rollcall replay --json`, or a difference of `rollcall diff --json`.
  ///
  /// - Parameter record: The record that caused it.
  mutating func apply(_ change: JSONValue, of record: JSONValue) {
    let members = change.members
    guard let field = members["field"]?.name, let before = members["before"],
      let after = members["after"]
    else { return mismatches.append("no field: \(change.text)") }
    guard let contact = members["contact"]?.name else {
      applyToAccount(field, members, before, after)
      return
    }
    switch field {
    case "item":
      mismatches += Self.compare(
        items[contact].map { .object($0.without("records")) }, before, change)
      items[contact] = after == .null ? nil : after.members
      let records = ["item", "name", "subscription", "ask", "approved", "groups"].map {
        ($0, record)
      }
      items[contact]?["records"] = .object(Dictionary(uniqueKeysWithValues: records))
    case "name", "subscription", "ask", "approved", "groups":
      mismatches += Self.set(field, of: &items[contact], before, after, record, change)
    case "request": mismatches += Self.replace(&requests[contact], before, after, change)
    case "outgoing": mismatches += Self.replace(&outgoing[contact], before, after, change)
    case "presence":
      let resource = Array((members["resource"]?.name ?? "").utf8)
      mismatches += Self.replace(&presence[contact, default: [:]][resource], before, after, change)
    case "blocked":
      let jid = members["jid"]?.name ?? ""
      mismatches += Self.compare(.bool(blocked.contains(jid)), before, change)
      if after == .bool(true) { blocked.insert(jid) } else { blocked.remove(jid) }
    case "nickname", "vCard":
      if names[contact] == nil {
        names[contact] = Self.nothing(contact, ["nickname": .null, "vCard": .null])
      }
      mismatches += Self.set(field, of: &names[contact], before, after, record, change)
    case "starred", "reading", "note":
      if annotations[contact] == nil {
        annotations[contact] = Self.nothing(
          contact, ["starred": .bool(false), "reading": .null, "note": .null])
      }
      mismatches += Self.set(field, of: &annotations[contact], before, after, record, change)
    default: mismatches.append("unknown field: \(change.text)")
    }
  }

  private mutating func applyToAccount(
    _ field: String, _ change: [String: JSONValue], _ before: JSONValue, _ after: JSONValue
  ) {
    let document = JSONValue.object(change)
    switch field {
    case "connections":
      guard case .integer(let id)? = change["connection"] else {
        return mismatches.append("no connection: \(document.text)")
      }
      mismatches += Self.replace(&connections[id], before, after, document)
    case "ownResources":
      mismatches += Self.replace(
        &own[Array((change["resource"]?.name ?? "").utf8)], before, after, document)
    case _ where Self.ofAccount.contains(field):
      // A state knows the log's account before a record names it.
      if field != "account" { mismatches += Self.compare(account[field], before, document) }
      account[field] = after
    default: mismatches.append("unknown field of the account: \(document.text)")
    }
  }

  private static func nothing(_ jid: String, _ values: [String: JSONValue]) -> [String: JSONValue] {
    values.merging([
      "jid": .string(jid), "records": .object(values.mapValues { _ in .null }),
    ]) { $1 }
  }

  /// - Returns: What does not fit the previous value.
  private static func set(
    _ field: String, of value: inout [String: JSONValue]?, _ before: JSONValue,
    _ after: JSONValue, _ record: JSONValue, _ change: JSONValue
  ) -> [String] {
    let mine = value?[field]
    value?[field] = after
    if let records = value?["records"] { value?["records"] = records.adding([field: record]) }
    return compare(mine, before, change)
  }

  /// - Returns: What does not fit the previous value.
  private static func replace(
    _ value: inout JSONValue?, _ before: JSONValue, _ after: JSONValue, _ change: JSONValue
  ) -> [String] {
    let mine = value
    value = after == .null ? nil : after
    return compare(mine, before, change)
  }

  private static func compare(
    _ mine: JSONValue?, _ said: JSONValue, _ change: JSONValue
  ) -> [String] {
    (mine ?? .null) == said ? [] : ["\(mine?.text ?? "none") before \(change.text)"]
  }
}

extension JSONValue {
  /// The members of an object.
  fileprivate var members: [String: JSONValue] {
    if case .object(let members) = self { members } else { [:] }
  }

  /// The text of a string.
  fileprivate var name: String? { if case .string(let text) = self { text } else { nil } }

  fileprivate var list: [JSONValue] { if case .array(let list) = self { list } else { [] } }

  fileprivate var jid: String { members["jid"]?.name ?? "" }

  fileprivate func without(_ keys: String...) -> JSONValue {
    .object(members.filter { !keys.contains($0.key) })
  }
}

extension JSONValue? {
  fileprivate var members: [String: JSONValue] { self?.members ?? [:] }
  fileprivate var list: [JSONValue] { self?.list ?? [] }
}

extension [String: JSONValue] {
  fileprivate func without(_ key: String) -> Self { filter { $0.key != key } }
}
