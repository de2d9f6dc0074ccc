import NIOCore
import Rollcall
@testable import RosterClient
import TestSupport
import Testing
import XMPPStanza

/// The stanzas of a session in both directions, with a scripted server.
@Suite(
  "Stanzas of a session", .timeLimit(.minutes(5)),
  .enabled(if: Certificates.isPossible, "openssl is needed"))
struct StanzaTests {
  private typealias Words = LoginScript
  private typealias Turn = ScriptedServer.Turn

  private static let bob = JID(prepared: BareJID(prepared: "bob@example.test"), resource: nil)
  private static let request = element("<iq type='get' id='q' to='x.test'><q xmlns='x'/></iq>")
  /// The script to get online on a server that counts stanzas.
  private static let counted =
    Words.startTLS + Words.login + [
      Words.binding(Talk.bind + Talk.counting), Words.bound,
      Turn(heard: "<enable", said: "<enabled xmlns='urn:xmpp:sm:3' id='s' resume='true'/>"),
      Words.roster(),
    ]

  private static func online(_ turns: Turn...) -> [Turn] {
    Words.online + [Words.roster()] + turns
  }

  private func error(_ body: () async throws(LiveError) -> Void) async -> LiveError? {
    do throws(LiveError) { try await body() } catch { return error }
    return nil
  }

  @Test("The result of a request is returned with its record, which is on disk")
  func result() async throws {
    let answer = "<iq type='result' id='q' from='x.test'><q xmlns='x'>yes</q></iq>"
    let attack = try Attack(Self.online(Turn(heard: "id=\"q\"", said: answer)))
    _ = try await attack.run { session in
      guard case .result(let node, let stamp) = try await session.send(Self.request) else {
        Issue.record("it is no result")
        return
      }
      #expect(node == element(answer))
      let timeline = try #require(try await session.timeline())
      #expect(try timeline.bytes(ofRecord: stamp.record) == Array(answer.utf8))
      await session.close()
    }
  }

  @Test("An error is thrown with its condition and its words")
  func refused() async throws {
    let attack = try Attack(
      Self.online(
        Turn(
          heard: "id=\"q\"",
          said: """
            <iq type='error' id='q' from='x.test'><error type='cancel'>\
            <item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>
            """)))
    _ = try await attack.run { session in
      let error = await error { () throws(LiveError) in try await session.send(Self.request) }
      #expect(error == .refused(StanzaError(type: "cancel", condition: "item-not-found")))
      await session.close()
    }
  }

  @Test("A message is acknowledged when the server says so, and not before")
  func acknowledged() async throws {
    // Two other stanzas precede it: presence and the get of the block list follow the roster get.
    let attack = try Attack(
      Self.counted + [
        Turn(heard: "id=\"m\"", said: "<a xmlns='urn:xmpp:sm:3' h='3'/><message id='between'/>"),
        Turn(heard: "id=\"after\"", said: "<a xmlns='urn:xmpp:sm:3' h='5'/>"),
      ])
    _ = try await attack.run { session in
      let arrived = await session.stanzas()
      async let sent = session.send(element("<message id='m'/>"))
      for await stanza in arrived where stanza.element.attribute("id") == "between" { break }
      #expect(await session.pendingRequests.count == 1)
      async let after = session.send(element("<message id='after'/>"))
      let answers = try await [sent, after]
      #expect(answers == [.acknowledged, .acknowledged])
      await session.close()
    }
  }

  @Test("A server that counts nothing gets a message, and nothing is known of it")
  func written() async throws {
    let attack = try Attack(Self.online(Turn(heard: "<body>hi</body>", said: "")))
    let result = try await attack.run { session in
      let answer = try await session.send(ChatMessage("hi", to: Self.bob))
      #expect(answer == .written)
      await session.close()
    }
    #expect(result.heard.joined().contains("<body>hi</body>"))
  }

