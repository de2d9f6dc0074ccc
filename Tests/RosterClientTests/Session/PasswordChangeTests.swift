import Rollcall
@testable import RosterClient
import TestSupport
import Testing

@Suite("A changed password") struct LivePasswordTests {
  private enum Event {
    case asked, done, refusedChange
    case refused(isAnotherLeft: Bool)
    case accepted(isResumed: Bool)
  }

  /// What happens after the first login with the old password, the password tried next, and whether
  /// another change has to wait.
  private static let cases: [(String, [Event], tried: String, isOpen: Bool)] = [
    ("nothing", [], "old", false),
    ("it is refused once", [.refused(isAnotherLeft: false)], "old", false),
    ("changed", [.asked, .done], "new", false),
    ("not changed", [.asked, .refusedChange], "old", false),
    ("unanswered", [.asked], "new", true),
    ("the new one is accepted", [.asked, .accepted(isResumed: true)], "new", false),
    ("the new one is refused", [.asked, .refused(isAnotherLeft: true)], "old", true),
    (
      "both are refused", [.asked, .refused(isAnotherLeft: true), .refused(isAnotherLeft: false)],
      "old", true
    ),
    (
      "the old one is accepted",
      [.asked, .refused(isAnotherLeft: true), .accepted(isResumed: false)],
      "old", false
    ),
    (
      "asked again as the session is resumed",
      [.asked, .refused(isAnotherLeft: true), .accepted(isResumed: true)], "new", true
    ),
    (
      "and answered then",
      [.asked, .refused(isAnotherLeft: true), .accepted(isResumed: true), .done], "new", false
    ),
  ]

  @Test("Either may be the right one until the server has shown which", arguments: cases.indices)
  func either(_ index: Int) {
    let (what, events, tried, isOpen) = Self.cases[index]
    var passwords = LivePasswords(Password("old"))
    passwords.accepted(isResumed: false)
    for event in events {
      switch event {
      case .asked: passwords.asked(for: Password("new"), as: "r1")
      case .done: passwords.answered("r1", isDone: true)
      case .refusedChange: passwords.answered("r1", isDone: false)
      case .refused(let isAnotherLeft):
        let isLeft = passwords.refused()
        #expect(isLeft == isAnotherLeft, "\(what)")
      case .accepted(let isResumed): passwords.accepted(isResumed: isResumed)
      }
      passwords.answered("another", isDone: true)
    }
    #expect(passwords.passwordToTry.isSame(as: tried), "\(what)")
    #expect(passwords.isChanging == isOpen, "\(what)")
  }
}

@Suite(
  "A change of the password whose answer is lost", .timeLimit(.minutes(5)),
  .enabled(if: Certificates.isPossible, "openssl is needed"))
struct PasswordChangeTests {
  private typealias Words = LoginScript
  private typealias Turn = ScriptedServer.Turn

  private static let asked =
    Words.online + [Words.roster(), Turn(heard: "jabber:iq:register", said: "", closes: true)]

  private static func knowing(_ password: String) -> [Turn] {
    Words.startTLS + Words.login(knowing: password) + [
      Words.binding(), Words.bound, Words.roster(then: "</stream:stream>"),
    ]
  }

  private func change(_ session: LiveSession) async throws {
    await #expect(throws: LiveFailure.lost(reason: "it was closed")) {
      try await session.changePassword(to: Password("another"))
    }
    await session.waitUntilEnded()
  }

  @Test("If the server has set the new password, the session continues with it")
  func taken() async throws {
    let attack = try Attack(Self.asked, Self.knowing("another"), Words.last)
    let result = try await attack.run(change)
    #expect(result.failure == .stream(condition: "host-gone", text: nil))
    #expect(result.heard.count == 3)
  }

  @Test("If the server has not set it, the session continues with the old one")
  func notTaken() async throws {
    let attack = try Attack(
      Self.asked, Self.knowing(Words.password), Self.knowing(Words.password), Words.last)
    let result = try await attack.run(change)
    #expect(result.failure == .stream(condition: "host-gone", text: nil))
    #expect(result.heard.count == 4)
  }

  @Test("If the server accepts neither, the session ends after trying each once")
  func neither() async throws {
    let result = try await Attack(Self.asked, Self.knowing("a third")).run(change)
    #expect(result.failure == .notAuthorized(condition: "not-authorized", text: nil))
    #expect(result.heard.count == 3)
  }

  @Test("A change has to wait for the answer to the previous one")
  func concurrent() async throws {
    let silent = Words.online + [Words.roster(), Turn(heard: "jabber:iq:register", said: "")]
    _ = try await Attack(silent).run { session in
      let first = Task { try await session.changePassword(to: Password("another")) }
      while await session.pendingRequests.isEmpty { await Task.yield() }
      await #expect(throws: LiveFailure.passwordChangePending) {
        try await session.changePassword(to: Password("a third"))
      }
      await session.close()
      await #expect(throws: LiveFailure.self) { try await first.value }
    }
  }
}
