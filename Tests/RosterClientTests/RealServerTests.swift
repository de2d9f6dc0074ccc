import Foundation
import Rollcall
@testable import RosterClient
import RosterCore
import TestSupport
import Testing

/// A client against servers as people run them.
@Suite(
  "Against real servers", .serialized,
  .enabled(if: Servers.arePossible, "Prosody and ejabberd are needed"))
struct RealServerTests {
  /// A session that has made its account.
  private func begin(
    _ user: String, on server: any RealServer, in folder: TemporaryFolder, isDirect: Bool = false
  ) async throws -> LiveSession {
    var login = try server.login(user, isDirect: isDirect)
    login.registers = true
    let session = try LiveSession(login, recordingTo: folder.file("\(user).rollcall"))
    try await session.start()
    return session
  }

  /// What an account's log and its server say of its contacts; both are asked until they agree, for
  /// a while: the server's last word may be under way.
  private func agree(_ session: LiveSession, _ user: String, _ server: any RealServer) async throws
  {
    for attempt in 0..<100 {
      let items = await session.roster.entries.values.map(\.item)
      let own = Dictionary(uniqueKeysWithValues: items.map { ($0.jid.text, StoredContact($0)) })
      let theirs = try server.roster(of: user)
      if own == theirs { return }
      guard attempt < 99 else {
        Issue.record("\(server.domain): \(user) has \(own), the server \(theirs)")
        return
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Waits until a roster is as it is to be.
  private func await_(
    _ session: LiveSession, _ what: Comment, _ isRight: @escaping @Sendable (Roster) -> Bool
  ) async {
    let updates = await session.updates()
    let isSeen = await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await update in updates where isRight(update.roster) { return true }
        return false
      }
      group.addTask {
        // Far longer than any server takes, also where all tests run at once.
        try? await Task.sleep(for: .seconds(300))
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
    if !isSeen { Issue.record("\(what): \(await session.failure as Any)") }
  }

  /// A session whose network a test can break.
  private func begin(
    _ user: String, on server: any RealServer, over relay: Relay, in folder: TemporaryFolder
  ) async throws -> LiveSession {
    var login = try server.login(user)
    login.registers = true
    login.server = ServerAddress(host: "127.0.0.1", port: relay.port, isDirectTLS: false)
    var patience = LivePatience()
    patience.reconnection = 0.01
    let session = try LiveSession(
      login, recordingTo: folder.file("\(user).rollcall"), limits: SessionLimits(),
      patience: patience)
    try await session.start()
    return session
  }

  @Test("A session that is cut goes on where it was", arguments: Servers.allCases)
  func cuts(_ kind: Servers) async throws {
    let server = try kind.make()
    try await server.start()
    let folder = try TemporaryFolder()
    let relay = try Relay(to: server.port)
    let alice = try await begin("alice", on: server, over: relay, in: folder)
    let bob = try await begin("bob", on: server, in: folder)
    let (aliceJID, bobJID) = (try server.jid("alice"), try server.jid("bob"))
    for round in 0..<3 {
      let number = relay.connections
      relay.setDown(true)
      relay.cut()
      await await_(alice, "not cut") { !$0.isConnected }
      // Meanwhile another user asks.
      if round == 1 { #expect(try await bob.perform(.add(aliceJID)) == .result) }
      relay.setDown(false)
      await await_(alice, "not back") { $0.isConnected }
      #expect(relay.connections > number)
      let friend = try server.jid("friend\(round)")
      #expect(try await alice.perform(.add(friend, name: "F\(round)")) == .result)
      try await agree(alice, "alice", server)
    }
    await await_(alice, "no request") { $0.incoming[bobJID] != nil }
    await alice.close()
    await bob.close()
    let log = try Timeline(ofLogAt: folder.file("alice.rollcall"))
    var resumptions = 0
    try log.replay(upTo: .head(minus: 0)) { moment, _ in
      if case .session(.resumed) = moment.event { resumptions += 1 }
    }
    // Both servers can.
    #expect(resumptions == 3)
    try server.stop()
  }

  @Test("A session is closed while it has no connection, or has one that nobody answers")
  func closing() async throws {
    let server = try Prosody()
    try await server.start()
    let folder = try TemporaryFolder()
    let relay = try Relay(to: server.port)
    for (user, isMute) in [("alice", false), ("bob", true)] {
      relay.setMute(false)
      relay.setDown(false)
      let session = try await begin(user, on: server, over: relay, in: folder)
      let number = relay.connections
      relay.setMute(isMute)
      relay.setDown(!isMute)
      relay.cut()
      await await_(session, "not cut") { !$0.isConnected }
      while isMute, relay.connections == number { try await Task.sleep(for: .milliseconds(10)) }
      await session.close()
      #expect(await session.failure == nil)
    }
  }

  @Test("A session needs no thread of the program's")
  func busyProgram() async throws {
    let server = try Prosody()
    try await server.start()
    let folder = try TemporaryFolder()
    let relay = try Relay(to: server.port)
    let alice = try await begin("alice", on: server, over: relay, in: folder)
    let (loop, number) = (await alice.loop, await alice.connections)
    let crowd = Crowd()
    // Nothing is awaited before the crowd has gone.
    relay.cut()
    let isBack = try crowd.sees(alice, on: loop, after: number)
    crowd.leave()
    #expect(isBack)
    await alice.close()
    try server.stop()
  }

  @Test("A server that goes and comes back finds its client again", arguments: Servers.allCases)
  func restart(_ kind: Servers) async throws {
    let server = try kind.make()
    try await server.start()
    let folder = try TemporaryFolder()
    let relay = try Relay(to: server.port)
    let alice = try await begin("alice", on: server, over: relay, in: folder)
    #expect(try await alice.perform(.add(server.jid("bob"), name: "Bob")) == .result)
    try await agree(alice, "alice", server)
    try server.stop()
    await await_(alice, "not cut") { !$0.isConnected }
    try await server.start()
    await await_(alice, "not back") { $0.isConnected }
    #expect(try await alice.perform(.rename(server.jid("bob"), to: "Robert")) == .result)
    try await agree(alice, "alice", server)
    await alice.close()
    #expect(await alice.failure == nil)
    try server.stop()
  }

  @Test(
    "Two accounts become friends, are renamed, grouped and removed", arguments: Servers.allCases)
  func friendship(_ kind: Servers) async throws {
    let server = try kind.make()
    try await server.start()
    let folder = try TemporaryFolder()
    let alice = try await begin("alice", on: server, in: folder)
    let bob = try await begin("bob", on: server, in: folder, isDirect: true)
    let bobFull = try JID(parsing: server.jid("bob").text)
    let (aliceJID, bobJID) = (try server.jid("alice"), try server.jid("bob"))
    #expect(try await alice.perform(.add(bobJID, name: "Bob", groups: ["Work"])) == .result)
    await await_(bob, "no request") { $0.incoming[aliceJID] != nil }
    try await agree(alice, "alice", server)
    #expect(try await bob.perform(.accept(aliceJID)) == .result)
    await await_(alice, "no request back") { $0.incoming[bobJID] != nil }
    #expect(try await alice.perform(.accept(bobJID)) == .result)
    await await_(bob, "no friend") { $0.item(aliceJID)?.subscription == .both }
    await await_(alice, "no friend") { $0.item(bobJID)?.subscription == .both }
    try await agree(alice, "alice", server)
    try await agree(bob, "bob", server)
    #expect(try await alice.perform(.rename(bobJID, to: "鲍勃")) == .result)
    #expect(try await alice.perform(.setGroups(bobJID, ["家人", "Work"])) == .result)
    try await agree(alice, "alice", server)
    #expect(try await alice.perform(.block(bobFull)) == .result)
    await await_(alice, "not blocked") { $0.blocked.contains(bobFull) }
    #expect(try await alice.perform(.unblock(bobFull)) == .result)
    #expect(try await alice.perform(.remove(bobJID)) == .result)
    await await_(bob, "still a friend") {
      $0.item(aliceJID)?.subscription == RosterSubscription.none
    }
    try await agree(alice, "alice", server)
    try await agree(bob, "bob", server)
    for session in [alice, bob] {
      await session.close()
      #expect(await session.failure == nil)
    }
    try server.stop()
    // What was recorded says the same.
    for user in ["alice", "bob"] {
      let log = try Timeline(ofLogAt: folder.file("\(user).rollcall"))
      let roster = try log.state(at: .head(minus: 0)).roster
      let session = user == "alice" ? alice : bob
      let items = await session.roster.entries.values.map(\.item)
      #expect(roster.entries.values.map(\.item) == items)
      #expect(!roster.isConnected)
    }
  }
}

/// The servers that are tried.
enum Servers: String, CaseIterable, CustomTestStringConvertible {
  case prosody, ejabberd

  static var arePossible: Bool { Prosody.isPossible && Ejabberd.isPossible }

  var testDescription: String { rawValue }

  func make() throws -> any RealServer {
    switch self {
    case .prosody: try Prosody()
    case .ejabberd: try Ejabberd()
    }
  }
}
