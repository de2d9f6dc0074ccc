import Foundation
import Rollcall
@testable import RosterClient
import RosterCore
import TestSupport
import Testing

extension RealServerTests {
  /// Connections that break, and sessions that continue.
  @Suite("Reconnection")
  struct Reconnection {
    @Test("A session that is cut off continues where it was", arguments: Servers.allCases)
    func cuts(_ kind: Servers) async throws {
      let stage = try await Stage(kind)
      let relay = try Relay(to: stage.server.port)
      let alice = try await stage.session("alice", isNew: true, over: relay)
      let bob = try await stage.session("bob", isNew: true)
      let (aliceJID, bobJID) = (try stage.jid("alice"), try stage.jid("bob"))
      for round in 0..<3 {
        let number = relay.connections
        relay.setDown(true)
        relay.cut()
        await stage.wait(for: alice, "not cut") { !$0.isConnected }
        // Meanwhile another user asks.
        if round == 1 { try await bob.perform(.add(aliceJID)) }
        relay.setDown(false)
        await stage.wait(for: alice, "not back") { $0.isConnected }
        #expect(relay.connections > number)
        let friend = try stage.jid("friend\(round)")
        try await alice.perform(.add(friend, name: "F\(round)"))
        try await stage.agree(alice)
      }
      await stage.wait(for: alice, "no request") { $0.incoming[bobJID] != nil }
      await alice.close()
      await bob.close()
      // Both servers support resumption.
      #expect(try Self.resumptions(stage.log("alice")) == 3)
    }

    @Test("A session that cannot be resumed is replaced by a new one", arguments: Servers.allCases)
    func anew(_ kind: Servers) async throws {
      let stage = try await Stage(kind, .brief)
      let relay = try Relay(to: stage.server.port)
      let alice = try await stage.session("alice", isNew: true, over: relay)
      let bob = try await stage.session("bob", isNew: true)
      let (aliceJID, bobJID) = (try stage.jid("alice"), try stage.jid("bob"))
      relay.setDown(true)
      relay.cut()
      await stage.wait(for: alice, "not cut") { !$0.isConnected }
      try await bob.perform(.add(aliceJID))
      // Meanwhile another device makes a change that is not pushed to the first one.
      let other = try await stage.session("alice", device: "2")
      try await other.perform(.add(stage.jid("carol"), name: "Carol"))
      relay.setDown(false)
      await stage.wait(for: alice, "no request") { $0.incoming[bobJID] != nil }
      try await stage.agree(alice, other, bob)
      for session in [alice, other, bob] { await session.close() }
      #expect(try Self.resumptions(stage.log("alice")) == 0)
    }

    @Test("A session can be closed without a connection, or with one that is not answered")
    func closing() async throws {
      let stage = try await Stage(.prosody)
      let relay = try Relay(to: stage.server.port)
      for (user, isMute) in [("alice", false), ("bob", true)] {
        relay.setMute(false)
        relay.setDown(false)
        let session = try await stage.session(user, isNew: true, over: relay)
        let number = relay.connections
        relay.setMute(isMute)
        relay.setDown(!isMute)
        relay.cut()
        await stage.wait(for: session, "not cut") { !$0.isConnected }
        while isMute, relay.connections == number { try await Task.sleep(for: .milliseconds(10)) }
        await session.close()
        #expect(await session.failure == nil)
      }
    }

    @Test("A session needs no thread of the program's pool")
    func busyProgram() async throws {
      let stage = try await Stage(.prosody)
      let relay = try Relay(to: stage.server.port)
      let alice = try await stage.session("alice", isNew: true, over: relay)
      let (loop, number) = (await alice.loop, await alice.connections)
      let blocker = ThreadPoolBlocker()
      // Nothing is awaited before the threads are released.
      relay.cut()
      let isBack = try blocker.isOnline(alice, on: loop, after: number)
      blocker.release()
      #expect(isBack)
      await alice.close()
    }

    static func resumptions(_ path: String) throws -> Int {
      var resumptions = 0
      try Timeline(ofLogAt: path).replay(upTo: .head(minus: 0)) { moment, _ in
        if case .session(.resumed) = moment.event { resumptions += 1 }
      }
      return resumptions
    }
  }
}
