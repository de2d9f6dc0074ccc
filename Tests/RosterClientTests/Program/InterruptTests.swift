import Foundation
import Rollcall
@testable import RosterClient
import TestSupport
import Testing

@Suite(
  "An interrupted recording", .timeLimit(.minutes(5)),
  .enabled(if: Certificates.isPossible, "openssl is needed"))
struct InterruptTests {
  private typealias Words = LoginScript

  /// A command that waits for an answer that never comes.
  private struct Waiting {
    let server: ScriptedServer
    let conversation: Conversation
    let log: String
    private let folder: TemporaryFolder

    init(_ script: [ScriptedServer.Turn], _ command: String, _ arguments: [String] = []) throws {
      let certificates = try Certificates.usual.get()
      server = try ScriptedServer([script], .init(context: try certificates.context()))
      folder = try TemporaryFolder()
      log = folder.file("a.rollcall")
      try Words.password.write(
        toFile: folder.file("password"), atomically: true, encoding: .utf8)
      conversation = try Conversation(
        Program.executable("rollcall-live"),
        [
          command, "alice@example.test/phone", "--server", "127.0.0.1:\(server.port)",
          "--authority", certificates.authority, "--password-file", folder.file("password"),
          "-o", log,
        ] + arguments)
    }

    /// Interrupts it once the server has received a text, and waits for its end.
    func interrupt(after heard: String) async throws {
      try await server.hears(heard)
      conversation.interrupt()
      try await Wire.wait(for: "the end") { !conversation.isRunning }
      var isClosed = false
      try Timeline(ofLogAt: log).replay(upTo: .head(minus: 0)) { moment, _ in
        if case .session(.closed) = moment.event { isClosed = true } else { isClosed = false }
      }
      #expect(isClosed, "the log does not say how it ended")
    }
  }

  @Test(
    "It ends while it waits for a silent server", arguments: ["connect", "register"])
  func start(_ command: String) async throws {
    let waiting = try Waiting([], command)
    try await waiting.interrupt(after: "<stream:stream")
    #expect(waiting.conversation.code == 2)
    #expect(waiting.conversation.output.contains("ended before the session had started"))
  }

  @Test("It ends while an order waits for its answer, and later orders are not sent")
  func order() async throws {
    let kept = "<item jid='bob@example.test' name='Bob'/>"
    let waiting = try Waiting(
      Words.online + [Words.roster(kept)], "connect",
      ["--do", "rename bob Robert", "--do", "rename bob Rob", "--exit"])
    try await waiting.interrupt(after: "name=\"Robert\"")
    #expect(waiting.conversation.code == 1)
    #expect(waiting.conversation.output.contains("rename bob Robert: it is not known whether"))
    #expect(!waiting.conversation.output.contains("rename bob Rob:"))
  }
}
