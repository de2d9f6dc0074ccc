package import Captures
package import RosterCore
package import XMPPStanza

extension JSONValue {
  /// A state of captures as `rollcall state --json` prints it, with what of them was not read.
  package init(_ state: Timeline.State, readFrom files: [(path: String, summary: ImportSummary)]) {
    self.init(state)
    guard case .object(var members) = self, let unread = JSONValue(unreadIn: files) else { return }
    members["unread"] = unread
    self = .object(members)
  }

  /// A state as `rollcall state --json` prints it.
  package init(_ state: Timeline.State) {
    let roster = state.roster
    self = .object([
      "account": JSONValue(state.account?.text),
      "at": JSONValue(roster.position),
      "time": JSONValue(time: state.time),
      "version": JSONValue(roster.version),
      "complete": .bool(roster.completeness == .complete),
      "connected": .bool(roster.isConnected),
      "connections": .array(
        roster.connections.map { connection in
          .object([
            "id": .integer(Int64(connection.id.number)),
            "name": JSONValue(state.names[connection.id.number]),
            "resource": JSONValue(connection.resource), "open": .bool(connection.isOpen),
          ])
        }),
      "items": .array(roster.sortedItems.map { JSONValue($0) }),
      "requests": JSONValue(requestsOf: roster),
      "annotations": .array(roster.annotations.map { JSONValue($0.value, of: $0.key) }),
      "presence": .object(
        Dictionary(
          uniqueKeysWithValues: roster.shownPresences.map { ($0.key.text, JSONValue($0.value)) })),
      "ownResources": JSONValue(roster.ownResources),
      "blocked": JSONValue(roster.blocked.sorted().map(\.description)),
      "blockedKnown": .bool(roster.isBlockListKnown),
    ])
  }

  package init(_ item: RosterItem) {
    self = .object([
      "jid": .string(item.jid.text),
      "name": JSONValue(item.name),
      "subscription": .string(item.subscription.rawValue),
      "ask": item.isPending ? .string("subscribe") : .null,
      "approved": .bool(item.isApproved),
      "groups": JSONValue(item.groups),
    ])
  }

  /// Resources by name, each with what it says.
  package init(_ presence: ContactPresence) {
    self = .object(
      // Names in two normal forms are two resources, but one key here.
      Dictionary(
        presence.resources.map { ($0.key, JSONValue($0.value.availability)) },
        uniquingKeysWith: { $1 }))
  }

  package init(_ availability: Availability) {
    self = .object([
      "show": .string(availability.show.rawValue),
      "priority": .integer(Int64(availability.priority)),
      "status": JSONValue(availability.status),
    ])
  }

  /// What the user has set of a contact.
  private init(_ annotations: ContactAnnotations, of jid: BareJID) {
    self = .object([
      "jid": .string(jid.text), "starred": .bool(annotations.isStarred),
      "reading": JSONValue(annotations.reading), "note": JSONValue(annotations.note),
    ])
  }

  /// The open requests in both directions, each list by address, and how many of those to us the
  /// user has not seen.
  package init(requestsOf roster: Roster) {
    self = .object([
      "incoming": .array(
        roster.incoming.map { Self.incoming($0.key, $0.value, roster) }),
      "unconfirmed": .array(
        roster.unconfirmed
          .map { Self.incoming($0.key, $0.value, roster) }),
      "outgoing": .array(
        roster.outgoing.map { jid, request in
          .object([
            "jid": .string(jid.text), "since": JSONValue(request.since.record),
            "crossing": .bool(roster.crosses(jid)),
          ])
        }),
      "unseen": .integer(Int64(roster.unseenRequests.count)),
    ])
  }

  private static func incoming(
    _ jid: BareJID, _ request: IncomingRequest, _ roster: Roster
  ) -> JSONValue {
    .object([
      "jid": .string(jid.text), "since": JSONValue(request.since.record),
      "count": .integer(Int64(request.count)), "text": JSONValue(request.status),
      "nick": JSONValue(request.nickname), "crossing": .bool(roster.crosses(jid)),
      "seen": .bool(request.seen != nil),
    ])
  }

  /// Findings, as `rollcall findings --json` prints them.
  package init(_ findings: [Finding], of account: BareJID?) {
    self = .object([
      "account": JSONValue(account?.text),
      "findings": .array(findings.map { JSONValue($0) }),
    ])
  }

  /// A finding as `rollcall findings --json` lists it.
  package init(_ finding: Finding) {
    self = .object([
      "code": .string(finding.code.rawValue),
      "severity": .string(finding.severity.rawValue),
      "record": JSONValue(finding.record),
      "cause": JSONValue(finding.cause),
      "contact": JSONValue(finding.contact?.text),
      "sentence": .string(finding.sentence),
    ])
  }
}
