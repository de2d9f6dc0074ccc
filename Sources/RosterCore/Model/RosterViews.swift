import HashTreeCollections
public import XMPPStanza

// What a roster shows.
extension Roster {
  /// Whether a session is open, or assumed in a log that begins in mid-session.
  public var isConnected: Bool { sessions.all.contains { $0.phase == .open } }

  /// The resource that the server bound; nil until the log says which.
  public var resource: String? { sessions.all.lazy.compactMap(\.resource).first }

  // MARK: Contacts

  /// Everything that is known about an address, nil where nothing is. Complexity: O(1).
  public func contact(_ jid: BareJID) -> Contact? {
    contacts.number(of: jid).flatMap { contacts.contact($0) }
  }

  /// The contact's item, nil where it is not in the roster. Complexity: O(1).
  public func item(_ jid: BareJID) -> RosterItem? { entries[jid]?.item }

  /// How many contacts are in the roster. Complexity: O(1).
  public var itemCount: Int { contacts.itemCount }

  /// The items by address. Complexity: O(n log n).
  public var sortedItems: [RosterItem] { entries.map(\.value.item) }

  /// The items, each with the records that set its fields.
  public var entries: ContactValues<RosterEntry> { ContactValues(contacts) { $0.entry(of: $1) } }

  /// Requests to see our presence that wait for our answer.
  public var incoming: ContactValues<IncomingRequest> {
    ContactValues(contacts) { table, number in
      if case .open(let request)? = table.request(of: number) { request } else { nil }
    }
  }

  /// Requests that may have been answered or withdrawn where the log does not see it: ones of an
  /// earlier session that the server has not sent again in this one, and ones of contacts that it
  /// removed.
  public var unconfirmed: ContactValues<IncomingRequest> {
    ContactValues(contacts) { table, number in
      if case .unconfirmed(let request)? = table.request(of: number) { request } else { nil }
    }
  }

  /// How each contact's last request ended.
  public var ended: ContactValues<EndedRequest> {
    ContactValues(contacts) { $0.details(of: $1)?.lastEnded }
  }

  /// Requests of ours to see a contact's presence that wait for an answer.
  public var outgoing: ContactValues<OutgoingRequest> {
    ContactValues(contacts) { $0.outgoing(of: $1) }
  }

  /// What contacts call themselves.
  package var ownNames: ContactValues<OwnNames> {
    ContactValues(contacts) { $0.names(of: $1) }
  }

  /// Whether a contact and we ask each other: one matter, which either side can settle.
  public func crosses(_ jid: BareJID) -> Bool {
    let contact = contact(jid)
    return contact?.outgoing != nil && contact?.request != nil
  }

  /// Whether the account and the contact see each other's presence.
  public func isMutual(_ jid: BareJID) -> Bool { item(jid)?.subscription == .both }

  // MARK: Presence

  /// The contact's available resources; none while there is no session. Complexity: O(1).
  public func presence(of jid: BareJID) -> ContactPresence {
    shownPresences[jid] ?? ContactPresence()
  }

  /// The presence of all contacts by address; none while there is no session.
  public var shownPresences: ContactValues<ContactPresence> {
    ContactValues(contacts, isHidden: !isConnected) { table, number in
      guard table.presence(of: number) != nil else { return nil }
      return ContactPresence(resources: table.resources(of: number))
    }
  }

  /// The other resources of our own account; none while there is no session.
  public var ownResources: ContactPresence {
    guard isConnected else { return ContactPresence() }
    return ContactPresence(resources: contacts.resources(ownPresence.values))
  }

  // MARK: Edits

  /// The record of the set of ours that asked for what the server shows of a contact now; nil where
  /// none did, so that the server or another of our devices changed it.
  package func ownSet(behind jid: BareJID) -> UInt64? {
    let now = item(jid).map { EditableFields($0) }
    let pushed = sessions.all.flatMap(\.pendingEdits)
      .last { $0.contact == jid && $0.isPushed && $0.after == now }
    let confirmed = contact(jid)?.confirmedEdit.flatMap { $0.after == now ? $0.sent : nil }
    return pushed?.sent.record ?? confirmed
  }
}
