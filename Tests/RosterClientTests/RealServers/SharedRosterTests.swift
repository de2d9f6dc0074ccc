import Foundation
import Rollcall
@testable import RosterClient
import RosterCore
import TestSupport
import Testing

extension RealServerTests {
  /// Several devices of an account that change one roster, over slow and unreliable networks.
  @Suite("A roster shared by devices")
  struct SharedRoster {
    /// The seeds in `ROLLCALL_NETWORK_SEEDS`, such as `0-49`.
    private static let seeds: [UInt64] = {
      let seedRange = ProcessInfo.processInfo.environment["ROLLCALL_NETWORK_SEEDS"]
      let ends = (seedRange ?? "0-0").split(separator: "-").compactMap { UInt64($0) }
      guard ends.count == 2, ends[0] <= ends[1] else { return [] }
      return Array(ends[0]...ends[1])
    }()

    @Test(
      "On a new device, adding an existing contact changes only what was asked for",
      arguments: Servers.allCases)
    func newDevice(_ kind: Servers) async throws {
      let stage = try await Stage(kind)
      let (bob, carol) = (try stage.jid("bob"), try stage.jid("carol"))
      let first = try await stage.session("alice", isNew: true)
      try await first.perform(.add(bob, name: "小李", groups: ["同事", "饭友"]))
      try await first.perform(.add(carol, name: "Carol", groups: ["同事"]))
      try await first.ping()
      var expected = try stage.server.stored(stage.jid("alice"))
      let relay = try Relay(to: stage.server.port)
      relay.setLag(7)
      let fresh = try LiveSession(
        stage.login("alice", over: relay), recordingTo: stage.log("alice", device: "2"))
      try await fresh.start()
      try await fresh.perform(.add(bob, name: "Bob"))
      try await fresh.perform(.add(carol))
      try await fresh.ping()
      expected.contacts[bob.text]?.name = "Bob"
      #expect(try stage.server.stored(stage.jid("alice")) == expected)
      try await stage.agree(first, fresh, after: "two contacts were added again")
      await fresh.close()
      await first.close()
    }

    @Test(
      "An old log does not undo what another device has changed since",
      arguments: Servers.allCases)
    func oldLog(_ kind: Servers) async throws {
      let stage = try await Stage(kind)
      let bob = try stage.jid("bob")
      let phone = try await stage.session("alice", isNew: true)
      try await phone.perform(.add(bob, name: "Bob", groups: ["Work"]))
      await phone.close()
      let pad = try await stage.session("alice", device: "2")
      try await pad.perform(.setGroups(bob, ["平板分的组"]))
      try await pad.ping()
      let relay = try Relay(to: stage.server.port)
      relay.setLag(3)
      let again = try await stage.session("alice", over: relay)
      try await again.perform(.rename(bob, to: "B3"))
      try await again.ping()
      let stored = try stage.server.roster(of: stage.jid("alice").local ?? "")[bob.text]
      #expect(stored?.name == "B3" && stored?.groups == ["平板分的组"], "\(stored as Any)")
      await again.close()
      await pad.close()
    }

    @Test(
      "A name or group that no device changed is still there",
      arguments: Servers.allCases, seeds)
    func unchanged(_ kind: Servers, _ seed: UInt64) async throws {
      for domain in [Domain.usual, .brief] {
        let devices = try await SharingDevices(Stage(kind, domain), seed)
        for _ in 0..<3 { try await devices.play() }
        let lost = try await devices.end()
        #expect(lost.isEmpty, "ROLLCALL_NETWORK_SEEDS=\(seed)-\(seed), \(kind), \(domain): \(lost)")
      }
    }
  }

  /// Two devices from the start, and new ones that join, each behind a network of its own.
  private final class SharingDevices {
    private let stage: Stage
    private var random: SeededGenerator
    private var devices: [(session: LiveSession, relay: Relay)] = []
    private let contacts: [BareJID]
    private let before: [String: KeptItem]
    private var touched = TouchedItems()
    private var given: [Task<RosterCommand?, Never>] = []

