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
      "completeness": .string(roster.completeness.name),
      "connected": .bool(roster.isConnected),
      "connections": .array(
        roster.connections.map { connection in
          JSONValue(connection).adding(["name": JSONValue(state.names[connection.id.number])])
        }),
      "items": .array(roster.entries.values.map { JSONValue($0) }),
      "requests": JSONValue(requestsOf: roster),
      "annotations": .array(roster.annotations.map { JSONValue($0.value, of: $0.key) }),
      "names": .array(roster.ownNames.map { JSONValue($0.value, of: $0.key) }),
      "presence": .object(
        Dictionary(
          uniqueKeysWithValues: roster.shownPresences.map { ($0.key.text, JSONValue($0.value)) })),
      "ownResources": JSONValue(roster.ownResources),
      "blocked": JSONValue(roster.blocked.sorted().map(\.description)),
      "blockedKnown": .bool(roster.isBlockListKnown),
    ])
  }

  /// An item with the records that set its fields.
  package init(_ entry: RosterEntry) {
    let from = entry.provenance
    self = JSONValue(entry.item).adding([
      "records": .object([
        "item": JSONValue(from.item), "name": JSONValue(from.name),
        "subscription": JSONValue(from.subscription), "ask": JSONValue(from.ask),
        "approved": JSONValue(from.approved), "groups": JSONValue(from.groups),
      ])
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
        presence.resources.map { ($0.key, ($0.value as ResourcePresence?).document()) },
        uniquingKeysWith: { $1 }))
  }

  /// What the user has set of a contact.
  private init(_ annotations: ContactAnnotations, of jid: BareJID) {
    self = .object([
      "jid": .string(jid.text), "starred": .bool(annotations.isStarred),
      "reading": JSONValue(annotations.reading), "note": JSONValue(annotations.note),
      "records": .object([
        "starred": JSONValue(annotations.starredRecord),
        "reading": JSONValue(annotations.readingRecord), "note": JSONValue(annotations.noteRecord),
      ]),
    ])
  }

  /// What a contact calls itself.
  private init(_ names: OwnNames, of jid: BareJID) {
    self = .object([
      "jid": .string(jid.text), "nickname": JSONValue(names.nickname),
      "vCard": names.vCard?.document ?? .null,
      "records": .object([
        "nickname": JSONValue(names.nicknameRecord), "vCard": JSONValue(names.vCardRecord),
      ]),
    ])
  }

  /// The open requests in both directions, each list by address, and how many of those to us the
  /// user has not seen.
  package init(requestsOf roster: Roster) {
    self = .object([
      "incoming": .array(
        roster.incoming.map { Self.incoming($0.key, .open($0.value), roster) }),
      "unconfirmed": .array(
        roster.unconfirmed
          .map { Self.incoming($0.key, .unconfirmed($0.value), roster) }),
      "outgoing": .array(
        roster.outgoing.map { jid, request in
          request.document().adding(
            ["jid": .string(jid.text), "crossing": .bool(roster.crosses(jid))])
        }),
      "unseen": .integer(Int64(roster.unseenRequests.count)),
    ])
  }

  private static func incoming(
    _ jid: BareJID, _ request: ContactRequest, _ roster: Roster
  ) -> JSONValue {
    request.document().adding(
      ["jid": .string(jid.text), "crossing": .bool(roster.crosses(jid))])
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
      "device": JSONValue(finding.device),
      "count": .integer(Int64(finding.count)),
      "first": JSONValue(finding.extent?.first ?? finding.record),
      "last": JSONValue(finding.extent?.last ?? finding.record),
      "sentence": .string(finding.sentence),
    ])
  }
}