  @Test("A lost connection ends the wait, and says whether the stanza is sent again")
  func lost() async throws {
    let cut = Turn(heard: "id=\"m\"", said: "", closes: true)
    for (script, isSentAgain) in [(Self.counted + [cut], true), (Self.online(cut), false)] {
      let request = element("<iq type='get' id='m' to='x.test'><q xmlns='x'/></iq>")
      let attack = try Attack(script, Words.last)
      _ = try await attack.run { session in
        let error = await error { () throws(LiveError) in try await session.send(request) }
        #expect(error == .outcomeUnknown(willBeSentAgain: isSentAgain))
      }
    }
  }

  @Test("A cancelled task ends the wait at once")
  func cancelled() async throws {
    let attack = try Attack(Self.online(Turn(heard: "id=\"q\"", said: "")))
    _ = try await attack.run { session in
      let task = Task {
        await error { () throws(LiveError) in try await session.send(Self.request) }
      }
      while await session.pendingRequests.isEmpty { await Task.yield() }
      task.cancel()
      #expect(await task.value == .outcomeUnknown(willBeSentAgain: false))
      #expect(await session.pendingRequests.isEmpty)
      await session.close()
    }
  }

  private static let version =
    "<iq type='get' id='v' from='bob@example.test/x'><query xmlns='jabber:iq:version'/></iq>"

