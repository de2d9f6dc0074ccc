import DequeModule
package import XMPPStanza

/// Finds out whose each connection of a capture is, and lets one account's records pass.
///
/// The account is known from the capture's header, the bind result, SASL 2, a lifecycle record,
/// or, where the log begins in mid-session or does not show it, from the address that the server
/// sends stanzas to or says a session to have.
/// Records before that are held back, and so is what comes after them: the order stays. A
/// connection that ends without having said whose it is belongs to nobody, unless the capture has
/// one connection only: then it belongs to the account that another session of it names, and where
/// none does, all passes.
///
/// Where nothing that passes says whose it is, because it was inferred or chosen, a header that
/// says so goes before it: who may push and who may answer depends on it.
package struct AccountFilter {
  /// Every account that the capture names, sorted. Where `chosen` was nil and these are several,
  /// the caller asks the user which; nothing has passed but records of one of them.
  package var accounts: [BareJID] { found.sorted() }
  /// The records dropped because nothing said whose they are.
  package private(set) var unattributed = 0
  /// Whether one connection has elements of several accounts at a time, as where a program with
  /// several clients writes one log: nothing then says who sent what.
  package private(set) var isMixed = false

  private struct Session {
    let connection: String
    var account: BareJID?
    /// Whether the account was told, by this session or the capture's header, and not inferred.
    var isNamed = false
    /// The resource that the server sends to, unless the session says whose it is.
    var resource: String?
    /// What the server sends to, where it is no full address.
    var hint: BareJID?
    var isOver = false
  }

  private struct Held {
    let record: CapturedRecord
    let session: Int
  }

  private let chosen: BareJID?
  private var found: Set<BareJID> = []
  /// The account of the whole capture, where its header says it.
  private var headerAccount: BareJID?
  private var isInboundOnly = false
  /// Whether what has passed says whose it is.
  private var isAnnounced = false
  private var sessions: [Int: Session] = [:]
  private var current: [String: Int] = [:]
  private var lastSession = 0
  private var held: Deque<Held> = []
  private var heldBytes = 0
  private var firstName: String?
  private var hasSeveralNames = false
  /// How many sessions are known before those that are over are forgotten.
  private var sessionsToKeep = 1000

  /// How much may wait for one connection to say whose it is.
  private static let maximumHeld = 10_000
  private static let maximumHeldBytes = 16 << 20

  /// The connection whose elements just pass: it is known whose it is, and nothing is held back.
  private var settled: String?

  /// A filter that lets pass one account's records; without one, those of the only account.
  package init(account: BareJID?) {
    chosen = account
  }

  /// Whether all elements of a connection just pass, whatever they say.
  ///
  /// Mutating, so that the filter is asked where it stands: to copy it takes longer.
  package mutating func passesElements(of connection: String) -> Bool {
    headerAccount != nil && settled == connection
  }

  /// Takes the next record and hands over those whose time has come.
  package mutating func take(
    _ record: CapturedRecord, _ sink: (CapturedRecord) throws -> Void
  ) rethrows {
    if let settled {
      if settled == record.connection, case .element = record.content,
        !isOfAnother(record)
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
      sessions[first.session]?.isOver = true
      try release(all: false, sink)
    }
    settle(record, session)
  }

  /// Notes where all that is looked at in the elements of a connection is known already.
  private mutating func settle(_ record: CapturedRecord, _ session: Int) {
    guard held.isEmpty, isAnnounced, let account = sessions[session]?.account, passes(account),
      current[record.connection] == session
    else { return }
    settled = record.connection
  }

  /// Says that the capture has ended, and hands over what still waits.
  package mutating func finish(_ sink: (CapturedRecord) throws -> Void) rethrows {
    try release(all: true, sink)
  }

  // MARK: Sessions

  /// The session that a record belongs to: a connection's name may be used again.
  private mutating func session(of record: CapturedRecord) -> Int {
    firstName = firstName ?? record.connection
    if firstName != record.connection { hasSeveralNames = true }
    if case .streamHeader = record.content, let id = current[record.connection],
      sessions[id]?.account != nil || sessions[id]?.hint != nil
    {
      // After binding no new header comes on a stream: this is another.
      end(record.connection)
    }
    if let id = current[record.connection], let session = sessions[id], headerAccount == nil,
      let bound = Self.account(in: record.content), Self.isAnother(bound, than: session)
    {
      // Not every log has the headers of its streams.
      end(record.connection)
    }
    if let id = current[record.connection] { return id }
    lastSession += 1
    current[record.connection] = lastSession
    sessions[lastSession] = Session(
      connection: record.connection, account: headerAccount, isNamed: headerAccount != nil)
    return lastSession
  }

  /// Whether an account that a login names is not the session's. One that was inferred may have
  /// been written otherwise.
  private static func isAnother(_ bound: BareJID, than session: Session) -> Bool {
    guard let account = session.account else { return false }
    return session.isNamed ? bound != account : areTwo(bound, account)
  }

  /// Whether an element of the connection whose elements just pass says that it is another
  /// account's.
  private func isOfAnother(_ record: CapturedRecord) -> Bool {
    guard headerAccount == nil, let id = current[record.connection],
      let own = sessions[id]?.account
    else { return false }
    if let account = Self.account(in: record.content), account != own { return true }
    guard case .element(.inbound, let node, _) = record.content,
      let address = node.attribute("to"), !address.isFullAddress(of: own),
      let to = Self.recipient(of: record.content)
    else { return false }
    return Self.areTwo(to.bare, own) && (to.resource != nil || found.contains(to.bare))
  }

  private mutating func end(_ connection: String) {
    guard let id = current.removeValue(forKey: connection), !connection.isEmpty else { return }
    sessions[id]?.isOver = true
  }

  private mutating func learn(from record: CapturedRecord, _ id: Int) {
    if case .lifecycle(.header(let account, let inboundOnly)) = record.content {
      headerAccount = account?.bare ?? headerAccount
      isInboundOnly = inboundOnly
    }
    if let account = headerAccount ?? Self.account(in: record.content) {
      sessions[id]?.isNamed = true
      name(account, id)
    } else if let hint = record.owner ?? Self.recipient(of: record.content) {
      if hint.resource != nil, let own = sessions[id]?.account, Self.areTwo(own, hint.bare) {
        // The server sends nothing to a session that is for another account's.
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
      .lifecycle(.unverified), .lifecycle(.authenticated), .streamEnd,
      .annotation, .unreadable:
      nil
    }
  }

  /// Whom the server sends a stanza to.
  private static func recipient(of content: CapturedRecord.Content) -> JID? {
    guard case .element(.inbound, let node, _) = content,
      node.name.namespace == Namespace.client, let to = node.attribute("to"),
      ["iq", "message", "presence"].contains(node.name.local),
      let jid = try? JID(parsing: to.trimmedOfXMLSpace), jid.bare.local != nil
    else { return nil }
    return jid
  }

  /// Whether two addresses are certainly of two accounts: where somebody put marks such as
  /// `[server]` in place of domains, one account may have several of them.
  private static func areTwo(_ a: BareJID, _ b: BareJID) -> Bool {
    a != b && isDomain(a.domain) && isDomain(b.domain)
  }

  /// Letters, digits, dots and hyphens, or an address of IPv6 in brackets.
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
      let isDecided = all || session.isOver
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
      if !isAnnounced { isAnnounced = Self.names(next.record.content) }
      try sink(next.record)
    }
  }

  /// Says whose the records are, where none of them does.
  ///
  /// - Parameter resource: What the server sends to, which binds it as well as a bind result does.
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

  private static func names(_ content: CapturedRecord.Content) -> Bool {
    if case .lifecycle(.header(let account, _)) = content { return account != nil }
    return account(in: content) != nil
  }

  private func passes(_ account: BareJID) -> Bool {
    if let chosen { return account == chosen }
    return found.count == 1
  }

  /// Whether there is one connection only, and nothing in the capture says whose it is, or all of
  /// it is of one account and ends before its last session says so.
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
  /// Whether it is certainly, as most are, the account's address with some resource.
  fileprivate func isFullAddress(of account: BareJID) -> Bool {
    let name = account.text.utf8
    return utf8.starts(with: name) && utf8.dropFirst(name.count).first == UInt8(ascii: "/")
  }
}

extension CapturedRecord {
  /// About what it takes to hold the record.
  var bytes: Int {
    switch content {
    case .element(_, _, let bytes), .streamHeader(_, _, let bytes): 2 * bytes.count
    case .unreadable(let bytes): bytes.kept?.count ?? 0
    case .lifecycle, .streamEnd, .annotation: 0
    }
  }
}
