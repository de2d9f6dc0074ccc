import Rollcall
import RosterClient

/// The session ended while something was waited for.
struct Unfulfilled: Error, CustomStringConvertible {
  let description: String
}

/// A chat application for one account: friends in pinyin sections, requests, conversations with
/// text, pictures and recordings, cards and avatars. Everything that it shows is from the log.
@MainActor final class ChatApplication {
  let account: BareJID
  private let session: LiveSession
  private(set) var screen: RosterSections?

  /// - Parameter log: The path of the account's log.
  init(_ login: LiveLogin, log: String) throws {
    account = login.account
    session = try LiveSession(login, recordingTo: log, keeping: .everything)
  }

  /// Logs in, with a new account if the login asks for one, and keeps the screen current.
  func logIn() async throws {
    let screens = await session.screens()
    Task { for await update in screens { screen = update.screen } }
    try await session.start()
  }

  func logOut() async { await session.close() }

  // MARK: Friends

  /// The friends by section: `L: 李雷 林黛玉`.
  var friends: [String] {
    guard let index = screen?.index else { return [] }
    return (0..<index.sectionCount).compactMap { number in
      let names = index.rows(inSection: number).compactMap { row in
        if case .contact(let contact) = row { contact.displayName } else { nil }
      }
      guard let title = index.section(number).indexTitle, !names.isEmpty else { return nil }
      return "\(title): \(names.joined(separator: " "))"
    }
  }

  /// The senders of open requests.
  var newFriends: [BareJID] {
    get async { await session.roster.incoming.map(\.key) }
  }

  func add(_ jid: BareJID, name: String) async throws {
    try await session.perform(.add(jid, name: name))
  }

  func accept(_ jid: BareJID) async throws { try await session.perform(.accept(jid)) }

  func rename(_ jid: BareJID, _ name: String) async throws {
    try await session.perform(.rename(jid, to: name))
  }

  /// Waits until the roster is as expected.
  ///
  /// - Parameters:
  ///   - what: What is waited for, for the error.
  ///   - condition: Whether the roster is as expected.
  /// - Throws: `Unfulfilled` if the session ends first.
  func waitForRoster(_ what: String, _ condition: (Roster) -> Bool) async throws {
    for await update in await session.updates() where condition(update.roster) { return }
    throw await unfulfilled(what)
  }

  /// Waits until the contacts screen has friends.
  func waitForFriends() async throws {
    for await update in await session.screens() {
      screen = update.screen
      if !friends.isEmpty { return }
    }
    throw await unfulfilled("friends on the screen")
  }

  private func unfulfilled(_ what: String) async -> Unfulfilled {
    let end = await session.failure.map { "\($0)" } ?? "it was closed"
    return Unfulfilled(description: "\(account): no \(what) before the session ended: \(end)")
  }

  // MARK: Conversations

  /// What happened up to a moment.
  func history(at point: LogPoint = .head) async throws -> ChatHistory? {
    try await session.timeline()?.chats(at: point)
  }

  /// The messages with a friend at a moment.
  func chat(
    with jid: BareJID, at point: LogPoint = .head
  ) async throws -> [ChatEntry] {
    try await history(at: point)?.chat(with: jid)?.messages ?? []
  }

  /// - Returns: The message, for a correction.
  @discardableResult
  func say(_ text: String, to jid: BareJID) async throws -> ChatMessage {
    let message = ChatMessage(text, to: try JID(bare: jid, resource: nil))
    try await session.send(message)
    return message
  }

  func correct(_ message: ChatMessage, to text: String) async throws {
    try await session.send(message.corrected(to: text))
  }

  /// Sends a picture, a recording or another file.
  func send(_ bytes: [UInt8], name: String, to jid: BareJID) async throws {
    let recipient = try JID(bare: jid, resource: nil)
    try await session.send(OutgoingFile(bytes, name: name), to: recipient)
  }

  /// The user looks at a conversation: everything in it is read, and the friend is told.
  func open(_ jid: BareJID) async throws {
    let unread = try await chat(with: jid).last { !$0.isOurs && !$0.isRead }
    guard let id = unread?.stanzaID else { return }
    try await session.send(.displayed(id), to: JID(bare: jid, resource: nil))
  }

  /// Waits until a stanza that arrives leads to this.
  ///
  /// - Parameters:
  ///   - what: What is waited for, for the error.
  ///   - condition: Whether the history is as expected.
  /// - Throws: `Unfulfilled` if the session ends first.
  func waitForChat(_ what: String, _ condition: (ChatHistory) -> Bool) async throws {
    let arriving = await session.stanzas()
    if let history = try await history(), condition(history) { return }
    for await _ in arriving {
      if let history = try await history(), condition(history) { return }
    }
    throw await unfulfilled(what)
  }

  // MARK: Cards and avatars

  func introduce(as name: String, _ picture: [UInt8]) async throws {
    try await session.setCard(fullName: name, nickname: name)
    try await session.setAvatar(picture)
  }

  /// Asks for the card of a friend; the history has it from then on.
  func fetchCard(of jid: BareJID) async throws {
    try await session.send(
      .element(
        "iq", "jabber:client", [("type", "get"), ("to", jid.text)],
        [.element("vCard", "vcard-temp")]))
  }

  /// Asks for the picture that a friend has published (XEP-0084).
  ///
  /// - Returns: The picture in Base64.
  func fetchPicture(of jid: BareJID) async throws -> String? {
    let pubsub = "http://jabber.org/protocol/pubsub"
    let items = XMPPElement.element("items", pubsub, [("node", "urn:xmpp:avatar:data")])
    let request = XMPPElement.element(
      "iq", "jabber:client", [("type", "get"), ("to", jid.text)],
      [.element("pubsub", pubsub, [], [items])])
    guard case .result(let answer, _) = try await session.send(request) else { return nil }
    return answer.firstChild("pubsub", in: pubsub)?.firstChild("items", in: pubsub)?
      .firstChild("item", in: pubsub)?.firstChild("data", in: "urn:xmpp:avatar:data")?.ownText
  }
}