  @Test("The application answers a request, once, with a result or an error")
  func answers() async throws {
    let first = Turn(heard: "id=\"q\"", said: Self.version)
    let second = Turn(heard: "id=\"v\"", said: Self.version.replacing("'v'", with: "'w'"))
    let result = try await Attack(Self.online(first, second)).run { session in
      var arrived = await session.stanzas().makeAsyncIterator()
      await session.answerRequests(in: ["jabber:iq:version"])
      // Anything that lets the server go on.
      async let unanswered = error { () throws(LiveError) in try await session.send(Self.request) }
      let request = try #require(await arrived.next())
      let payload = XMPPElement.element(
        "query", "jabber:iq:version", [], [.element("name", "jabber:iq:version", text: "App")])
      try await session.answer(request, with: payload)
      let again = await error { () throws(LiveError) in try await session.answer(request) }
      #expect(again == .notAStanza("no request is open that it answers"))
      let other = try #require(await arrived.next())
      let reason = StanzaError(type: "auth", condition: "forbidden", text: "no")
      let unfit = await error { () throws(LiveError) in
        try await session.refuse(other, with: StanzaError(condition: "a b"))
      }
      guard case .notAStanza? = unfit else {
        Issue.record("\(unfit as Any)")
        return
      }
      try await session.refuse(other, with: reason)
      await session.close()
      _ = await unanswered
    }
    let heard = result.heard.joined()
    #expect(
      heard.contains(
        """
        <iq type="result" id="v" to="bob@example.test/x"><query xmlns="jabber:iq:version">\
        <name>App</name></query></iq>
        """))
    #expect(
      heard.contains(
        """
        <iq type="error" id="w" to="bob@example.test/x"><error type="auth"><forbidden \
        xmlns="urn:ietf:params:xml:ns:xmpp-stanzas"/><text \
        xmlns="urn:ietf:params:xml:ns:xmpp-stanzas">no</text></error></iq>
        """))
    #expect(!heard.contains("service-unavailable"))
  }

  @Test("A request that the application leaves is refused after a while")
  func leftAlone() async throws {
    var attack = try Attack(
      Words.online + [
        Words.roster(), Turn(heard: "id=\"q\"", said: Self.version),
        Turn(heard: "service-unavailable", said: "<iq type='result' id='q' from='x.test'/>"),
      ])
    (attack.timeouts.beat, attack.timeouts.silentBeats) = (5, .max)
    let result = try await attack.run { session in
      await session.answerRequests(in: ["jabber:iq:version"])
      try await session.send(Self.request)
      await session.close()
    }
    let refusals = result.heard.joined().matches(of: /<iq type="error" id="v"/)
    #expect(refusals.count == 1)
  }

  @Test("An id that is used again before the first answer is delivered has its own answer")
  func sameID() async throws {
    @Sendable func answer(_ text: String) -> String {
      "<iq type='result' id='q' from='x.test'><q xmlns='x'>\(text)</q></iq>"
    }
    let attack = try Attack(
      Self.online(
        Turn(heard: "id=\"q\"", said: ""), Turn(heard: "id=\"q\"", said: answer("second"))))
    _ = try await attack.run { session in
      async let first = session.send(Self.request)
      while await session.pendingRequests.isEmpty { await Task.yield() }
      let second = try await session.receive(answer("first"), thenSend: Self.request)
      for (found, text) in [(try await first, "first"), (second, "second")] {
        guard case .result(let node, _) = found else {
          Issue.record("\(found) is no result")
          continue
        }
        #expect(node.child("q", in: "x")?.text == text)
      }
      await session.close()
    }
  }

  @Test("A stanza that cannot be recorded is not reported as written")
  func unrecorded() async throws {
    let attack = try Attack(Self.online())
    let result = try await attack.run { session in
      await session.failToRecord(after: "unrecorded")
      let error = await error { () throws(LiveError) in
        try await session.send(element("<message id='unrecorded'/>"))
      }
      #expect(error == .outcomeUnknown(willBeSentAgain: false))
      await session.waitUntilEnded()
    }
    guard case .recording? = result.failure else {
      Issue.record("\(result.failure as Any)")
      return
    }
    #expect(!result.heard.joined().contains("unrecorded"))
  }

  @Test("A command without an answer that cannot be recorded has not succeeded")
  func unrecordedCommand() async throws {
    let asks = "<presence from='bob@example.test' type='subscribe'/>"
    let attack = try Attack(Words.online + [Words.roster(then: asks)])
    let result = try await attack.run { session in
      for await update in await session.updates()
      where update.roster.incoming[Self.bob.bare] != nil { break }
      await session.failToRecord(after: "subscribed")
      let error = await error { () throws(LiveError) in
        try await session.perform(.accept(Self.bob.bare))
      }
      #expect(error == .outcomeUnknown(willBeSentAgain: false))
      await session.waitUntilEnded()
    }
    #expect(!result.heard.joined().contains("subscribed"))
  }

  @Test("An overdue answer to a stanza that a resumed session sends again leaves it unknown")
  func overdue() async throws {
    // The server has acknowledged the request (the fourth stanza), or not, or it counts nothing.
    let acknowledged = Turn(heard: "id=\"q\"", said: "<a xmlns='urn:xmpp:sm:3' h='4'/>")
    for (script, isAcknowledged, expected) in [
      (Self.counted, false, LiveError.outcomeUnknown(willBeSentAgain: true)),
      (Self.counted + [acknowledged], true, .timeout), (Self.online(), false, .timeout),
    ] {
      let attack = try Attack(script)
      _ = try await attack.run { session in
        let task = Task {
          await error { () throws(LiveError) in try await session.send(Self.request) }
        }
        while await session.pendingRequests.isEmpty { await Task.yield() }
        while isAcknowledged, await session.hasUnacknowledged { await Task.yield() }
        await session.makeRequestsOverdue()
        #expect(await task.value == expected)
        await session.close()
      }
    }
  }

  @Test("A command without an answer in time may still be sent again", arguments: [false, true])
  func overdueCommand(counts: Bool) async throws {
    _ = try await Attack(counts ? Self.counted : Self.online()).run { session in
      let task = Task { try await session.perform(.add(Self.bob.bare)) }
      while await session.pendingCommands.isEmpty { await Task.yield() }
      await session.makeCommandsOverdue()
      if counts {
        await #expect(throws: LiveError.outcomeUnknown(willBeSentAgain: true)) {
          try await task.value
        }
      } else {
        await #expect(throws: LiveError.timeout) { try await task.value }
      }
      await session.close()
    }
  }

  @Test("Without a session, and for what is no stanza, nothing is sent")
  func notSent() async throws {
    let login = LiveLogin(account: Talk.account, password: Password("x"))
    let session = try LiveSession(login)
    #expect(
      await error { () throws(LiveError) in try await session.send(Self.request) }
        == .failure(.notOnline))
    let error = await error { () throws(LiveError) in
      try await session.send(element("<r xmlns='urn:xmpp:sm:3'/>"))
    }
    guard case .notAStanza = error else {
      Issue.record("\(error as Any)")
      return
    }
    await session.close()
  }

  @Test("What arrives is told in order, each stanza with its record, and nothing else")
  func arrived() async throws {
    let stanzas = [
      "<message id='1'/>", "<presence id='2' from='bob@example.test/x'/>", "<message id='3'/>",
    ]
    let attack = try Attack(
      Self.online(
        Turn(
          heard: "id=\"q\"",
          said: stanzas[0] + " <r xmlns='urn:xmpp:sm:3'/>" + stanzas[1]
            + "<unknown xmlns='x'/>" + stanzas[2] + "<iq type='result' id='q' from='x.test'/>")))
    _ = try await attack.run { session in
      let arrived = await session.stanzas()
      try await session.send(Self.request)
      let timeline = try #require(try await session.timeline())
      var seen: [String] = []
      for await stanza in arrived {
        if stanza.element.attribute("id") == "q" { break }
        #expect(stanza.missed == 0)
        let bytes = try #require(try timeline.bytes(ofRecord: stanza.stamp.record))
        seen.append(String(decoding: bytes, as: UTF8.self))
      }
      #expect(seen == stanzas)
      await session.close()
      // Of a session that is over there is nothing to come.
      for await stanza in await session.stanzas() { Issue.record("\(stanza)") }
    }
  }

  @Test("A slow watcher misses the latest stanzas, and is told how many")
  func slow() async throws {
    let flood = (1...6).map { "<message id='\($0)'/>" }.joined()
    let attack = try Attack(
      Self.online(
        Turn(heard: "id=\"q\"", said: flood + "<iq type='result' id='q' from='x.test'/>"),
        Turn(heard: "id=\"q\"", said: "<iq type='result' id='q' from='x.test'/>")))
    _ = try await attack.run { session in
      var iterator = await session.stanzas(limit: 2).makeAsyncIterator()
      try await session.send(Self.request)
      for id in ["1", "2"] {
        let stanza = await iterator.next()
        #expect(stanza?.element.attribute("id") == id && stanza?.missed == 0)
      }
      try await session.send(Self.request)
      let next = await iterator.next()
      // Messages 3 to 6, and the answer to the first request.
      #expect(next?.element.attribute("id") == "q" && next?.missed == 5)
      await session.close()
    }
  }
}

