import Foundation
import Rollcall
import RollcallCLI
import RosterClient

/// The console of a session for a user who gives it orders.
@MainActor final class LiveConsole {
  private let session: LiveSession
  private let story: LiveStory
  private let timeline: Timeline
  private var isRefused = false
  private var isQuitting = false

  init(_ session: LiveSession, _ story: LiveStory, _ timeline: Timeline) {
    (self.session, self.story, self.timeline) = (session, story, timeline)
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

  /// Carries out an order and reports the result on standard error.
  private func carryOut(_ line: String) async {
    do {
      let order = try LiveOrder(line) { try timeline.contact(named: $0).jid }
      switch order {
      case .command(let command): await perform(command, line)
      case .presence(let show, let status):
        report(line, try await session.setPresence(show, status: status))
      case .message(let text, let jid):
        report(line, try await session.send(ChatMessage(text, to: jid)))
      case .correction(let text, let jid):
        let id = try timeline.lastMessage(with: jid, isOurs: true)
        let correction = ChatMessage.correction(of: id, with: text, to: JID(jid))
        report(line, try await session.send(correction))
      case .displayed(let jid):
        let id = try timeline.lastMessage(with: jid, isOurs: false)
        report(line, try await session.send(.displayed(id), to: JID(jid)))
      case .file(let path, let text, let jid):
        let bytes = try LocalFile.bytes(at: path, limit: OutgoingFile.byteLimit)
        var message = ChatMessage(text, to: jid)
        let file = try await session.upload(OutgoingFile(bytes, name: path))
        Terminal.note("\(line): uploaded \(file.size) bytes to \(file.url)")
        message.file = file
        report(line, try await session.send(message))
      case .card(let fullName, let nickname):
        try await session.setCard(fullName: fullName, nickname: nickname)
        Terminal.note("\(line): done")
      case .avatar(let path?):
        let bytes = try LocalFile.bytes(at: path, limit: OutgoingFile.byteLimit)
        try await session.setAvatar(bytes)
        Terminal.note("\(line): done")
      case .avatar(nil):
        try await session.removeAvatar()
        Terminal.note("\(line): done")
      case .help: Terminal.note(LiveOrder.guide)
      case .quit: isQuitting = true
      }
    } catch {
      refused(line, sentence(of: error))
    }
  }

  private func perform(_ command: RosterCommand, _ line: String) async {
    do throws(LiveError) {
      try await session.perform(command)
      Terminal.note("\(line): done")
    } catch {
      refused(line, "\(error)")
    }
  }

  /// Reports that a stanza was sent, and whether the server has confirmed that it has it.
  private func report(_ line: String, _ answer: StanzaAnswer) {
    switch answer {
    case .result, .acknowledged: Terminal.note("\(line): done")
    case .written: Terminal.note("\(line): sent; the server confirms nothing")
    }
  }

  private func refused(_ line: String, _ why: String) {
    isRefused = true
    Terminal.note("\(line): \(why)")
  }
}
