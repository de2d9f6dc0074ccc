import Captures
import EventStore
import Rollcall
import RosterCore
import XMPPStanza

/// The orders in which the contacts of a roster can be listed.
private enum RosterOrder: String, CaseIterable {
  case name, address, changed
}

extension OpenLog {
  /// The most requests of a kind in one answer.
  private static let requestLimit = 200

  /// `/api/roster`: some contacts of the roster at a moment, each field with the record that set
  /// it.
  mutating func rosterAnswer(_ request: InspectorRequest) throws -> JSONValue {
    try roster(at: record("at", of: request), rows(request, first: 60), request)
  }

  mutating func roster(
    at record: UInt64, _ range: Range<Int>, _ request: InspectorRequest
  ) throws -> JSONValue {
    let state = try stretches.state(after: record)
    let roster = state.roster
    let order: RosterOrder = try request.choice("order") ?? .name
    let touched = Set(
      try stretches.stop(at: record)?.moment.outcome.changes.compactMap(\.contact) ?? [])
    let contacts = Self.contacts(of: roster, order, containing: request.query["q"] ?? "")
    let shown = contacts.dropFirst(range.lowerBound).prefix(range.count)
    return facts(state).adding([
      "at": JSONValue(record), "t": Self.number(time(of: record)),
      "total": .integer(Int64(contacts.count)), "items": .integer(Int64(roster.itemCount)),
      "from": .integer(Int64(range.lowerBound)), "order": .string(order.rawValue),
      "rows": .array(
        shown.map { row($0, roster).adding(["touched": .bool(touched.contains($0))]) }),
    ])
  }

  /// What the roster shows beside its contacts.
  private func facts(_ state: Timeline.State) -> JSONValue {
    let roster = state.roster
    let set = [StateField.version, .completeness, .connected].map { field in
      JSONValue(index.lastChange(of: field, upTo: roster.position))
    }
    return .object([
      "account": JSONValue(state.account?.text), "version": JSONValue(roster.version),
      "completeness": .string(roster.completeness.name),
      "completenessText": .string(roster.completeness.clause),
      "connected": .bool(roster.isConnected),
      "connections": .array(
        roster.connections.map { connection in
          JSONValue.object([
            "id": .integer(Int64(connection.id.number)),
            "resource": JSONValue(connection.resource),
            "name": JSONValue(state.names[connection.id.number]),
            "open": .bool(connection.isOpen), "label": label(connection.id.number),
          ])
        }),
      "set": .object(["version": set[0], "complete": set[1], "connected": set[2]]),
      "requests": requests(roster), "ownResources": JSONValue(roster.ownResources),
      "blocked": JSONValue(roster.blocked.sorted().map(\.description)),
      "blockedKnown": .bool(roster.isBlockListKnown),
    ])
  }

  private func requests(_ roster: Roster) -> JSONValue {
    let incoming = Array(roster.incoming)
    let unconfirmed = Array(roster.unconfirmed)
    let outgoing = Array(roster.outgoing)
    return .object([
      "incoming": .array(
        incoming.prefix(Self.requestLimit).map { Self.request(.open($0.value), of: $0.key, roster) }
      ),
      "unconfirmed": .array(
        unconfirmed.prefix(Self.requestLimit)
          .map { Self.request(.unconfirmed($0.value), of: $0.key, roster) }),
      "outgoing": .array(
        outgoing.prefix(Self.requestLimit).map { Self.outgoing($0.value, of: $0.key, roster) }),
      "unseen": .integer(Int64(incoming.count { $0.value.seen == nil })),
      "counts": .object([
        "incoming": .integer(Int64(incoming.count)),
        "unconfirmed": .integer(Int64(unconfirmed.count)),
        "outgoing": .integer(Int64(outgoing.count)),
      ]),
    ])
  }

  static func request(
    _ request: ContactRequest, of contact: BareJID, _ roster: Roster
  ) -> JSONValue {
    request.document().adding(about(contact, roster))
  }

  static func outgoing(
    _ request: OutgoingRequest, of contact: BareJID, _ roster: Roster
  ) -> JSONValue {
    request.document().adding(about(contact, roster))
  }

  private static func about(_ contact: BareJID, _ roster: Roster) -> [String: JSONValue] {
    [
      "jid": .string(contact.text), "name": .string(roster.displayName(of: contact)),
      "crossing": .bool(roster.crosses(contact)),
    ]
  }

  // MARK: Contacts

  /// The contacts in the roster whose name or address contains a text, in order.
  private static func contacts(
    of roster: Roster, _ order: RosterOrder, containing text: String
  ) -> [BareJID] {
    var contacts = roster.entries.keys
    let wanted = text.lowercased()
    if !wanted.isEmpty {
      contacts.removeAll { contact in
        !contact.text.lowercased().contains(wanted)
          && !roster.displayName(of: contact).lowercased().contains(wanted)
      }
    }
    switch order {
    case .address: return contacts
    case .name:
      return contacts.map { (name: roster.displayName(of: $0).lowercased(), contact: $0) }
        .sorted { ($0.name, $0.contact) < ($1.name, $1.contact) }.map(\.contact)
    case .changed:
      return contacts.map { (record: lastChange(of: $0, roster), contact: $0) }
        .sorted { ($1.record, $0.contact) < ($0.record, $1.contact) }.map(\.contact)
    }
  }

  /// The newest record of a contact's item, requests or presence.
  private static func lastChange(of contact: BareJID, _ roster: Roster) -> UInt64 {
    var last: UInt64 = 0
    if let from = roster.entries[contact]?.provenance {
      last = max(from.item, from.name, from.subscription, from.ask, from.approved, from.groups)
    }
    if let request = roster.incoming[contact] ?? roster.unconfirmed[contact] {
      last = max(last, request.last.record)
    }
    if let request = roster.outgoing[contact] { last = max(last, request.since.record) }
    return roster.presence(of: contact).resources.reduce(last) { max($0, $1.value.since.record) }
  }

  private func row(_ contact: BareJID, _ roster: Roster) -> JSONValue {
    let entry = roster.entries[contact]
    let presence = roster.presence(of: contact)
    return Self.named(contact, roster).adding([
      "item": entry.map { JSONValue($0) } ?? .null,
      "changed": JSONValue(Self.lastChange(of: contact, roster)),
      "presence": Self.best(presence),
      "request": Self.openRequest(of: contact, roster),
      "outgoing": roster.outgoing[contact].map { Self.outgoing($0, of: contact, roster) } ?? .null,
    ])
  }

  /// A contact's address and name, with the source of the name.
  static func named(_ contact: BareJID, _ roster: Roster) -> JSONValue {
    let name = roster.name(of: contact)
    return .object([
      "jid": .string(contact.text), "name": .string(name.text),
      "nameFrom": .object([
        "source": .string(name.source.rawValue), "record": JSONValue(name.record),
      ]),
    ])
  }

  /// A contact's request, whether it is open or unconfirmed, or null.
  static func openRequest(of contact: BareJID, _ roster: Roster) -> JSONValue {
    if let request = roster.incoming[contact] {
      return Self.request(.open(request), of: contact, roster)
    }
    if let request = roster.unconfirmed[contact] {
      return Self.request(.unconfirmed(request), of: contact, roster)
    }
    return .null
  }

  /// The resource that stands for a contact, or null if none is available.
  private static func best(_ presence: ContactPresence) -> JSONValue {
    guard let (resource, shown) = presence.best else { return .null }
    return (shown as ResourcePresence?).document().adding([
      "resource": .string(resource), "resources": .integer(Int64(presence.resources.count)),
    ])
  }
}
