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
  public func displayName(of jid: BareJID) -> String { name(of: jid).text }

  /// What to call a contact, and where that comes from. Complexity: O(log n).
  public func name(of jid: BareJID) -> DisplayedName {
    if let entry = entries[jid], let name = entry.item.name {
      return DisplayedName(text: name, source: .roster, record: entry.provenance.name)
    }
    let own = ownNames[jid]
    if let name = own?.nickname {
      return DisplayedName(text: name, source: .nickname, record: own?.nicknameRecord)
    }
    if let name = own?.vCard?.nickname {
      return DisplayedName(text: name, source: .vCardNickname, record: own?.vCardRecord)
    }
    if let name = own?.vCard?.fullName {
      return DisplayedName(text: name, source: .vCardFullName, record: own?.vCardRecord)
    }
    return DisplayedName(text: jid.local ?? jid.domain, source: .address, record: nil)
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

/// A name that is shown for a contact, and why it is this one.
public struct DisplayedName: Hashable, Sendable {
  /// Where a name can come from, the first that there is.
  public enum Source: String, Hashable, Sendable, CaseIterable {
    /// The name that the user gave the contact in the roster.
    case roster
    /// The nickname that the contact published (XEP-0172).
    case nickname
    /// The nickname in the contact's vCard.
    case vCardNickname
    /// The full name in the contact's vCard.
    case vCardFullName
    /// The local part of the contact's address, or its domain.
    case address
  }

  /// The name.
  public let text: String
  /// Where it comes from.
  public let source: Source
  /// The record that set it; nil where it is the address.
  public let record: UInt64?
}
