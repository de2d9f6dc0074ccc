import Rollcall
import RosterClient
import RosterCore
import Testing

extension RealServerTests.Handshakes {
  @Test("No contact is approved in advance if the server does not offer it")
  func preApproval() async throws {
    let stage = try await Stage(.ejabberd)
    let alice = try await stage.session("alice", isNew: true)
    let bob = try stage.jid("bob")
    await #expect(throws: LiveError.invalid(.preApprovalNotOffered)) {
      try await alice.perform(.preApprove(bob))
    }
    await alice.close()
  }

  @Test("Friends are named, grouped, blocked and removed", arguments: Servers.allCases)
  func friendship(_ kind: Servers) async throws {
    let stage = try await Stage(kind)
    let alice = try await stage.session("alice", isNew: true)
    let bob = try await stage.session("bob", isNew: true)
    let bobFull = try stage.full("bob")
    let (aliceJID, bobJID) = (try stage.jid("alice"), try stage.jid("bob"))
    try await alice.perform(.add(bobJID, name: "Bob", groups: ["Work"]))
    await stage.wait(for: bob, "no request") { $0.incoming[aliceJID] != nil }
    try await bob.perform(.add(aliceJID))
    await stage.wait(for: alice, "no request back") { $0.incoming[bobJID] != nil }
    try await alice.perform(.accept(bobJID))
    await stage.wait(for: alice, "no friend") { $0.item(bobJID)?.subscription == .both }
    try await alice.perform(.rename(bobJID, to: "鲍勃"))
    try await alice.perform(.setGroups(bobJID, ["家人", "Work"]))
    try await stage.agree(alice, bob)
    try await alice.perform(.block(bobFull))
    await stage.wait(for: alice, "not blocked") { $0.blocked.contains(bobFull) }
    try await alice.perform(.unblock(bobFull))
    await stage.wait(for: alice, "still blocked") { !$0.blocked.contains(bobFull) }
    try await alice.perform(.remove(bobJID))
    await stage.wait(for: bob, "still a friend") {
      $0.item(aliceJID)?.subscription == RosterSubscription.none
    }
    try await stage.agree(alice, bob)
    for session in [alice, bob] {
      await session.close()
      #expect(await session.failure == nil)
    }
    // The recorded logs agree.
    for (user, session) in [("alice", alice), ("bob", bob)] {
      let roster = try Timeline(ofLogAt: stage.log(user)).state(at: .head(minus: 0)).roster
      #expect(roster == (await session.roster))
      #expect(!roster.isConnected)
    }
  }
}
