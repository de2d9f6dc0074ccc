import DequeModule
package import XMPPStanza

/// Finds the account of each connection of a capture, and passes the records of one account.
///
/// The account is known from the capture's header, the bind result, SASL 2, or a lifecycle record.
/// If a log begins in mid-session or does not show any of these, the account is inferred from the
/// address that the server sends stanzas to or names as a session's.
///
/// Records are held back until then, and so are the records after them, so that the order is kept.
/// A connection that ends before its account is known is dropped, unless the capture has only one
/// connection. In that case it belongs to the account that another session of the connection names;
/// if none names one, all records pass.
///
/// If no passed record names the account, because it was inferred or chosen, the filter puts a
/// header that names it before them: the rules for pushes and answers depend on the account.
package struct AccountFilter {
  /// Every account that the capture names, sorted.
  ///
  /// If `chosen` was nil and there are several, the caller asks the user to choose; until then only
  /// records of one account have passed.
  package var accounts: [BareJID] { found.sorted() }
  /// The number of records that were dropped because their account is unknown.
  package private(set) var unattributed = 0
  /// Whether one connection has elements of several accounts at a time, as in a log of a program
  /// with several clients. Such a log does not say which of them sent what.
  package private(set) var isMixed = false

  private struct Session {
    let connection: String
    var account: BareJID?
    /// Whether this session or the capture's header named the account, rather than it being
    /// inferred.
    var isNamed = false
    /// The resource that the server sends to, unless the session names its account.
    var resource: String?
    /// The bare address that the server sends to, if it uses no full one.
    var hint: BareJID?
    var hasEnded = false
  }

  private struct Held {
    let record: CapturedRecord
    let session: Int
  }

  private let chosen: BareJID?
  private var found: Set<BareJID> = []
  /// The account of the whole capture, if its header names one.
  private var headerAccount: BareJID?
  private var isInboundOnly = false
  /// Whether a passed record names the account.
  package private(set) var isAnnounced = false
  private var sessions: [Int: Session] = [:]
  private var current: [String: Int] = [:]
  private var lastSession = 0
  private var held: Deque<Held> = []
  private var heldBytes = 0
  private var firstName: String?
  private var hasSeveralNames = false
  /// The number of sessions that are kept before ended ones are forgotten.
  private var sessionsToKeep = 1000

  /// The limits for records that wait for the account of a connection.
  private static let maximumHeld = 10_000
  private static let maximumHeldBytes = 16 << 20

  /// The connection whose elements pass unexamined: its account is known, and nothing is held.
  private var settled: String?

  /// Creates a filter that passes one account's records; without an account, those of the only one.
  package init(account: BareJID?) {
    chosen = account
  }

  /// Creates a filter that continues another one, of a capture that names the account with each
  /// record.
  ///
  /// - Parameter isAnnounced: Whether a record that the other one passed names the account.
  package init(continuing account: BareJID, isAnnounced: Bool) {
    chosen = account
    self.isAnnounced = isAnnounced
  }

  /// Whether all elements of a connection pass, whatever they contain.
  ///
  /// Mutating, so that the filter is used in place: copying it takes longer.
  package mutating func passesElements(of connection: String) -> Bool {
    headerAccount != nil && settled == connection
  }

  /// Adds the next record and passes on the records whose account is now decided.
  package mutating func take(
    _ record: CapturedRecord, _ sink: (CapturedRecord) throws -> Void
  ) rethrows {
    if let settled {
      if settled == record.connection, case .element = record.content,
        !belongsToAnother(record)
      {
        return try sink(record)
      }
      self.settled = nil
    }
    let session = session(of: record)
    learn(from: record, session)
    held.append(Held(record: record, session: session))
    heldBytes += record.bytes
    if case .lifecycle(.closed) = record.content { end(record.connection) }
    try release(all: false, sink)
    while held.count > Self.maximumHeld || heldBytes > Self.maximumHeldBytes {
      guard let first = held.first else { return }
      sessions[first.session]?.hasEnded = true
      try release(all: false, sink)
    }
    settle(record, session)
  }

  /// Remembers a connection whose elements need not be examined any more.
  private mutating func settle(_ record: CapturedRecord, _ session: Int) {
    guard held.isEmpty, isAnnounced, let account = sessions[session]?.account, passes(account),
      current[record.connection] == session
    else { return }
    settled = record.connection
  }

  /// Ends the capture and passes on the records that are still held.
  package mutating func finish(_ sink: (CapturedRecord) throws -> Void) rethrows {
    try release(all: true, sink)
  }

  // MARK: Sessions

  /// The session of a record. The name of a connection may be used again.
  private mutating func session(of record: CapturedRecord) -> Int {
    firstName = firstName ?? record.connection
    if firstName != record.connection { hasSeveralNames = true }
    if case .streamHeader = record.content, let id = current[record.connection],
      sessions[id]?.account != nil || sessions[id]?.hint != nil
    {
      // A stream has no new header after binding: this is another stream.
      end(record.connection)
    }
    if let id = current[record.connection], let session = sessions[id], headerAccount == nil,
      let bound = Self.account(in: record.content), Self.isDifferent(bound, from: session)
    {
      // Not every log shows stream headers.
      end(record.connection)
    }
    if let id = current[record.connection] { return id }
    lastSession += 1
    current[record.connection] = lastSession
    sessions[lastSession] = Session(
      connection: record.connection, account: headerAccount, isNamed: headerAccount != nil)
    return lastSession
  }

  /// Whether a login names another account than the session's. An inferred account may have been
  /// written differently.
  private static func isDifferent(_ bound: BareJID, from session: Session) -> Bool {
    guard let account = session.account else { return false }
    return session.isNamed ? bound != account : areDifferent(bound, account)
  }

  /// Whether an element of the settled connection shows that it belongs to another account.
  private func belongsToAnother(_ record: CapturedRecord) -> Bool {
    guard headerAccount == nil, record.account == nil, let id = current[record.connection],
      let own = sessions[id]?.account
    else { return false }
    if let account = Self.account(in: record.content), account != own { return true }
    guard case .element(.inbound, let node, _) = record.content,
      let address = node.attribute("to"), !address.isFullAddress(of: own),
      let to = Self.recipient(of: record.content)
    else { return false }
    return Self.areDifferent(to.bare, own) && (to.resource != nil || found.contains(to.bare))
  }

  private mutating func end(_ connection: String) {
    guard let id = current.removeValue(forKey: connection), !connection.isEmpty else { return }
    sessions[id]?.hasEnded = true
  }

  private mutating func learn(from record: CapturedRecord, _ id: Int) {
    if case .lifecycle(.header(let account, let inboundOnly)) = record.content {
      headerAccount = account?.bare ?? headerAccount
      isInboundOnly = inboundOnly
    }
    if let account = headerAccount ?? Self.account(in: record.content) {
      sessions[id]?.isNamed = true
      name(account, id)
    } else if let account = record.account {
      name(account, id)
    } else if let hint = record.owner ?? Self.recipient(of: record.content) {
      if hint.resource != nil, let own = sessions[id]?.account, Self.areDifferent(own, hint.bare) {
        // A server sends a session nothing that is addressed to another account's.
        isMixed = true
        found.insert(hint.bare)
      }
      sessions[id]?.hint = hint.bare
      guard let resource = hint.resource else { return }
      name(hint.bare, id)
      if sessions[id]?.account == hint.bare, sessions[id]?.resource == nil {
        sessions[id]?.resource = resource
      }
    }
  }

  private mutating func name(_ account: BareJID, _ id: Int) {
    guard let session = sessions[id], session.account == nil else { return }
    sessions[id]?.account = account
    found.insert(account)
    guard session.connection.isEmpty else { return }
    for (earlier, session) in sessions where session.connection.isEmpty {
      sessions[earlier]?.account = session.account ?? account
    }
  }

  private static func account(in content: CapturedRecord.Content) -> BareJID? {
    switch content {
    case .lifecycle(.opened(let jid)): jid.bare
    case .lifecycle(.resumed(let jid)): jid?.bare
    case .element(.inbound, let node, _): LoginResult(node)?.jid?.bare
    case .element(.outbound, _, _), .lifecycle(.header), .lifecycle(.closed), .streamHeader,
      .lifecycle(.connected), .lifecycle(.secured), .lifecycle(.verified),
      .lifecycle(.unverified), .lifecycle(.authenticated), .lifecycle(.recorded), .streamEnd,
      .annotation, .unreadable:
      nil
    }
  }

  /// The recipient of a stanza from the server.
  private static func recipient(of content: CapturedRecord.Content) -> JID? {
    guard case .element(.inbound, let node, _) = content,
      node.name.namespace == Namespace.client, let to = node.attribute("to"),
      ["iq", "message", "presence"].contains(node.name.local),
      let jid = try? JID(parsing: to.trimmedOfXMLSpace), jid.bare.local != nil
    else { return nil }
    return jid
  }

  /// Whether two addresses certainly belong to different accounts. If a user replaced domains with
  /// marks such as `[server]`, one account may have several of them.
  private static func areDifferent(_ a: BareJID, _ b: BareJID) -> Bool {
    a != b && isDomain(a.domain) && isDomain(b.domain)
  }

  /// Whether a text consists of letters, digits, dots and hyphens, or is an IPv6 address in
  /// brackets.
  private static func isDomain(_ text: String) -> Bool {
    text.utf8.contains(UInt8(ascii: ":"))
      || text.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 >= 0x80 || ".-_".utf8.contains($0) }
  }

  // MARK: Releasing

  private mutating func release(
    all: Bool, _ sink: (CapturedRecord) throws -> Void
  ) rethrows {
    var count = 0
    defer { drop(count) }
    while count < held.count {
      let next = held[count]
      guard let session = sessions[next.session] else { return }
      let isDecided = all || session.hasEnded
      guard let account = session.account ?? (isDecided ? session.hint : nil) else {
        guard isDecided else { return }
        count += 1
        if isWhole(all: all) {
          if let chosen { try announce(chosen, before: next.record, sink) }
          try sink(next.record)
        } else {
          unattributed += 1
        }
        continue
      }
      found.insert(account)
      count += 1
      guard passes(account) else { continue }
      if !session.isNamed { try announce(account, session.resource, before: next.record, sink) }
      if !isAnnounced { isAnnounced = Self.namesAccount(next.record.content) }
      try sink(next.record)
    }
  }

  /// Passes on a header that names the account, unless a record has named it.
  ///
  /// - Parameter resource: The resource that the server sends to; it binds the session as a bind
  ///   result does.
  private mutating func announce(
    _ account: BareJID, _ resource: String? = nil, before record: CapturedRecord,
    _ sink: (CapturedRecord) throws -> Void
  ) rethrows {
    guard !isAnnounced else { return }
    isAnnounced = true
    let jid = JID(prepared: account, resource: resource)
    var header = record
    header.time = nil
    header.content = .lifecycle(.header(account: jid, inboundOnly: isInboundOnly))
    try sink(header)
  }

  private static func namesAccount(_ content: CapturedRecord.Content) -> Bool {
    if case .lifecycle(.header(let account, _)) = content { return account != nil }
    return account(in: content) != nil
  }

  private func passes(_ account: BareJID) -> Bool {
    if let chosen { return account == chosen }
    return found.count == 1
  }

  /// Whether the capture has only one connection, and either no account is known, or the whole
  /// capture belongs to one account but ends before its last session names it.
  private func isWhole(all: Bool) -> Bool {
    guard !hasSeveralNames else { return false }
    let isOfClient = firstName?.isEmpty == true
    guard let account = found.first else { return all || isOfClient }
    return all && isOfClient && found.count == 1 && passes(account)
  }

  private mutating func drop(_ count: Int) {
    guard count > 0 else { return }
    for gone in held.prefix(count) { heldBytes -= gone.record.bytes }
    held.removeFirst(count)
    guard sessions.count > sessionsToKeep else { return }
    let needed = Set(current.values).union(held.map(\.session))
    sessions = sessions.filter { needed.contains($0.key) }
    sessionsToKeep = max(sessionsToKeep, 2 * sessions.count)
  }
}

extension String {
  /// Whether the text is certainly the account's address with a resource. True for most addresses.
  fileprivate func isFullAddress(of account: BareJID) -> Bool {
    let name = account.text.utf8
    return utf8.starts(with: name) && utf8.dropFirst(name.count).first == UInt8(ascii: "/")
  }
}

extension CapturedRecord {
  /// The approximate size of the record in memory.
  var bytes: Int {
    switch content {
    case .element(_, _, let bytes), .streamHeader(_, _, let bytes): 2 * bytes.count
    case .unreadable(let bytes): bytes.kept?.count ?? 0
    case .lifecycle, .streamEnd, .annotation: 0
    }
  }
}
