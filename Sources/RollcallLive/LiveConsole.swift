import Foundation
import Rollcall
import RollcallCLI
import RosterClient

/// The console of a session for a user who gives it orders.
@MainActor final class LiveConsole {
  private let session: LiveSession
  private let story: LiveStory
  private let timeline: Timeline
  /// The path of the log.
  private let log: String
  private var isRefused = false
  private var isQuitting = false

  init(_ session: LiveSession, _ story: LiveStory, _ timeline: Timeline, log: String) {
    (self.session, self.story, self.timeline, self.log) = (session, story, timeline, log)
  }

  /// Prints what happens and carries out orders, until the end.
  ///
  /// - Returns: Whether the server, or the roster itself, refused one of the orders.
  func run(_ orders: [String], endsThen: Bool) async throws -> Bool {
    let updates = await session.updates()
    let telling = Task { @MainActor in
      for await _ in updates { try story.update() }
    }
    await Ending.cancels {
      for order in orders where !Task.isCancelled { await self.carryOut(order) }
      // The server answers the ping after the effects of the orders, so these are printed first.
      if endsThen { try? await self.session.ping() }
    }
    if !endsThen {
      let input = endOfInput()
      while !isQuitting, !Ending.isAsked, await session.failure == nil {
        try await Task.sleep(for: .milliseconds(100))
        // A message is no update of the roster.
        try story.update()
        try story.settle()
      }
      input.cancel()
    }
    await session.close()
    try await telling.value
    try story.update()
    try story.finish()
    return isRefused
  }

  /// Carries out orders from standard input, line by line.
  private func endOfInput() -> Task<Void, Never> {
    let lines = AsyncStream<String> { continuation in
      // Reading blocks, so it has its own thread.
      Thread.detachNewThread {
        while let line = readLine() { continuation.yield(line) }
        continuation.finish()
      }
    }
    return Task { @MainActor in
      for await line in lines where !line.trimmingCharacters(in: .whitespaces).isEmpty {
        await carryOut(line)
      }
    }
  }

  /// Carries out an order, and says what it did on standard error.
  private func carryOut(_ line: String) async {
    do {
      let order = try LiveOrder(line) { try timeline.contact(named: $0).jid }
      if let reply = try await reply(to: order) { Terminal.note(reply) }
    } catch {
      isRefused = true
      Terminal.note("\(line): \(sentence(of: error))")
    }
  }

  /// Carries out an order.
  ///
  /// - Returns: What it did; nil if that was printed.
  private func reply(to order: LiveOrder) async throws -> String? {
    switch order {
    case .command(let command): return try await perform(command)
    case .presence(let show, let status):
      let answer = try await session.setPresence(show, status: status)
      return answer.reply("you are \(show.rawValue)" + (status.map { ": \($0)" } ?? ""))
    case .message(let text, let jid):
      return try await session.send(ChatMessage(text, to: jid)).reply("sent to \(jid)")
    case .correction(let text, let jid):
      let id = try timeline.lastMessage(with: jid, isOurs: true)
      let correction = ChatMessage.correction(of: id, with: text, to: JID(jid))
      return try await session.send(correction).reply("corrected the last message to \(jid)")
    case .displayed(let jid):
      let id = try timeline.lastMessage(with: jid, isOurs: false)
      return try await session.send(.displayed(id), to: JID(jid))
        .reply("told \(jid) that you have read its messages")
    case .file(let path, let text, let jid): return try await send(path, text, to: jid)
    case .card(let fullName, let nickname):
      try await session.setCard(fullName: fullName, nickname: nickname)
      return "published your card"
    case .avatar(let path?):
      let bytes = try LocalFile.bytes(at: path, limit: OutgoingFile.byteLimit)
      try await session.setAvatar(bytes)
      return "published your picture"
    case .avatar(nil):
      try await session.removeAvatar()
      return "removed your picture"
    case .question(let command, let words):
      try story.update()
      try story.settle()
      if LogQuestion.ask([command, log] + words) != 0 { isRefused = true }
    case .who(let jid): try await say(whoIs: jid)
    case .help(let form): return form?.help ?? OrderForm.guide
    case .quit: isQuitting = true
    }
    return nil
  }

  private func perform(_ command: RosterCommand) async throws -> String {
    // What the session will decide, for the words; if it is refused, `perform` says so.
    let sent = try? RosterDecider(wantsMutualFriends: true)
      .decide(command, on: await session.roster) { String($0) }
    try await session.perform(command)
    return command.reply(sending: sent ?? [])
  }

  private func send(_ path: String, _ text: String, to jid: JID) async throws -> String {
    let bytes = try LocalFile.bytes(at: path, limit: OutgoingFile.byteLimit)
    var message = ChatMessage(text, to: jid)
    let file = try await session.upload(OutgoingFile(bytes, name: path))
    Terminal.note("uploaded \(file.size) bytes to \(file.url)")
    message.file = file
    return try await session.send(message).reply("sent \(path) to \(jid)")
  }

  private func say(whoIs jid: BareJID?) async throws {
    let roster = await session.roster
    let lines = jid.map { roster.devices(of: $0) } ?? roster.whoIsOnline
    let nothing =
      jid.map { "\($0) is offline, or does not show its presence" } ?? "no contact is online"
    try Terminal.say(lines.isEmpty ? [nothing] : lines)
  }
}
