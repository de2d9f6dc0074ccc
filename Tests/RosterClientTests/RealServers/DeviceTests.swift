import Rollcall
@testable import RosterClient
import RosterCore
import TestSupport
import Testing

extension RealServerTests {
  /// Several devices of an account, and many contacts.
  @Suite("Devices")
  struct Devices {
    @Test("Two devices agree with the server after every step", arguments: Servers.allCases)
    func alternately(_ kind: Servers) async throws {
      let stage = try await Stage(kind)
      let one = try await stage.session("alice", isNew: true)
      let two = try await stage.session("alice", device: "2")
      let bob = try await stage.session("bob", isNew: true)
      let (aliceJID, bobJID, carol) = (
        try stage.jid("alice"), try stage.jid("bob"), try stage.jid("carol")
      )
      let steps: [(LiveSession, RosterCommand)] = [
        (one, .add(bobJID, name: "Bob", groups: ["Work"])), (two, .rename(bobJID, to: "Robert")),
        (bob, .add(aliceJID)), (two, .accept(bobJID)), (one, .setGroups(bobJID, ["Work", "家人"])),
        (two, .renameGroup("Work", to: "Office")), (one, .add(carol, name: "Carol")),
        (two, .deleteGroup("Office")), (two, .remove(carol)),
        (one, .block(try stage.full("carol"))),
        (two, .unblock(try stage.full("carol"))), (one, .rename(bobJID, to: nil)),
        (bob, .remove(aliceJID)), (two, .remove(bobJID)),
      ]
      for (number, (session, command)) in steps.enumerated() {
        try await session.perform(command)
        if case .add(aliceJID, _, _, _, _) = command {
          for session in [one, two] {
            await stage.wait(for: session, "no request") { $0.incoming[bobJID] != nil }
          }
        }
        if case .block(let jid) = command {
          await stage.wait(for: two, "not blocked") { $0.blocked.contains(jid) }
        }
        try await stage.agree(one, two, bob, after: "step \(number), \(command)")
      }
      for session in [one, two, bob] { await session.close() }
    }

    @Test(
      "Two devices that change the same contacts at once agree in the end",
      arguments: Servers.allCases)
    func atOnce(_ kind: Servers) async throws {
      let stage = try await Stage(kind)
      let devices = [
        try await stage.session("alice", isNew: true),
        try await stage.session("alice", device: "2"),
      ]
      for round in 0..<4 {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (number, session) in devices.enumerated() {
            for contact in 0..<6 {
              let jid = try stage.jid("contact\(contact)")
              let name = "D\(number) R\(round)"
              let command: RosterCommand =
                switch (round + contact + number) % 4 {
                case 0: .add(jid, name: name, groups: [name])
                case 1: .rename(jid, to: name)
                case 2: .setGroups(jid, [name, "G"])
                default: .remove(jid)
                }
              // An earlier change by the other device may make the command invalid.
              group.addTask { _ = try? await session.perform(command) }
            }
          }
          try await group.waitForAll()
        }
        for session in devices { try await session.ping() }
        if stage.server.pushesInOrder {
          try await stage.agree(devices, after: "round \(round)")
        }
        // Whatever the order, a device has the state that was pushed last.
        for session in devices {
          let difference = try await stage.settled {
            let pushed = try Recorded(try #require(try await session.timeline())).lastPushed
            let own = await session.roster.contactsAsStored
            return own == pushed ? nil : "it has \(own), and was told \(pushed)"
          }
          #expect(difference == nil, "round \(round)")
        }
      }
      // Finally each contact is changed by one device at a time.
      for contact in 0..<6 {
        let (session, jid) = (devices[contact % 2], try stage.jid("contact\(contact)"))
        let exists = await session.roster.item(jid) != nil
        let command: RosterCommand =
          exists ? .rename(jid, to: "Last") : .add(jid, name: "Last")
        try await session.perform(command)
        for session in devices { try await session.ping() }
      }
      try await stage.agree(devices, after: "the last words")
      for session in devices { await session.close() }
    }

    @Test(
      "Many contacts are sent in full once, and then not again", arguments: Servers.allCases)
    func thousand(_ kind: Servers) async throws {
      let stage = try await Stage(kind)
      let count = 1000
      // Prosody rewrites the whole roster for each stanza that changes it, so most contacts are
      // stored from the start.
      let known = kind == .prosody ? 750 : 0
      if let prosody = stage.server as? Prosody {
        let contacts = try (0..<known).map { number in
          let groups: Set = ["G\(number % 7)"]
          return (
            try stage.jid("contact\(number)-").text,
            StoredContact(name: "N\(number)", subscription: "none", groups: groups)
          )
        }
        try prosody.store(Dictionary(uniqueKeysWithValues: contacts), of: stage.jid("alice"))
      }
      let alice = try await stage.session("alice", isNew: true)
      try await withThrowingTaskGroup { group in
        for number in known..<count {
          let jid = try stage.jid("contact\(number)-")
          group.addTask {
            try await alice.perform(.add(jid, name: "N\(number)", groups: ["G\(number % 7)"]))
          }
        }
        try await group.waitForAll()
      }
      try await alice.ping()
      try await stage.agree(alice, after: "the contacts")
      #expect(await alice.roster.itemCount == count)
      await alice.close()

      let fresh = try await stage.session("alice", device: "2")
      try await fresh.ping()
      try await stage.agree(fresh, after: "the whole roster")
      await fresh.close()
      let whole = try #require(try Recorded(stage.log("alice", device: "2")).fetches.first)
      #expect(whole.version ?? "" == "")
      #expect(
        whole.answer?.child("query", in: Namespace.roster)?.children.map(\.name.local).count
          == count)

      let again = try await stage.session("alice")
      try await again.ping()
      try await stage.agree(again, after: "no roster")
      await again.close()
      let second = try #require(try Recorded(stage.log("alice")).fetches.last)
      // Empty: the roster is unchanged since that version (RFC 6121 §2.6.3).
      #expect(second.version?.isEmpty == false)
      #expect(second.answer?.children.contains { _ in true } == false)
    }
  }
}
