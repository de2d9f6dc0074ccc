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

    @Test("A picture and a recording are uploaded, and both logs describe them")
    func files() async throws {
      let stage = try await Stage(.prosody)
      let alice = try await stage.session("alice", isNew: true)
      let bob = try await stage.session("bob", isNew: true)
      let toBob = await bob.stanzas()
      let jid = try stage.full("bob")
      let picture = OutgoingFile(SentMedia.picture, name: "/tmp/灰.png")
      try await alice.send(picture, to: jid)
      let last = try await alice.send(
        OutgoingFile(SentMedia.recording, name: "a.amr"), text: "listen", to: jid)
      let large = OutgoingFile([UInt8](repeating: 7, count: 100_001), name: "large")
      await #expect(throws: LiveError.upload(.tooLarge(size: 100_001, limit: 100_000))) {
        try await alice.send(large, to: jid)
      }
      _ = try #require(await toBob.first { $0.element.attribute("id") == last.id })
      for session in [alice, bob] { await session.close() }
      for user in ["alice", "bob"] {
        let messages = try conversation(in: stage.log(user))
        #expect(messages.map { $0["body"] as? String } == ["", "listen"])
        let files = messages.compactMap { ($0["attachments"] as? [NSDictionary])?.first }
        #expect(files.map { $0["kind"] as? String } == ["picture", "voice"])
        #expect(files.map { $0["type"] as? String } == ["image/png", "audio/amr"])
        #expect(files.map { $0["name"] as? String } == ["灰.png", "a.amr"])
        #expect(files.map { $0["size"] as? Int } == [67, 656])
        #expect(files.first?["sha256"] as? String == SentMedia.pictureSHA256)
        #expect(files.first?["width"] as? Int == 1)
        #expect(files.last?["length_ms"] as? Int == 1000)
        for file in files {
          let url = file["url"] as? String ?? ""
          #expect(url.hasPrefix("https://localhost:"), "\(url)")
        }
      }
    }

    @Test("The own card and avatar are published, and others see them")
    func card() async throws {
      let stage = try await Stage(.prosody)
      let alice = try await stage.session("alice", isNew: true)
      let bob = try await stage.session("bob", isNew: true)
      try await alice.setCard(fullName: "王小波", nickname: "小波")
      try await alice.setCard(fullName: nil, nickname: "波波")
      try await alice.setAvatar(SentMedia.picture)
      let (account, friend) = (try stage.jid("alice"), try stage.jid("bob"))
      // Friends see what others do not.
      try await bob.perform(.add(account))
      await stage.wait(for: alice, "no request") { $0.incoming[friend] != nil }
      try await alice.perform(.accept(friend))
      await stage.wait(for: bob, "no friend") { $0.item(account)?.subscription.includesTo == true }
      let question = element("<iq type='get' to='\(account)'><vCard xmlns='vcard-temp'/></iq>")
      guard case .result(let iq, _) = try await bob.send(question) else {
        Issue.record("no card")
        return
      }
      let card = iq.child("vCard", in: "vcard-temp")
      #expect(card?.child("FN", in: "vcard-temp")?.text == "王小波")
      #expect(card?.child("NICKNAME", in: "vcard-temp")?.text == "波波")
      for session in [alice, bob] { await session.close() }
      let document = try Program("conversations", stage.log("alice"), "--json").document
      let cards = try #require(document["cards"] as? [NSDictionary])
      #expect(cards.contains { $0["fn"] as? String == "王小波" && $0["nickname"] as? String == "波波" })
      let avatars = try #require(document["avatars"] as? [NSDictionary])
      #expect(avatars.map { $0["sha1"] as? String } == [SentMedia.pictureSHA1])
      #expect(avatars.map { $0["have"] as? Bool } == [true])
    }

    @Test(
      "A request that the server does not know is refused with its reason",
      arguments: Servers.allCases)
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

    @Test("An application answers the requests of others", arguments: Servers.allCases)
    func answers(_ kind: Servers) async throws {
      let stage = try await Stage(kind)
      let alice = try await stage.session("alice", isNew: true)
      let bob = try await stage.session("bob", isNew: true)
      await alice.answerRequests(in: ["urn:example:weather"])
      let (toAlice, toBob) = (await alice.stanzas(), await bob.stanzas())
      let answering = Task {
        for await stanza in toAlice
        where stanza.element.firstChild("sky", in: "urn:example:weather") != nil {
          try await alice.answer(
            stanza, with: .element("sky", "urn:example:weather", text: "blue"))
        }
      }
      // Tells bob the address of her device.
      let message = ChatMessage("hi", to: try stage.full("bob"))
      try await alice.send(message)
      let first = try #require(await toBob.first { $0.element.attribute("id") == message.id })
      let device = try #require(first.element.attribute("from"))
      let question = element(
        "<iq type='get' to='\(device)'><sky xmlns='urn:example:weather'/></iq>")
      guard case .result(let iq, _) = try await bob.send(question) else {
        Issue.record("no answer")
        return
      }
      #expect(iq.child("sky", in: "urn:example:weather")?.text == "blue")
      for session in [alice, bob] { await session.close() }
      try await answering.value
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
