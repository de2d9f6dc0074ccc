import RosterCore
import XMPPStanza

/// A roster maintained only from the reducer's changes, like an application that displays them. It
/// knows no rules, so it is equal only if the changes are complete.
struct ShadowRoster: Equatable {
  private var account: BareJID?
  private var connections: [ConnectionID: Connection] = [:]
  private var isBlockListKnown = false
  private var isConnected = false
  private var completeness = Completeness.neverFetched
  private var version: String?
  private var items: [BareJID: RosterItem] = [:]
  private var incoming: [BareJID: Request] = [:]
  private var unconfirmed: [BareJID: Request] = [:]
  private var ended: [BareJID: End] = [:]
  private var outgoing: [BareJID: Outgoing] = [:]
  private var presence: [BareJID: [String: ResourcePresence]] = [:]
  private var ownPresence: [String: ResourcePresence] = [:]
  private var blocked: Set<JID> = []
  private var nicknames: [BareJID: String] = [:]
  private var cards: [BareJID: VCardNames] = [:]
  private var starred: Set<BareJID> = []
  private var readings: [BareJID: String] = [:]
  private var notes: [BareJID: String] = [:]
  /// Changes that do not fit the previous value.
  private(set) var mismatches: [String] = []

  /// The visible parts of a request.
  private struct Request: Equatable {
    let since: RecordStamp
    let last: RecordStamp
    let count: Int
    let texts: [String?]
    let seen: UInt64?

    init(_ request: IncomingRequest) {
      since = request.since
      last = request.last
      count = request.count
      texts = [request.status, request.nickname]
      seen = request.seen
    }
  }

  private struct End: Equatable {
    let way: EndedRequest.Way
    let at: UInt64
    let since: RecordStamp
  }

  private struct Outgoing: Equatable {
    let since: RecordStamp
    let isReflected: Bool

    init(_ request: OutgoingRequest) {
      since = request.since
      isReflected = request.isReflected
    }
  }

  init() {}

  /// The visible parts of a roster.
  init(viewsOf roster: Roster) {
    account = roster.account
    for connection in roster.connections { connections[connection.id] = connection }
    isBlockListKnown = roster.isBlockListKnown
    isConnected = roster.isConnected
    completeness = roster.completeness
    version = roster.version
    for item in roster.sortedItems { items[item.jid] = item }
    for (jid, request) in roster.incoming { incoming[jid] = Request(request) }
    for (jid, request) in roster.unconfirmed { unconfirmed[jid] = Request(request) }
    for (jid, end) in roster.ended {
      ended[jid] = End(way: end.way, at: end.at.record, since: end.since)
    }
    for (jid, request) in roster.outgoing { outgoing[jid] = Outgoing(request) }
    for jid in roster.blocked { blocked.insert(jid) }
    for (jid, names) in roster.ownNames {
      nicknames[jid] = names.nickname
      cards[jid] = names.vCard
    }
    for (jid, set) in roster.annotations {
      if set.isStarred { starred.insert(jid) }
      readings[jid] = set.reading
      notes[jid] = set.note
    }
    for (jid, contact) in roster.shownPresences {
      for (name, resource) in contact.resources { presence[jid, default: [:]][name] = resource }
    }
    for (name, resource) in roster.ownResources.resources { ownPresence[name] = resource }
  }

