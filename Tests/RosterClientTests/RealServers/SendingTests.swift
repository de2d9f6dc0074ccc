import Foundation
import Rollcall
@testable import RosterClient
import TestSupport
import Testing
import XMPPStanza

extension RealServerTests {
  /// What a session sends to people, and how the logs of both sides show it.
  @Suite("Sending") struct Sending {
    @Test(
      "A text, its correction, a receipt and a marker are in both logs", arguments: Servers.allCases
    )
    func text(_ kind: Servers) async throws {
      let stage = try await Stage(kind)
      let alice = try await stage.session("alice", isNew: true)
      let bob = try await stage.session("bob", isNew: true)
      let (toAlice, toBob) = (await alice.stanzas(), await bob.stanzas())
      let message = ChatMessage("你好,在吗?", to: try stage.full("bob"))
      #expect(try await alice.send(message) == .acknowledged)
      let correction = message.corrected(to: "你好!在吗?")
      #expect(try await alice.send(.composing, to: message.to) == .acknowledged)
      #expect(try await alice.send(correction) == .acknowledged)
      let first = try #require(await toBob.first { $0.element.attribute("id") == message.id })
      let sender = try JID(parsing: #require(first.element.attribute("from")))
      #expect(try await bob.send(.received(message.id), to: sender) == .acknowledged)
      #expect(try await bob.send(.displayed(correction.id), to: sender) == .acknowledged)
      let answer = ChatMessage("在", to: try stage.full("alice"))
      #expect(try await bob.send(answer) == .acknowledged)
      _ = try #require(await toAlice.first { $0.element.attribute("id") == answer.id })
      for session in [alice, bob] { await session.close() }

      let own = try conversation(in: stage.log("alice"))
      #expect(own.map { $0["body"] as? String } == ["你好!在吗?", "在"])
      #expect(own.map { $0["direction"] as? String } == ["out", "in"])
      #expect(own.first?["state"] as? String == "displayed")
      #expect(own.first?["edits"] as? [String] == ["你好,在吗?"])
      #expect(own.first?["id"] as? String == message.id)
      #expect(own.first?["origin_id"] as? String == message.id)
      let theirs = try conversation(in: stage.log("bob"))
      #expect(theirs.map { $0["body"] as? String } == ["你好!在吗?", "在"])
      #expect(theirs.map { $0["direction"] as? String } == ["in", "out"])
      #expect(theirs.first?["read"] as? Bool == true)
      #expect(theirs.last?["state"] as? String == "acknowledged")
    }

    @Test("A request to nobody is refused with the server's reason", arguments: Servers.allCases)
    func refused(_ kind: Servers) async throws {
      let stage = try await Stage(kind)
      let alice = try await stage.session("alice", isNew: true)
      let request = element(
        "<iq type='get' to='\(stage.domain)'><query xmlns='urn:example:unheard-of'/></iq>")
      let error = await #expect(throws: LiveError.self) { try await alice.send(request) }
      guard case .refused(let reason)? = error else {
        Issue.record("\(error as Any)")
        return
      }
      #expect(["service-unavailable", "feature-not-implemented"].contains(reason.condition))
      await alice.close()
    }

    /// The messages of the only conversation in a log, as `rollcall conversations --json` has them.
    func conversation(in log: String) throws -> [NSDictionary] {
      let document = try Program("conversations", log, "--json").document
      let all = try #require(document["conversations"] as? [NSDictionary])
      #expect(all.count == 1)
      return try #require(all.first?["messages"] as? [NSDictionary])
    }
  }
}
