import Foundation
@testable import RosterClient
import RosterCore
import TestSupport
import Testing
import XMPPStanza

extension RealServerTests {
  /// A fleet that is stored while real servers are in use.
  @Suite("A fleet beside real servers")
  struct FleetTests {
    private static let users = ["ann", "ben", "cat", "dan", "eve", "fay"]

    @Test(
      "Killed again and again, the store has each server's rosters, and finds what was broken",
      arguments: Servers.allCases)
    func stored(_ kind: Servers) async throws {
      let server = try kind.make(isQuiet: true, tap: TapOptions())
      try await server.start()
      defer { try? server.stop() }
      let stage = try Stage(on: server)
      let fleet = stage.folder.file("fleet")
      var generator = SeededGenerator(seed: 1)
      var sessions: [String: LiveSession] = [:]
      for user in Self.users { sessions[user] = try await stage.session(user, isNew: true) }
      for (user, friend) in zip(Self.users, Self.users.dropFirst() + Self.users.prefix(1)) {
        try await befriend(
          #require(sessions[user]), #require(sessions[friend]), stage.jid(user),
          stage.jid(friend), stage)
        try killStore(server.spool, fleet, after: .random(in: 0.005...0.1, using: &generator))
      }
      // One who has left is asked while no session of hers shows it.
      await sessions["fay"]?.close()
      try await sessions["dan"]?.perform(.add(stage.jid("fay"), name: "费"))
      try await sessions["cat"]?.perform(.add(stage.jid("fay")))
      let rosters = try await stage.settled {
        try store(server.spool, fleet)
        for user in Self.users {
          if let difference = try difference(of: user, stage, fleet) { return difference }
        }
        return nil
      }
      #expect(rosters == nil)
      #expect(try disagreements(fleet).isEmpty)

      for session in sessions.values { await session.close() }
      // Ann's server still says that she sees ben.
      try await server.overwrite("to", of: stage.jid("ben"), to: stage.jid("ann"))
      for user in Self.users.prefix(3) { sessions[user] = try await stage.session(user) }
      let (ann, ben) = (try stage.jid("ann").text, try stage.jid("ben").text)
      let found = try await stage.settled {
        try store(server.spool, fleet)
        let found = try disagreements(fleet)
        return found == ["\(ann) \(ben) unseen-end"] ? nil : "\(found)"
      }
      #expect(found == nil)
      let verified = try Program("fleet", "verify", fleet)
      #expect(verified.code == 0, "\(verified.output)\(verified.errors)")
      for user in Self.users.prefix(3) { await sessions[user]?.close() }
    }

    private func befriend(
      _ asker: LiveSession, _ friend: LiveSession, _ own: BareJID, _ other: BareJID,
      _ stage: Stage
    ) async throws {
      try await asker.perform(.add(other))
      await stage.wait(for: friend, "not asked") { $0.incoming[own] != nil }
      try await friend.perform(.accept(own))
      await stage.wait(for: asker, "not asked back") { $0.incoming[other] != nil }
      try await asker.perform(.accept(other))
    }

    private func killStore(_ spool: String, _ fleet: String, after seconds: Double) throws {
      _ = try Program(
        shell: "\"$ROLLCALL\" fleet store '\(fleet)' --spool '\(spool)' >/dev/null 2>&1 & p=$!; "
          + "sleep \(seconds); kill -9 $p 2>/dev/null; wait $p 2>/dev/null; true", in: "/tmp")
    }

    private func store(_ spool: String, _ fleet: String) throws {
      let run = try Program("fleet", "store", fleet, "--spool", spool)
      #expect(run.code == 0, "\(run.errors)")
    }

    /// The disagreements, although everything is only seconds old.
    private func disagreements(_ fleet: String) throws -> [String] {
      let run = try Program("fleet", "disagreements", fleet, "--settling", "0s", "--jsonl")
      #expect(run.code < 2, "\(run.errors)")
      return try run.output.split(separator: "\n").map { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary
        let names = ["subscriber", "owner"].map { side in
          (object?[side] as? NSDictionary)?["account"] as? String ?? ""
        }
        return (names + [object?["mismatch"] as? String ?? ""]).joined(separator: " ")
      }
    }

    /// How an account's roster in the fleet differs from the one that the server stores.
    private func difference(of user: String, _ stage: Stage, _ fleet: String) throws -> String? {
      let account = try stage.jid(user)
      let run = try Program("state", fleet, "--account", account.text, "--json")
      guard run.code == 0 else { return run.errors }
      let document = try run.document
      guard document["complete"] as? Bool == true else { return "\(user) is not complete" }
      let items = document["items"] as? [NSDictionary] ?? []
      let stored = try stage.server.stored(account)
      let own = Dictionary(
        items.map { item in
          (
            item["jid"] as? String ?? "",
            StoredContact(
              name: item["name"] as? String ?? "",
              subscription: item["subscription"] as? String ?? "",
              isPending: item["ask"] as? String == "subscribe",
              groups: Set(item["groups"] as? [String] ?? []))
          )
        }
      ) { $1 }.filter { jid, contact in
        stage.server.distinguishesRequests || stored.contacts[jid] != nil
          || contact.subscription != "none"
      }
      guard own == stored.contacts else { return "\(user): \(own), stored \(stored.contacts)" }
      let incoming = (document["requests"] as? NSDictionary)?["incoming"] as? [NSDictionary] ?? []
      let asked = Set(incoming.compactMap { $0["jid"] as? String })
      return asked == stored.requests ? nil : "\(user): asked by \(asked), not \(stored.requests)"
    }
  }
}