    init(_ stage: Stage, _ seed: UInt64) async throws {
      (self.stage, random) = (stage, SeededGenerator(seed: seed))
      contacts = try ["bob", "carol", "dave"].map { try stage.jid($0) }
      let maker = try await stage.session("alice", device: "0", isNew: true)
      let groups = [["Work", "家人"], ["Work", "Old"], []]
      for (contact, groups) in zip(contacts, groups) {
        _ = try await maker.perform(.add(contact, name: "N \(groups.count)", groups: groups))
      }
      try await maker.ping()
      await maker.close()
      before = try Self.kept(stage)
      for device in ["1", "2"] { try await join(device, seed) }
    }

    private static func kept(_ stage: Stage) throws -> [String: KeptItem] {
      try stage.server.stored(stage.jid("alice")).contacts.mapValues { contact in
        KeptItem(name: contact.name.isEmpty ? nil : contact.name, groups: contact.groups)
      }
    }

    private func join(_ device: String, _ seed: UInt64) async throws {
      let relay = try Relay(to: stage.server.port)
      relay.setLag(seed)
      devices.append((try await stage.session("alice", device: device, over: relay), relay))
    }

    /// Gives commands to the devices, some before earlier ones are answered, while connections
    /// break.
    func play() async throws {
      for _ in 0..<8 {
        let (session, relay) = devices[Int.random(in: 0..<devices.count, using: &random)]
        if Int.random(in: 0..<5, using: &random) == 0 { relay.cut() }
        let command = command()
        let task = Task { () -> RosterCommand? in
          for await update in await session.updates() where update.roster.isConnected { break }
          do throws(LiveError) {
            try await session.perform(command)
          } catch {
            switch error {
            case .invalid, .notAStanza, .failure, .upload, .unfitPicture: return nil
            // Of several sets, the server may have accepted some.
            case .refused, .timeout, .outcomeUnknown: return command
            }
          }
          return command
        }
        given.append(task)
        if Bool.random(using: &random) { _ = await stage.withTimeout { await task.value } }
      }
      // Another device joins, and changes something at once.
      try await join("\(devices.count + 1)", UInt64(devices.count))
      let command = command()
      if let session = devices.last?.session {
        do throws(LiveError) {
          try await session.perform(command)
          touched.sent(command)
        } catch {
          switch error {
          case .invalid, .notAStanza, .failure, .upload, .unfitPicture: break
          case .refused, .timeout, .outcomeUnknown: touched.sent(command)
          }
        }
      }
    }

    private func command() -> RosterCommand {
      let contact = contacts[Int.random(in: 0..<contacts.count, using: &random)]
      let name = ["Bob", "鲍勃", "<&'\">"].randomElement(using: &random)
      let groups = ["Work", "家人", "&"].filter { _ in Bool.random(using: &random) }
      let commands: [RosterCommand] = [
        .add(contact), .add(contact, name: name), .add(contact, groups: groups),
        .rename(contact, to: name), .setGroups(contact, groups),
        .renameGroup("Work", to: "Office"), .deleteGroup("Old"), .fetch,
      ]
      return commands[Int.random(in: 0..<commands.count, using: &random)]
    }

    /// Waits until everything is answered, and returns what was lost although no command changed
    /// it.
    func end() async throws -> [String] {
      for task in given {
        guard let command = await stage.withTimeout({ await task.value }) else {
          return ["a command is neither answered nor given up"]
        }
        if let command { touched.sent(command) }
      }
      for (session, relay) in devices {
        relay.setLag(nil)
        relay.cut()
        let isBack = await stage.withTimeout {
          while await session.failure == nil {
            if (try? await session.ping()) != nil { return true }
            try? await Task.sleep(for: .milliseconds(10))
          }
          return false
        }
        if isBack != true { return ["a session is not back: \(await session.failure as Any)"] }
      }
      let lost = touched.lost(from: before, in: try Self.kept(stage))
      for (session, _) in devices { await session.close() }
      return lost
    }
  }
}
