import Rollcall
@testable import RosterClient
import RosterCore
import Testing
import XMPPStanza

extension RealServerTests {
  /// The two ends of subscriptions in what the clients of real servers record.
  @Suite("Two ends at real servers")
  struct TwoEndsTests {
    @Test(
      "A subscription that was overwritten at one end is found, and no other",
      arguments: Servers.allCases)
    func overwritten(_ kind: Servers) async throws {
      let server = try kind.make()
      try await server.start()
      let stage = try Stage(on: server)
      let users = ["alice", "bob", "carol"]
      var sessions: [String: LiveSession] = [:]
      for user in users { sessions[user] = try await stage.session(user, isNew: true) }
      let alice = try #require(sessions["alice"])
      for user in ["bob", "carol"] {
        try await alice.perform(.add(stage.jid(user)))
        let friend = try #require(sessions[user])
        await stage.wait(for: friend, "not asked") { $0.incoming.count == 1 }
        try await friend.perform(.accept(stage.jid("alice")))
        await stage.wait(for: alice, "not asked back") { $0.incoming.count == 1 }
        try await alice.perform(.accept(stage.jid(user)))
      }
      try await stage.agree(Array(sessions.values))
      for session in sessions.values { await session.close() }

      try await server.overwrite("to", of: stage.jid("bob"), to: stage.jid("alice"))

      for user in users { sessions[user] = try await stage.session(user) }
      let again = try #require(sessions["alice"])
      let carol = try #require(sessions["carol"])
      let bob = try #require(sessions["bob"])
      // Carol's end: whatever is said must not be about her.
      let agreed = [EndsComparison.Verdict.agree(.active), .agree(.active)]
      #expect(try await stage.verdicts(again, carol) { $0 == agreed } == agreed)

      let found = try await stage.verdicts(again, bob) { verdicts in
        verdicts.contains { if case .disagree = $0 { true } else { false } }
      }
      #expect(found.last == .agree(.active), "bob still sees alice: \(found)")
      guard case .disagree(let disagreement) = found.first else {
        Issue.record("alice still sees bob: \(found)")
        return
      }
      #expect(disagreement.mismatch == .unseenEnd)
      // The server of the account that is seen decides who sees it (RFC 6121 §3.2.1).
      #expect(disagreement.right == .owner)
      // But nothing says that bob meant to end it.
      #expect(disagreement.repairs.map(\.purpose) == [.restore, .end])
      guard case .unexplained(.owner, _, isFetched: true) = disagreement.cause else {
        Issue.record("\(disagreement.cause)")
        return
      }
      for session in sessions.values { await session.close() }
      try server.stop()
    }
  }
}

extension Stage {
  /// Has two online users write to each other, so that both logs show that no earlier news is still
  /// on its way, and waits until what the logs then say about their two subscriptions is as wanted:
  /// first that of the first user, then that of the second.
  func verdicts(
    _ first: LiveSession, _ second: LiveSession,
    until isWanted: @escaping ([EndsComparison.Verdict]) -> Bool
  ) async throws -> [EndsComparison.Verdict] {
    for (sender, recipient) in [(first, second), (second, first)] {
      let jid = JID(prepared: await recipient.login.account, resource: nil)
      _ = try await sender.send(ChatMessage("so far", to: jid))
    }
    var verdicts: [EndsComparison.Verdict] = []
    _ = try await settled {
      guard let one = try await first.timeline(), let other = try await second.timeline() else {
        return "no log"
      }
      verdicts = try TwoEnds(one, upTo: .head, other, upTo: .head).comparison.directions
        .map(\.verdict)
      return isWanted(verdicts) ? nil : "\(verdicts)"
    }
    return verdicts
  }
}

extension Handshake {
  /// The end of a handshake in the logs of both users, if both are online: no log says that the
  /// ends disagree where the servers have the same at both.
  func checkEnds(_ sessions: [Part: LiveSession], on stage: Stage) async throws {
    guard let last = steps.last, let a = sessions[.a], let b = sessions[.b] else { return }
    let stages = [(last.a.asSubscriber, last.b.asOwner), (last.b.asSubscriber, last.a.asOwner)]
    guard stages.allSatisfy({ $0.0 == $0.1 }) else { return }
    let wanted = stages.map { EndsComparison.Verdict.agree($0.0) }
    // A device that no server informs knows less, and so does one that was away: a request that is
    // not sent to it again may have been answered by another device.
    let mayDoubt = steps.contains { step in
      if case .returns = step.action { true } else { !step.unseen.isEmpty }
    }
    let verdicts = try await stage.verdicts(a, b) { verdicts in
      verdicts == wanted || mayDoubt && verdicts.allSatisfy { $0 != .settling }
    }
    for (found, agreed) in zip(verdicts, wanted) where found != agreed {
      #expect(mayDoubt && found == .unknown(.notShown), "\(name): \(verdicts)")
    }
  }
}

extension Relation {
  /// How far a subscription to the other user has come.
  fileprivate var asSubscriber: SubscriptionStage {
    ["to", "both"].contains(subscription) ? .active : isOut ? .pending : .none
  }

  /// How far the other user's subscription has come.
  fileprivate var asOwner: SubscriptionStage {
    ["from", "both"].contains(subscription) ? .active : isIn ? .pending : .none
  }
}
