public import HashTreeCollections
public import XMPPStanza

// What a roster shows.
extension Roster {
  /// Whether a session is open, or taken for granted in a log that begins in mid-session.
  public var isConnected: Bool { stream.phase == .open }

  /// The contact's item, nil where it is not in the roster. Complexity: O(log n).
  public func item(_ jid: BareJID) -> RosterItem? { entries[jid]?.item }

  /// The items by address. Complexity: O(n log n).
  public var sortedItems: [RosterItem] {
    entries.values.map(\.item).sorted { $0.jid < $1.jid }
  }

  /// The contact's available resources; none while there is no session. Complexity: O(log n).
  public func presence(of jid: BareJID) -> ContactPresence {
    guard isConnected else { return ContactPresence() }
    return presences[jid] ?? ContactPresence()
  }

  /// The presence of all contacts by address; none while there is no session.
  public var shownPresences: TreeDictionary<BareJID, ContactPresence> {
    isConnected ? presences : [:]
  }

  /// The other resources of our own account; none while there is no session.
  public var ownResources: ContactPresence {
    isConnected ? ownPresences : ContactPresence()
  }

  /// Whether a contact and we ask each other: one matter, which either side can settle.
  public func crosses(_ jid: BareJID) -> Bool {
    outgoing[jid] != nil && (incoming[jid] != nil || unconfirmed[jid] != nil)
  }

  /// Whether the account and the contact see each other's presence.
  public func isMutual(_ jid: BareJID) -> Bool { entries[jid]?.item.subscription == .both }

  /// What to call a contact: the name in the roster, else what it calls itself, else its
  /// vCard's nickname or full name, else the local part, else the domain.
  public func displayName(of jid: BareJID) -> String {
    let own = ownNames[jid]
    return entries[jid]?.item.name ?? own?.nickname ?? own?.vCard?.nickname
      ?? own?.vCard?.fullName ?? jid.local ?? jid.domain
  }

  /// The record of the set of ours that asked for what the server shows of a contact now; nil where
  /// none did, so that the server or another of our devices changed it.
  package func ownSet(behind jid: BareJID) -> UInt64? {
    let now = entries[jid].map { EditableFields($0.item) }
    let pushed = edits.pending.last { $0.contact == jid && $0.isPushed && $0.after == now }
    let settled = edits.settled[jid].flatMap { $0.after == now ? $0.sent : nil }
    return pushed?.sent.record ?? settled
  }
}
