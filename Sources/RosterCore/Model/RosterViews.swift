import DequeModule
public import XMPPStanza

// The public views of a roster.
extension Roster {
  /// Whether a session is open, or is assumed to be because the log begins in mid-session.
  public var isConnected: Bool { sessions.all.contains { $0.phase == .open } }

  /// Whether a session began at a record. False for a record that only looks like a beginning.
  package func hasSession(openedAt record: UInt64) -> Bool {
    sessions.all.contains { $0.openedAt == record }
  }

  /// The record that bound the open session, if none of the open ones has sent its first presence
  /// (RFC 6121 §4.2); nil also if the log does not show how one of them began.
  package var recordOfSilentSession: UInt64? {
    let open = sessions.all.filter { $0.phase == .open }
    guard open.allSatisfy({ $0.initialPresence != .sent && $0.openedAt > 0 }) else { return nil }
    return open.first?.openedAt
  }

  /// The resource that the server bound, from the first open session, or from the first session if
  /// none is open. Nil until the log shows it.
  public var resource: String? {
    let named = sessions.all.filter { $0.resource != nil }
    return (named.first { $0.phase == .open } ?? named.first)?.resource
  }

  /// The session for a caller that has only one: the first open one, or else the first.
  var current: Session? { sessions.all.first { $0.phase == .open } ?? sessions.all.first }

  /// The connections of the account in the order of their numbers: all open ones, and the last of
  /// those that are not.
  public var connections: [Connection] {
    sessions.all.map(\.shown).sorted { $0.id < $1.id }
  }

  /// Whether the session of a connection is open.
  package func isOpen(_ connection: ConnectionID) -> Bool {
    sessions.place(of: connection).map { sessions[$0].phase == .open } ?? false
  }

  /// Whether a direction of the stream on a connection has ended (RFC 6120 §4.4): the server's, so
  /// that nothing more counts, or ours, so that nothing more is sent.
  package func hasEnded(_ direction: Direction, on connection: ConnectionID) -> Bool {
    sessions.place(of: connection).map { sessions[$0].ends[direction] != nil } ?? false
  }

  /// Whether the server has to push changes over a connection: its session is open, has received
  /// the roster, and neither side has ended the stream (RFC 6121 §2.1.6).
  package func isInterested(_ connection: ConnectionID) -> Bool {
    sessions.place(of: connection).map { sessions[$0].isInterested } ?? false
  }

  /// Whether the server shows what changes: an open session has received the roster (RFC 6121
  /// §2.1.6).
  package var receivesPushes: Bool { sessions.all.contains(where: \.isInterested) }

  /// Whether the server also sends the requests of contacts: such a session has sent its initial
  /// presence (RFC 6121 §3.1.3).
  package var receivesRequests: Bool {
    sessions.all.contains { $0.isInterested && $0.receivesPresence }
  }

  /// Whether we have accepted a request of the contact and the roster does not show it yet.
  package func hasUnshownAcceptance(of jid: BareJID) -> Bool {
    acceptances.contains { $0.isOurs && $0.contact == jid }
  }

  /// The texts by which records can be recognized that contain resumption ids (XEP-0198 §5), for
  /// the sessions that have not ended cleanly.
  package var resumptionMarks: [String] {
    sessions.all.filter(\.isAlive).compactMap(\.resumptionID)
  }

  // MARK: Contacts

  /// The whole state of an address; nil if it has none. Complexity: O(1).
  public func contact(_ jid: BareJID) -> Contact? {
    contacts.number(of: jid).flatMap { contacts.contact($0) }
  }

  /// The contact's item; nil if it is not in the roster. Complexity: O(1).
  public func item(_ jid: BareJID) -> RosterItem? { entries[jid]?.item }

  /// The number of contacts in the roster. Complexity: O(1).
  public var itemCount: Int { contacts.items.total }

  /// The number of contacts in the roster with a subscription state. Complexity: O(1).
  package func itemCount(_ subscription: RosterSubscription) -> Int {
    contacts.items[subscription]
  }

  /// The state of the contact's subscription; nil if it is not in the roster. Complexity: O(1),
  /// without copying the item.
  package func subscription(of jid: BareJID) -> RosterSubscription? {
    contacts.number(of: jid).flatMap { contacts.item(of: $0)?.subscription }
  }

  /// Whether the contact is in the roster with this name. Complexity: O(1), copying only the name.
  package func isNamed(_ jid: BareJID, _ name: String?) -> Bool {
    guard let item = contacts.number(of: jid).flatMap({ contacts.item(of: $0) }) else {
      return false
    }
    return contacts.text(item.name) == name
  }

