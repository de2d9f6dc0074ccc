import Rollcall

/// The contacts of a chat application: friends in pinyin sections, new friends with a badge, and
/// the commands of the user. All lasting state is in the log.
final class ChatRoster {
  private let session: RosterSession
  private let now: () -> Int64
  private let write: ([UInt8]) throws -> Void
  private let table: TableView
  private(set) var screen: RosterSections
  /// The server's answer to each command so far.
  private(set) var answers: [CommandID: CommandAnswer.Outcome] = [:]
  /// What has happened since the application was opened.
  private var changes: [RosterChange] = []

  /// - Parameters:
  ///   - log: The path of the log, which is created if it does not exist.
  ///   - table: The view that shows the friends.
  ///   - write: Sends bytes to the server.
  init(
    log: String, table: TableView, now: @escaping () -> Int64,
    write: @escaping ([UInt8]) throws -> Void
  ) throws {
    session = try RosterSession(recordingTo: log)
    screen = RosterSections(session.roster)
    (self.table, self.now, self.write) = (table, now, write)
    table.reload(screen)
  }

  // MARK: The stream

  /// Logs in: the header, SASL, and a resource.
  func logIn(_ user: String, token: String) throws {
    let header =
      "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' "
      + "to='example.test' version='1.0'>"
    try send(header)
    try send(
      "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>\(token)</auth>")
    try send(header)
    try send(
      "<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
        + "<resource>\(user)</resource></bind></iq>")
  }

  /// Handles bytes from the socket, in chunks of any size.
  func received(_ bytes: some Sequence<UInt8>) throws {
    for step in try session.received(bytes, at: now()) {
      show(step)
      let isOnline = step.outcome.changes.contains {
        $0.values == .connected(before: false, after: true)
      }
      guard isOnline else { continue }
      try perform(.fetch)
      try send("<presence/>")
    }
    for answer in session.acknowledgements { try send(answer.bytes) }
  }

  /// The connection was lost.
  func disconnected() throws {
    for step in try session.closed(at: now()) { show(step) }
    try session.close()
  }

  private func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Records before it sends, so that everything that was sent is in the log.
  private func send(_ bytes: [UInt8]) throws {
    for step in try session.sent(bytes, at: now()) { show(step) }
    try write(bytes)
  }

  // MARK: Display

  private func show(_ step: SessionStep) {
    changes += step.outcome.changes
    for answer in step.answers { answers[answer.command] = answer.outcome }
    let rows = screen.rows(touchedBy: step.outcome.changes)
    table.apply(screen.update(rows, from: session.roster), screen)
  }

  /// The senders of open requests: the address, the nickname and the text of the request.
  var newFriends: [(jid: BareJID, name: String, words: String?)] {
    session.roster.incoming.map { jid, request in
      (jid, request.nickname ?? jid.text, request.status)
    }
  }

  /// The number on the badge.
  var badge: Int { session.roster.unseenRequestCount }

  /// Marks the new friends as seen by the user.
  func openNewFriends() throws {
    for step in try session.markAllRequestsSeen(at: now()) { show(step) }
  }

  /// The names of the friends that match a search.
  func search(_ text: String) -> [String] {
    screen.index.search(NameQuery(text)).map(\.displayName)
  }

  // MARK: Commands

  func add(_ jid: BareJID, name: String, message: String) throws {
    try perform(.add(jid, name: name, message: message))
  }
  func accept(_ jid: BareJID) throws { try perform(.accept(jid)) }
  func reject(_ jid: BareJID) throws { try perform(.reject(jid)) }
  func delete(_ jid: BareJID) throws { try perform(.remove(jid)) }
  func rename(_ jid: BareJID, _ name: String) throws -> CommandID {
    try perform(.rename(jid, to: name))
  }
  func move(_ jid: BareJID, to groups: [String]) throws { try perform(.setGroups(jid, groups)) }
  func renameGroup(_ old: String, _ new: String) throws { try perform(.renameGroup(old, to: new)) }
  func star(_ jid: BareJID) throws {
    for step in try session.annotate(.starred(jid, true), at: now()) { show(step) }
  }

  /// Takes back what was changed last of a contact, of what can be taken back.
  func undo(_ jid: BareJID) throws {
    let inverse = changes.last { $0.contact == jid && $0.inverse != nil }?.inverse
    if let inverse { try perform(inverse) }
  }

  /// Throws a `CommandRefusal` with a sentence for the user if the command is refused.
  @discardableResult
  private func perform(_ command: RosterCommand) throws -> CommandID {
    let decided = try session.decide(command)
    for element in decided.elements { try send(element.bytes) }
    return decided.id
  }

  // MARK: History

  /// Everything that happened to a contact, one line each.
  func story(of jid: BareJID) throws -> [String] {
    var lines: [String] = []
    try session.timeline()?.history(of: jid) { entry, _ in
      lines += entry.changes.map { "#\($0.record) \($0.mark) \($0.clause)" }
    }
    return lines
  }

  /// Why a contact is or is not a friend.
  func whyFriend(_ jid: BareJID) throws -> [String] {
    try session.timeline()?.explanation(of: jid)?.explanation[.friend]?.reasons.map(\.sentence)
      ?? []
  }
}
