package import Captures
package import RosterCore
package import RosterCore
import XMPPStanza

extension JSONValue {
  /// A roster as `rollcall state --json` prints it.
  ///
  /// - Parameter time: the time of the point, milliseconds since 1970.
  package init(_ roster: Roster, time: Int64?) {
    self = .object([
      "account": JSONValue(roster.account?.text),
      "at": JSONValue(roster.position),
      "time": JSONValue(time: time),
      "version": JSONValue(roster.version),
      "complete": .bool(roster.completeness == .complete),
      "connected": .bool(roster.isConnected),
      "items": .array(roster.sortedItems.map { JSONValue($0) }),
      "requests": JSONValue(requestsOf: roster),
      "presence": .object(
        Dictionary(
          uniqueKeysWithValues: roster.shownPresences.map { ($0.key.text, JSONValue($0.value)) })),
      "ownResources": JSONValue(roster.ownResources),
      "blocked": JSONValue(roster.blocked.sorted().map(\.description)),
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

  /// The open requests in both directions, each list by address.
  package init(requestsOf roster: Roster) {
    self = .object([
      "incoming": .array(Self.incoming(roster.incoming, roster)),
      "unconfirmed": .array(Self.incoming(roster.unconfirmed, roster)),
      "outgoing": .array(
        roster.outgoing.map { jid, request in
          .object([
            "jid": .string(jid.text), "since": JSONValue(request.since.record),
            "crossing": .bool(roster.crosses(jid)),
          ])
        }),
    ])
  }

  private static func incoming(
    _ requests: ContactValues<IncomingRequest>, _ roster: Roster
  ) -> [JSONValue] {
    requests.map { jid, request in
      .object([
        "jid": .string(jid.text), "since": JSONValue(request.since.record),
        "count": .integer(Int64(request.count)), "text": JSONValue(request.status),
        "nick": JSONValue(request.nickname), "crossing": .bool(roster.crosses(jid)),
      ])
    }
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
