import Rollcall
@testable import RosterClient
import TestSupport
import Testing

extension RealServerTests {
  /// Creating accounts, and changing their passwords.
  @Suite("Accounts")
  struct Accounts {
    /// The failure of a login; nil if it succeeds.
    private func failure(_ stage: Stage, _ login: LiveLogin) async throws -> LiveFailure? {
      do throws(LiveFailure) {
        let session = try LiveSession(login)
        try await session.start()
        await session.close()
        return nil
      } catch {
        return error
      }
    }

    private func isRefused(_ failure: LiveFailure?) -> Bool {
      if case .notAuthorized("not-authorized", _)? = failure { true } else { false }
    }

    @Test("A name that is taken is refused", arguments: Servers.allCases)
    func taken(_ kind: Servers) async throws {
      let stage = try await Stage(kind)
      let login = try stage.login("alice", isNew: true)
      #expect(try await failure(stage, login) == nil)
      var other = login
      other.password = Password("of another user")
      guard case .registrationRefused("conflict", _)? = try await failure(stage, other) else {
        Issue.record("it is not refused")
        return
      }
      other.registers = false
      #expect(isRefused(try await failure(stage, other)))
    }

    @Test("A session continues with a new password", arguments: Servers.allCases)
    func change(_ kind: Servers) async throws {
      let stage = try await Stage(kind)
      let relay = try Relay(to: stage.server.port)
      let alice = try await stage.session("alice", isNew: true, over: relay)
      try await alice.changePassword(to: Password("another"))
      try await alice.perform(.add(stage.jid("bob"), name: "Bob"))
      let old = try stage.login("alice")
      var new = old
      new.password = Password("another")
      #expect(isRefused(try await failure(stage, old)))
      #expect(try await failure(stage, new) == nil)
      // It also reconnects with the new one.
      let number = relay.connections
      relay.cut()
      await stage.wait(for: alice, "not cut") { !$0.isConnected }
      await stage.wait(for: alice, "not back") { $0.isConnected }
      #expect(relay.connections > number)
      try await stage.agree(alice)
      await alice.close()
      #expect(await alice.failure == nil)
    }

    @Test("A session ends if its password was changed elsewhere", arguments: Servers.allCases)
    func changedElsewhere(_ kind: Servers) async throws {
      let stage = try await Stage(kind)
      let relay = try Relay(to: stage.server.port)
      let alice = try await stage.session("alice", isNew: true, over: relay)
      let other = try await stage.session("alice", device: "2")
      // Prosody ends the account's other sessions at once, so this one may have reconnected
      // already.
      try await other.changePassword(to: Password("another"))
      relay.cut()
      #expect(await stage.withTimeout { await alice.waitUntilEnded() } != nil)
      let failure = await alice.failure
      #expect(isRefused(failure), "\(failure as Any)")
      // However often it was cut, it does not try the old password again once it was refused.
      let records = try Recorded(stage.log("alice")).records
      let refusals = records.filter { $0.text.hasPrefix("<failure") }
      #expect(refusals.count == 1)
      try await other.perform(.add(stage.jid("bob"), name: "Bob"))
      try await stage.agree(other)
      await other.close()
    }

    @Test(
      "Names and passwords may use letters of any script", arguments: Servers.allCases,
      [
        ("jürgen", "pässwörd"), ("李雷", "密码 密码"),
        // Equivalent forms, which SASLprep maps to one (RFC 4013).
        ("ame\u{301}lie", "ﬁve\u{AD}\u{A0}①"),
      ])
    func letters(_ kind: Servers, _ account: (user: String, password: String)) async throws {
      let stage = try await Stage(kind)
      var login = try stage.login(account.user, isNew: true)
      login.password = Password(account.password)
      #expect(try await failure(stage, login) == nil)
      login.registers = false
      let alice = try await stage.session(login, recordingTo: stage.log("alice"))
      try await alice.perform(.add(stage.jid("zoë"), name: "Zoë"))
      try await stage.agree(alice)
      // The prepared form logs in as well.
      login.password = Password(try SASLPrep.prepare(account.password, as: .password))
      #expect(try await failure(stage, login) == nil)
      await alice.close()
    }
  }
}