  mutating func apply(_ change: RosterChange) {
    guard let jid = change.contact else { return applyToAccount(change) }
    switch change.values {
    case .account, .connected, .connection, .completeness, .version, .blockedKnown, .ownPresence:
      mismatches.append("the account's: \(change)")
    case .item(let before, let after):
      expect(items[jid], before, change)
      items[jid] = after
    case .name, .subscription, .ask, .approved, .groups: applyToItem(jid, change)
    case .request(let before, let after): applyRequest(before, after, jid, change)
    case .outgoing(let before, let after):
      expect(outgoing[jid], before.map(Outgoing.init), change)
      if let before, let after {
        expect(before.isReflected, false, change)
        expect(after.isReflected, true, change)
      }
      outgoing[jid] = after.map(Outgoing.init)
    case .presence(let resource, let before, let after):
      expect(presence[jid]?[resource], before, change)
      presence[jid, default: [:]][resource] = after
      if presence[jid]?.isEmpty == true { presence[jid] = nil }
    case .blocked(let address, let before, let after):
      expect(blocked.contains(address), before, change)
      if after { blocked.insert(address) } else { blocked.remove(address) }
    case .nickname(let before, let after):
      expect(nicknames[jid], before, change)
      nicknames[jid] = after
    case .vCard(let before, let after):
      expect(cards[jid], before, change)
      cards[jid] = after
    case .starred(let before, let after):
      expect(starred.contains(jid), before, change)
      if after { starred.insert(jid) } else { starred.remove(jid) }
    case .reading(let before, let after):
      expect(readings[jid], before, change)
      readings[jid] = after
    case .note(let before, let after):
      expect(notes[jid], before, change)
      notes[jid] = after
    }
  }

  private mutating func applyToAccount(_ change: RosterChange) {
    switch change.values {
    case .account(let before, let after):
      expect(account, before?.bare, change)
      account = after?.bare
    case .connected(let before, let after):
      expect(isConnected, before, change)
      isConnected = after
    case .connection(let before, let after):
      guard let id = (after ?? before)?.id else { return }
      expect(connections[id], before, change)
      connections[id] = after
    case .completeness(let before, let after):
      expect(completeness, before, change)
      completeness = after
    case .version(let before, let after):
      expect(version, before, change)
      version = after
    case .blockedKnown(let before, let after):
      expect(isBlockListKnown, before, change)
      isBlockListKnown = after
    case .ownPresence(let resource, let before, let after):
      expect(ownPresence[resource], before, change)
      ownPresence[resource] = after
    default: mismatches.append("no contact: \(change)")
    }
  }

  private mutating func applyToItem(_ jid: BareJID, _ change: RosterChange) {
    guard var item = items[jid] else {
      mismatches.append("no item for \(change)")
      return
    }
    switch change.values {
    case .name(let before, let after):
      expect(item.name, before, change)
      item.name = after
    case .subscription(let before, let after):
      expect(item.subscription, before, change)
      item.subscription = after
    case .ask(let before, let after):
      expect(item.isPending, before, change)
      item.isPending = after
    case .approved(let before, let after):
      expect(item.isApproved, before, change)
      item.isApproved = after
    case .groups(let before, let after):
      expect(item.groups, before, change)
      item.groups = after
    default: break
    }
    items[jid] = item
  }

  private mutating func applyRequest(
    _ before: ContactRequest?, _ after: ContactRequest?, _ jid: BareJID, _ change: RosterChange
  ) {
    expect(incoming[jid] ?? unconfirmed[jid], before.map { Request($0.request) }, change)
    if let before = before?.request, let after = after?.request {
      expect(after.since, before.since, change)
      expect([before.count, before.count + 1].contains(after.count), true, change)
      if after.count > before.count { expect(after.last.record, change.record, change) }
      if let seen = after.seen, before.seen == nil { expect(seen, change.record, change) }
    }
    expect(unconfirmed[jid] != nil, before.map { !$0.isConfirmed } ?? false, change)
    (incoming[jid], unconfirmed[jid]) = (nil, nil)
    switch after {
    case .open(let request)?: incoming[jid] = Request(request)
    case .unconfirmed(let request)?: unconfirmed[jid] = Request(request)
    case nil:
      guard case .ended(let way)? = change.reason, let since = before?.request.since else {
        mismatches.append("no way: \(change)")
        return
      }
      ended[jid] = End(way: way, at: change.record, since: since)
    }
  }

  private mutating func expect<Value: Equatable>(
    _ mine: Value, _ said: Value, _ change: RosterChange
  ) {
    if mine != said { mismatches.append("\(mine) was before \(change)") }
  }
}
