import EventStore
import Foundation
import Rollcall
@testable import RosterClient
import TestSupport
import Testing

extension RealServerTests {
  /// The modules that `rollcall fleet tap` prints, in real servers.
  @Suite("Taps")
  struct Taps {
    @Test(
      "A tap writes what clients and their server exchange, and no secrets",
      arguments: Servers.allCases)
    func tap(_ kind: Servers) async throws {
      let server = try kind.make(isQuiet: true, tap: TapOptions())
      try await server.start()
      defer { try? server.stop() }
      let stage = try Stage(on: server)
      let (aliceJID, bobJID) = (try stage.jid("alice"), try stage.jid("bob"))
      let relay = try Relay(to: server.port)
      let carol = try await stage.session("carol", isNew: true)
      await carol.close()
      let alice = try await stage.session("alice", isNew: true, over: relay)
      let bob = try await stage.session("bob", isNew: true)
      try await befriend(alice, bob, stage)
      // Carol is offline, and so only the server's store shows that alice asks.
      try await alice.perform(.add(stage.jid("carol"), name: "Carol"))
      await bob.send(Self.message(to: aliceJID, "the secret of bob"))
      await bob.flush()
      try await bob.ping()
      relay.cut()
      await stage.wait(for: alice, "not cut") { !$0.isConnected }
      await stage.wait(for: alice, "not back") { $0.isConnected }
      try await alice.perform(.rename(bobJID, to: "鲍勃 \"<&>\""))
      await bob.close()
      try await alice.ping()

      let spool = try await stage.settledSpool { spool in
        spool.streams(of: bobJID).last == "closed" ? nil : "bob's session has not ended"
      }
      try checkContent(spool, stage)
      // All that was said in bob's session, in its order, except what closing it leaves unread.
      let tapped = Said.withoutLastAcknowledgements(spool.said(by: bobJID))
      let own = Said.withoutLastAcknowledgements(try Said.all(in: Recorded(stage.log("bob"))))
      for (said, heard) in zip(tapped, own) {
        #expect(said == heard, "\(said.difference(from: heard))")
      }
      for user in ["alice", "bob", "carol"] { try stage.checkSpooledRoster(of: user) }
      try await checkLosses(alice, stage)
      await alice.close()
    }

    private func befriend(
      _ alice: LiveSession, _ bob: LiveSession, _ stage: Stage
    ) async throws {
      let (aliceJID, bobJID) = (try stage.jid("alice"), try stage.jid("bob"))
      try await alice.perform(.add(bobJID, name: "Bob", groups: ["Work", "家人"]))
      await stage.wait(for: bob, "no request") { $0.incoming[aliceJID] != nil }
      try await bob.perform(.add(aliceJID))
      await stage.wait(for: alice, "no request back") { $0.incoming[bobJID] != nil }
      try await alice.perform(.accept(bobJID))
      await stage.wait(for: bob, "no friend") { $0.item(aliceJID)?.subscription == .both }
    }

    /// Checks what is in the spool, and what is not.
    private func checkContent(_ spool: Spool, _ stage: Stage) throws {
      let (aliceJID, carolJID) = (try stage.jid("alice"), try stage.jid("carol"))
      #expect(spool.lines.first?["rollcall-tap"] as? Int == 1)
      #expect(spool.lines.contains { $0["alive"] != nil })
      #expect(!spool.lines.contains { $0["gap"] != nil })
      #expect(spool.streams(of: carolJID) == ["opened", "closed"])
      let streams = spool.streams(of: aliceJID)
      #expect(streams.count { $0 == "opened" } == 1, "\(streams)")
      #expect(streams.count { $0 == "resumed" } == 1, "\(streams)")
      #expect(streams.contains("lost"), "\(streams)")
      let stored = spool.lines.last {
        $0["stored"] as? String == "changed" && $0["a"] as? String == carolJID.text
      }
      #expect(stored?["asked"] as? [String] == [aliceJID.text])
      for secret in ["pass of", "the secret of bob", "<body"] {
        #expect(!spool.text.contains(secret), "\(secret)")
      }
      // The id with which alice's session was resumed leaves the same mark as in a log.
      let marks = try Self.marks(Recorded(stage.log("alice")).records.map(\.text))
      #expect(!marks.isEmpty)
      #expect(Self.marks(spool.elements(of: aliceJID)) == marks)
      for (path, mode) in [(spool.folder, 0o700)] + spool.files.map({ ($0, 0o600) }) {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
      }
    }

