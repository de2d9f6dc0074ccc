import Foundation
import Rollcall
@testable import RosterClient
import RosterCore
import TestSupport
import Testing

extension RealServerTests {
  /// Two contacts whose servers are of different kinds.
  @Suite("Two linked servers")
  struct TwoServersTests {
    @Test("Friends on two servers agree, until the store of one server is overwritten")
    func overwritten() async throws {
      let servers = try ServerLink.servers()
      try await servers.prosody.start()
      defer { try? servers.prosody.stop() }
      try await servers.ejabberd.start()
      defer { try? servers.ejabberd.stop() }
      let (here, there) = (try Stage(on: servers.prosody), try Stage(on: servers.ejabberd))
      let (aliceJID, bobJID) = (try here.jid("alice"), try there.jid("bob"))
      var alice = try await here.session("alice", isNew: true)
      var bob = try await there.session("bob", isNew: true)
      try await alice.perform(.add(bobJID))
      await there.wait(for: bob, "not asked") { $0.incoming[aliceJID] != nil }
      try await bob.perform(.accept(aliceJID))
      await here.wait(for: alice, "not asked back") { $0.incoming[bobJID] != nil }
      try await alice.perform(.accept(bobJID))
      try await here.agree(alice)
      try await there.agree(bob)
      let agreed = [EndsComparison.Verdict.agree(.active), .agree(.active)]
      #expect(try await here.verdicts(alice, bob) { $0 == agreed } == agreed)
      let logs = (here.log("alice"), there.log("bob"))
      let before = try Program("between", logs.0, logs.1)
      #expect(before.code == 0, "\(before.output)\(before.errors)")
      for session in [alice, bob] { await session.close() }

      try await servers.ejabberd.overwrite("to", of: bobJID, to: aliceJID)

      alice = try await here.session("alice")
      bob = try await there.session("bob")
      let found = try await here.verdicts(alice, bob) { verdicts in
        verdicts.contains { if case .disagree = $0 { true } else { false } }
      }
      #expect(found.last == .agree(.active), "bob still sees alice: \(found)")
      let after = try Program("between", logs.0, logs.1, "--json")
      #expect(after.code == 1, "\(after.errors)")
      let directions = (try after.document)["directions"] as? [NSDictionary] ?? []
      #expect(directions.map { $0["verdict"] as? String } == ["disagree", "agree"])
      let wrong = try #require(directions.first)
      #expect(wrong["subscriber"] as? String == aliceJID.text)
      #expect(wrong["owner"] as? String == bobJID.text)
      #expect(wrong["mismatch"] as? String == SubscriptionMismatch.unseenEnd.rawValue)
      // The server of the account that is seen decides who sees it (RFC 6121 §3.2.1).
      #expect(wrong["right"] as? String == bobJID.text)
      let repairs = wrong["repairs"] as? [NSDictionary] ?? []
      #expect(repairs.map { $0["purpose"] as? String } == ["restore", "end"])
      for session in [alice, bob] { await session.close() }
    }
  }
}