  /// Whether a request to or from the contact awaits an answer or is unconfirmed. Complexity: O(1),
  /// without copying the requests.
  package func isPending(_ jid: BareJID) -> Bool {
    guard let number = contacts.number(of: jid) else { return false }
    return !contacts.row(of: number).detailParts.isDisjoint(with: [.request, .outgoing])
  }

  /// The items by address. Complexity: O(n log n).
  public var sortedItems: [RosterItem] { entries.map(\.value.item) }

  /// The items, each with the records that set its fields.
  public var entries: ContactValues<RosterEntry> { ContactValues(contacts) { $0.entry(of: $1) } }

  /// Requests to see our presence that await our answer.
  public var incoming: ContactValues<IncomingRequest> {
    ContactValues(contacts) { table, number in
      if case .open(let request)? = table.request(of: number) { request } else { nil }
    }
  }

  /// Requests that may have been answered or withdrawn unseen by the log: those from an earlier
  /// session that the server has not sent again in this one, and those of contacts that it removed.
  public var unconfirmed: ContactValues<IncomingRequest> {
    ContactValues(contacts) { table, number in
      if case .unconfirmed(let request)? = table.request(of: number) { request } else { nil }
    }
  }

  /// How each contact's last request ended.
  public var ended: ContactValues<EndedRequest> {
    ContactValues(contacts) { $0.lastEnded(of: $1) }
  }

  /// Our requests to see a contact's presence that await an answer.
  public var outgoing: ContactValues<OutgoingRequest> {
    ContactValues(contacts) { $0.outgoing(of: $1) }
  }

  /// How our last request to each contact ended, until we ask again.
  package var endedOutgoing: ContactValues<EndedOutgoing> {
    ContactValues(contacts) { $0.lastOutgoingEnd(of: $1) }
  }

  /// The names that contacts give themselves.
  package var ownNames: ContactValues<OwnNames> {
    ContactValues(contacts) { $0.names(of: $1) }
  }

  /// Whether a contact and we have open requests to each other. Either side can settle both.
  public func crosses(_ jid: BareJID) -> Bool {
    let contact = contact(jid)
    return contact?.outgoing != nil && contact?.request != nil
  }

  /// Whether the account and the contact see each other's presence.
  public func isMutual(_ jid: BareJID) -> Bool { subscription(of: jid) == .both }

  // MARK: Presence

  /// The contact's available resources; empty while there is no session. Complexity: O(1).
  public func presence(of jid: BareJID) -> ContactPresence {
    shownPresences[jid] ?? ContactPresence()
  }

  /// The presence of all contacts by address; empty while there is no session.
  public var shownPresences: ContactValues<ContactPresence> {
    let open = openSessions
    return ContactValues(contacts, isHidden: open.isEmpty) { table, number in
      guard table.presence(of: number) != nil else { return nil }
      let resources = table.resources(of: number, toldTo: open)
      return resources.isEmpty ? nil : ContactPresence(resources: resources)
    }
  }

  /// The other resources of our own account; empty while there is no session.
  public var ownResources: ContactPresence {
    let open = openSessions
    return ContactPresence(
      resources: contacts.resources(ownPresence.all.filter { !$0.told.isDisjoint(with: open) }))
  }

  /// The open sessions; presence that only other sessions received is not shown.
  var openSessions: SessionSet { sessions.open }

  // MARK: Edits

  /// Whether any set of ours waits for what shows whether the server has carried it out.
  var hasOpenEdits: Bool { sessions.hasPendingEdits || !abandonedEdits.isEmpty }

  /// Whether a set of ours that the log does not show, or that was given up, may have asked for
  /// what the server shows: then it is not certain that none did.
  package var mayLackEdits: Bool {
    isInboundOnly
      || sessions.all.contains { ($0.phase == .open && $0.openedAt == 0) || $0.lacksEdits }
  }

  /// Whether what the server has shown last of a contact may be its answer to a set of ours that
  /// asked for something else.
  package func hasAlteredSet(of contact: BareJID) -> Bool {
    sessions.all.contains { session in
      session.pendingEdits.contains { $0.contact == contact && $0.altered != nil }
    }
  }
}

/// One connection of an account: one device, with its consecutive sessions.
public struct Connection: Hashable, Sendable {
  /// The number of the connection.
  public let id: ConnectionID
  /// The resource that the server bound; nil if the log does not show it.
  public let resource: String?
  /// Whether its session is open.
  public let isOpen: Bool
}

extension Session {
  /// The public view of its connection.
  var shown: Connection {
    Connection(id: connection, resource: resource, isOpen: phase == .open)
  }
}