    /// The ids in the stream management of a session.
    private static func marks(_ elements: [String]) -> Set<String> {
      Set(
        elements.filter { $0.hasPrefix("<enabled") || $0.hasPrefix("<resume") }
          .flatMap { text in ["id", "previd"].compactMap { element(text).attribute($0) } })
    }

    /// Checks that the server keeps running while the spool cannot be written, that what was lost
    /// is counted, and that a deleted file is noticed.
    private func checkLosses(_ alice: LiveSession, _ stage: Stage) async throws {
      let (spool, bob) = (stage.server.spool, try stage.jid("bob"))
      try FileManager.default.removeItem(atPath: spool)
      try Data().write(to: URL(filePath: spool))
      try await alice.perform(.rename(bob, to: "lost"))
      let quiet = try await stage.settled {
        stage.server.log.contains("lines are being lost") ? nil : "the loss is not logged"
      }
      #expect(quiet == nil)
      try FileManager.default.removeItem(atPath: spool)
      try await alice.perform(.rename(bob, to: "found"))
      let account = try stage.jid("alice")
      let found = try await stage.settledSpool { found in
        found.elements(of: account).contains { $0.contains("found") } ? nil : "nothing is written"
      }
      #expect(found.lines.first?["rollcall-tap"] as? Int == 1)
      #expect(found.lines.contains { ($0["gap"] as? Int ?? 0) > 0 })
      #expect(!found.text.contains("lost"))
      #expect(found.files.count == 1)
      try await alice.ping()
    }

    private static func message(to jid: BareJID, _ body: String) -> [UInt8] {
      Array("<message to='\(jid)' type='chat' id='m1'><body>\(body)</body></message>".utf8)
    }
  }
}

/// An element of a session, as far as both ends write it alike.
struct Said: Hashable {
  let isSent: Bool
  let name: String
  var type: String?
  var id: String?

  private static let names: Set = [
    "iq", "message", "presence", "r", "a", "enable", "enabled", "resume", "resumed",
  ]

  /// Nil for what belongs to the login.
  init?(isSent: Bool, _ text: String) {
    guard text.hasPrefix("<"), !text.hasPrefix("<stream:"), !text.hasPrefix("</") else {
      return nil
    }
    let node = element(text)
    guard Self.names.contains(node.name.local),
      node.child("query", in: "jabber:iq:register") == nil
    else { return nil }
    (self.isSent, name) = (isSent, node.name.local)
    // A message without its text has no attributes either.
    guard name != "message" else { return }
    (type, id) = (node.attribute("type"), node.attribute("id"))
  }

  /// What was said since the login; before it, a tap does not know whose stream it is.
  static func all(in recorded: Recorded) -> [Said] {
    let login = recorded.records.firstIndex { $0.text.hasPrefix("<success") } ?? 0
    return recorded.records[login...].compactMap { record in
      switch record.direction {
      case .inbound: Said(isSent: false, record.text)
      case .outbound: Said(isSent: true, record.text)
      case .none: nil
      }
    }
  }

  static func withoutLastAcknowledgements(_ all: [Said]) -> [[Said]] {
    [true, false].map { isSent in
      var own = all.filter { $0.isSent == isSent }
      while let last = own.last, ["r", "a"].contains(last.name) { own.removeLast() }
      return own
    }
  }
}
