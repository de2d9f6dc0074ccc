import Foundation
import Rollcall
@testable import RosterClient
import RosterCore
import TestSupport
import Testing

extension RealServerTests {
  /// Two users over a network that delivers in pieces, late, and not always.
  @Suite("Rough networks")
  struct RoughNetworks {
    /// The seeds in `ROLLCALL_NETWORK_SEEDS`, such as `0-49`; if set, both servers are tested.
    private static let seedRange = ProcessInfo.processInfo.environment["ROLLCALL_NETWORK_SEEDS"]

    /// ejabberd informs no client that a request was withdrawn, and may carry out a delayed answer
    /// after it has delivered the next request: no client can know that. So differences with
    /// ejabberd have to be judged by a person.
    static let servers: [Servers] = seedRange == nil ? [.prosody] : Servers.allCases

    static let seeds: [UInt64] = {
      let ends = (seedRange ?? "0-0").split(separator: "-").compactMap { UInt64($0) }
      guard ends.count == 2, ends[0] <= ends[1] else { return [] }
      return Array(ends[0]...ends[1])
    }()

    @Test(
      "Whenever the network is quiet, all agree with the server", arguments: servers, seeds)
    func network(_ kind: Servers, _ seed: UInt64) async throws {
      for domain in [Domain.usual, .brief] {
        let friends = try await Friends(Stage(kind, domain), seed)
        for round in 0..<2 {
          try await friends.play(round)
          guard await friends.isAgreed(round, "seed \(seed), \(kind), \(domain), round \(round)")
          else { return }
        }
        try await friends.end("seed \(seed), \(kind), \(domain)")
      }
    }
  }

  /// Two users who give commands that make sense at the moment, and others that do not.
  private final class Friends {
    private let stage: Stage
    private let relay: Relay
    private let seed: UInt64
    private var random: SeededGenerator
    private var sessions: [LiveSession] = []
    private let people: [BareJID]
    private var given: [Task<Bool, Never>] = []

    init(_ stage: Stage, _ seed: UInt64) async throws {
      (self.stage, self.seed, random) = (stage, seed, SeededGenerator(seed: seed))
      relay = try Relay(to: stage.server.port)
      people = try ["alice", "bob"].map { try stage.jid($0) }
      for user in ["alice", "bob"] {
        sessions.append(try await stage.session(user, isNew: true, over: relay))
      }
    }

    /// Gives commands while the network is rough.
    func play(_ round: Int) async throws {
      relay.setRoughness(seed &* 1_000_003 &+ UInt64(round) &* 1_009)
      relay.cut()
      for _ in 0..<12 {
        let number = Int.random(in: 0..<2, using: &random)
        let (session, other) = (sessions[number], people[1 - number])
        let action = try action(to: other)
        let task = Task { () -> Bool in
          for await update in await session.updates() where update.roster.isConnected { break }
          await action(session)
          return true
        }
        given.append(task)
        // Some at once, some one after another.
        if Int.random(in: 0..<3, using: &random) > 0 {
          _ = await stage.withTimeout { await task.value }
        }
      }
    }

    private func action(to other: BareJID) throws -> @Sendable (LiveSession) async -> Void {
      let friend = try stage.jid("friend\(Int.random(in: 0..<3, using: &random))")
      let contact = Int.random(in: 0..<4, using: &random) == 0 ? friend : other
      let text = ["", "Bob", "鲍勃", "<&'\">", "a  b"].randomElement(using: &random) ?? ""
      let groups = ["Work", "家人", "&"].filter { _ in Bool.random(using: &random) }
      let commands: [RosterCommand] = [
        .add(contact, name: text, groups: groups), .add(contact), .accept(other), .accept(other),
        .reject(other), .cancel(contact), .remove(contact), .rename(contact, to: text),
        .setGroups(contact, groups), .renameGroup("Work", to: "Office"), .deleteGroup("Office"),
        // The server sends a blocked contact nothing, not even the answer to a request.
        .fetch, .block(JID(prepared: friend, resource: nil)),
        .unblock(JID(prepared: friend, resource: nil)),
      ]
      let number = Int.random(in: 0..<commands.count + 3, using: &random)
      guard number < commands.count else {
        let word = ["subscribe", "unsubscribed", "unsubscribe"][number - commands.count]
        return { await $0.tell(word, other) }
      }
      let command = commands[number]
      return { _ = try? await $0.perform(command) }
    }

    /// Restores the network, and checks that every command is answered and all agree.
    func isAgreed(_ round: Int, _ what: String) async -> Bool {
      relay.setRoughness(nil)
      relay.cut()
      do {
        for task in given {
          guard await stage.withTimeout({ await task.value }) == true else {
            Issue.record("\(what): a command is neither answered nor given up")
            return false
          }
        }
        given = []
        for session in sessions {
          if let failure = await rest(session) {
            let account = await session.login.account
            let user = people.firstIndex(of: account) == 0 ? "alice" : "bob"
            Issue.record("\(what): \(failure)\n\((try? Recorded(stage.log(user)).end) ?? "")")
            return false
          }
        }
        try await stage.agree(sessions, after: what)
        return true
      } catch {
        Issue.record("\(what): \(error)")
        return false
      }
    }

    /// Waits until the server has answered everything, perhaps after a reconnection or two.
    private func rest(_ session: LiveSession) async -> String? {
      let isAnswered = await stage.withTimeout {
        while await session.failure == nil {
          if (try? await session.ping()) != nil { return true }
          try? await Task.sleep(for: .milliseconds(10))
        }
        return false
      }
      return isAnswered == true ? nil : "it is not back: \(await session.failure as Any)"
    }

    /// Checks that a new device gets the roster that each session and its log have.
    func end(_ what: String) async throws {
      for (session, user) in zip(sessions, ["alice", "bob"]) {
        let witness = try await stage.session(stage.login(user), recordingTo: nil)
        try await witness.ping()
        let stored = try stage.server.stored(stage.jid(user))
        let known = await stage.reportedContacts(session.roster, stored)
        let told = await stage.reportedContacts(witness.roster, stored)
        #expect(told == known, "\(what)")
        #expect(await witness.roster.blocked == session.roster.blocked, "\(what)")
        await witness.close()
        await session.close()
        #expect(await session.failure == nil, "\(what)")
        let logged = try Timeline(ofLogAt: stage.log(user)).state(at: .head(minus: 0)).roster
        #expect(logged == (await session.roster), "\(what)")
      }
    }
  }
}