extension LiveSession {
  /// Receives a text and sends a stanza before the text is on disk.
  fileprivate func receive(
    _ text: String, thenSend stanza: XMPPElement
  ) async throws(LiveError) -> StanzaAnswer {
    bytesReceived(Array(text.utf8), on: connections)
    readCompleted(on: connections)
    return try await send(stanza)
  }

  /// Fails to record something once a text was passed on to be recorded, and before it is on disk.
  fileprivate func failToRecord(after text: String) async {
    while isFlushing { await Task.yield() }
    failWhenPassedOn(text)
  }

  private func failWhenPassedOn(_ text: String) {
    guard !outbox.contains(where: { String(decoding: $0, as: UTF8.self).contains(text) }) else {
      record { throw RollcallError(.log, "of a test") }
      return flush()
    }
    loop.execute { self.assumeIsolated { $0.failWhenPassedOn(text) } }
  }

  fileprivate var hasUnacknowledged: Bool {
    machine?.resumption?.management.unacknowledgedCount != 0
  }

  /// Ends the waits for commands, as after a minute without an answer.
  fileprivate func makeCommandsOverdue() {
    for answer in session.timeouts(at: now + 120_000) { commandAnswered(answer) }
  }

  /// Ends the waits for requests, as after a minute without an answer.
  func makeRequestsOverdue() {
    for name in pendingRequests.keys { pendingRequests[name]?.sent = 0 }
    endOverdueWaits()
  }
}
