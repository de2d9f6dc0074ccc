import RosterCore
import XMPPStanza

/// A roster kept by nothing but the changes that the reducer tells: what an application does that
/// draws them. It knows no rule, so that it is equal only where the changes tell everything.
struct ShadowRoster: Equatable {
  private var account: BareJID?
  private var resource: String?
  private var isConnected = false
  private var completeness = Completeness.neverFetched
  private var version: String?
  private var items: [BareJID: RosterItem] = [:]
  private var incoming: [BareJID: Request] = [:]
  private var unconfirmed: [BareJID: Request] = [:]
  private var ended: [BareJID: EndedRequest] = [:]
  private var outgoing: [BareJID: Outgoing] = [:]
  private var presence: [BareJID: [String: ResourcePresence]] = [:]
  private var ownPresence: [String: ResourcePresence] = [:]
  private var blocked: Set<JID> = []
  private var nicknames: [BareJID: String] = [:]
  private var cards: [BareJID: VCardNames] = [:]
  private var starred: Set<BareJID> = []
  private var readings: [BareJID: String] = [:]
  private var notes: [BareJID: String] = [:]
  /// Changes that do not fit what was before them.
  private(set) var mismatches: [String] = []

  /// What a request shows.
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

  private struct Outgoing: Equatable {
    let since: RecordStamp
    var isReflected: Bool

    init(_ request: OutgoingRequest) {
      since = request.since
      isReflected = request.isReflected
    }
  }

  init() {}

  /// What a roster shows; `hidden` is the presence kept for a resumption, which no view shows.
  init(viewsOf roster: Roster, hidden: ShadowRoster) {
    account = roster.account
    resource = roster.resource
    isConnected = roster.isConnected
    completeness = roster.completeness
    version = roster.version
    for item in roster.sortedItems { items[item.jid] = item }
    for (jid, request) in roster.incoming { incoming[jid] = Request(request) }
    for (jid, request) in roster.unconfirmed { unconfirmed[jid] = Request(request) }
    for (jid, end) in roster.ended { ended[jid] = end }
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
    if isConnected {
      for (jid, contact) in roster.shownPresences {
        for (name, resource) in contact.resources { presence[jid, default: [:]][name] = resource }
      }
      for (name, resource) in roster.ownResources.resources { ownPresence[name] = resource }
    } else {
      presence = hidden.presence
      ownPresence = hidden.ownPresence
    }
  }

  mutating func apply(_ change: RosterChange) {
    switch change.kind {
    case .account(let jid):
      account = jid.bare
      resource = jid.resource
    case .connected(let now):
      expect(isConnected, !now, change)
      isConnected = now
    case .connection: break
    case .completeness(let before, let after):
      expect(completeness, before, change)
      completeness = after
    case .version(let before, let after):
      expect(version, before, change)
      version = after
    case .itemAdded(let item):
      expect(items[item.jid], nil, change)
      items[item.jid] = item
    case .itemChanged(let jid, let field): apply(field, to: jid, change)
    case .itemRemoved(let item):
      expect(items[item.jid], item, change)
      items[item.jid] = nil
    case .requestOpened, .requestRepeated, .requestUnconfirmed, .requestEnded, .requestSeen,
      .outgoingOpened, .outgoingReflected, .outgoingEnded:
      applyRequest(change)
    case .presence(let jid, let resource, let before, let after):
      expect(presence[jid]?[resource], before, change)
      presence[jid, default: [:]][resource] = after
      if presence[jid]?.isEmpty == true { presence[jid] = nil }
    case .ownPresence(let resource, let before, let after):
      expect(ownPresence[resource], before, change)
      ownPresence[resource] = after
    case .blocking(let jid, let isBlocked):
      expect(blocked.contains(jid), !isBlocked, change)
      if isBlocked { blocked.insert(jid) } else { blocked.remove(jid) }
    case .nickname(let jid, let before, let after):
      expect(nicknames[jid], before, change)
      nicknames[jid] = after
    case .vCard(let jid, let before, let after):
      expect(cards[jid], before, change)
      cards[jid] = after
    case .annotated(let jid, let field): apply(field, to: jid, change)
    }
  }

  private mutating func apply(
    _ field: RosterChange.AnnotationField, to jid: BareJID, _ change: RosterChange
  ) {
    switch field {
    case .starred(let isStarred):
      expect(starred.contains(jid), !isStarred, change)
      if isStarred { starred.insert(jid) } else { starred.remove(jid) }
    case .reading(let before, let after):
      expect(readings[jid], before, change)
      readings[jid] = after
    case .note(let before, let after):
      expect(notes[jid], before, change)
      notes[jid] = after
    }
  }

  private mutating func apply(
    _ field: RosterChange.ItemField, to jid: BareJID, _ change: RosterChange
  ) {
    guard var item = items[jid] else {
      mismatches.append("no item for \(change)")
      return
    }
    switch field {
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
    }
    items[jid] = item
  }

  private mutating func applyRequest(_ change: RosterChange) {
    switch change.kind {
    case .requestOpened(let jid, let request):
      expect(incoming[jid] ?? unconfirmed[jid], nil, change)
      incoming[jid] = Request(request)
    case .requestRepeated(let jid, let request):
      let before = unconfirmed.removeValue(forKey: jid) ?? incoming[jid]
      expect(before?.since, request.since, change)
      expect(before.map { $0.count + 1 }, request.count, change)
      incoming[jid] = Request(request)
    case .requestUnconfirmed(let jid, _):
      unconfirmed[jid] = incoming.removeValue(forKey: jid)
    case .requestEnded(let jid, let end):
      let before = incoming.removeValue(forKey: jid) ?? unconfirmed.removeValue(forKey: jid)
      expect(before?.since, end.since, change)
      expect(end.at.record, change.record, change)
      ended[jid] = end
    case .requestSeen(let jid, let request):
      let before = incoming[jid] ?? unconfirmed[jid]
      expect(before?.since, request.since, change)
      expect(before?.seen, nil, change)
      expect(request.seen, change.record, change)
      if incoming[jid] == nil {
        unconfirmed[jid] = Request(request)
      } else {
        incoming[jid] = Request(request)
      }
    case .outgoingOpened(let jid, let request):
      expect(outgoing[jid], nil, change)
      outgoing[jid] = Outgoing(request)
    case .outgoingReflected(let jid):
      expect(outgoing[jid]?.isReflected, false, change)
      outgoing[jid]?.isReflected = true
    case .outgoingEnded(let jid, _):
      if outgoing.removeValue(forKey: jid) == nil { mismatches.append("none outgoing: \(change)") }
    case .account, .connected, .connection, .completeness, .version, .itemAdded, .itemChanged,
      .itemRemoved,
      .presence, .ownPresence, .blocking, .nickname, .vCard, .annotated:
      break
    }
  }

  private mutating func expect<Value: Equatable>(
    _ mine: Value, _ said: Value, _ change: RosterChange
  ) {
    if mine != said { mismatches.append("\(mine) was before \(change)") }
  }
}
