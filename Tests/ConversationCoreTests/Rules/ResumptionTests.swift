import TestSupport
import Testing

@testable import ConversationCore

/// What a session that is resumed shows, or one that is not (XEP-0198 §5).
@Suite("Resumptions (rules 6, 10, 14 and 35)")
struct ResumptionTests {
  // MARK: Rules 14 and 35

  private let success =
    "<success xmlns='urn:xmpp:sasl:2'><authorization-identifier>alice@example.test/d</authorization-identifier>"

  /// A first session that is lost after a message, then the login of a second one.
  private func login(_ authenticate: String, _ answer: String) -> Dialogue {
    Dialogue.online(
      .sent("<enable xmlns='urn:xmpp:sm:3' resume='true'/>"),
      .received("<enabled xmlns='urn:xmpp:sm:3' id='s1' resume='true'/>"), toBob("hello", id: "m"),
      .lost, .connected(2),
      .sent(
        "<authenticate xmlns='urn:xmpp:sasl:2' mechanism='PLAIN'>\(authenticate)</authenticate>"),
      .received(success + answer + "</success>"))
  }

  @Test("A resumption that a login asks for was tried, and its failure may say what arrived")
  func inlineResumption() {
    let resume = "<resume xmlns='urn:xmpp:sm:3' previd='s1' h='0'/>"
    let bound = "<bound xmlns='urn:xmpp:bind:0'/>"
    let refused = login(resume, "<failed xmlns='urn:xmpp:sm:3' h='1'/>" + bound)
    #expect(refused.lines() == ["out hello acknowledged"])
    #expect(!refused.findings.contains("resume-not-tried"))
    let silent = login(resume, "<failed xmlns='urn:xmpp:sm:3'/>" + bound)
    #expect(silent.lines() == ["out hello unconfirmed"])
    #expect(!silent.findings.contains("resume-not-tried"))
    let resumed = login(resume, "<resumed xmlns='urn:xmpp:sm:3' previd='s1' h='0'/>")
    #expect(resumed.lines() == ["out hello sent"])
    let untried = login("", bound)
    #expect(untried.lines() == ["out hello unconfirmed"])
    #expect(untried.findings.contains("resume-not-tried"))
  }

  @Test("A log without the beginning of a connection has the resumption on the one that was lost")
  func resumptionOnTheLostConnection() {
    let resumed = Dialogue.online(
      .sent("<enable xmlns='urn:xmpp:sm:3' resume='true'/>"),
      .received("<enabled xmlns='urn:xmpp:sm:3' id='s1' resume='true'/>"),
      toBob("hello", id: "m"), toBob("again", id: "n"), .lost,
      .sent("<resume xmlns='urn:xmpp:sm:3' previd='s1' h='0'/>"),
      .received("<resumed xmlns='urn:xmpp:sm:3' previd='s1' h='1'/>"))
    #expect(resumed.lines() == ["out hello acknowledged", "out again sent"])
  }

  @Test("A login without a binding may say what had arrived, too")
  func unboundLogin() {
    let resume = "<resume xmlns='urn:xmpp:sm:3' previd='s1' h='0'/>"
    var dialogue = login(resume, "<failed xmlns='urn:xmpp:sm:3' h='1'/>")
    #expect(dialogue.lines() == ["out hello acknowledged"])
    dialogue.take(
      .received(
        "<iq xmlns='jabber:client' type='result' id='b'>"
          + "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>alice@example.test/d</jid></bind>"
          + "</iq>"))
    #expect(dialogue.lines() == ["out hello acknowledged"])
    #expect(!dialogue.findings.contains("resume-not-tried"))
  }

  @Test("What a resumption sends again without ids is the same message")
  func resentWithoutIDs() {
    var dialogue = login(
      "<resume xmlns='urn:xmpp:sm:3' previd='s1' h='0'/>",
      "<resumed xmlns='urn:xmpp:sm:3' previd='s1' h='0'/>")
    dialogue.take(toBob("plain"))
    dialogue.take(.lost)
    dialogue.take(.connected(3))
    dialogue.take(.sent("<resume xmlns='urn:xmpp:sm:3' previd='s1' h='0'/>"))
    dialogue.take(.received("<resumed xmlns='urn:xmpp:sm:3' previd='s1' h='0'/>"))
    dialogue.take(toBob("plain"))
    #expect(dialogue.bodies() == ["hello", "plain"])
    // What is written after that is another message, although it says the same.
    dialogue.take(toBob("plain"))
    #expect(dialogue.bodies() == ["hello", "plain", "plain"])
  }

  private static let enabled: [Dialogue.Step] = [
    .sent("<enable xmlns='urn:xmpp:sm:3' resume='true'/>"),
    .received("<enabled xmlns='urn:xmpp:sm:3' id='s' resume='true'/>"),
  ]

  /// A resumption on another connection, with the counts of both sides.
  private static func resumption(_ connection: UInt32, ours: Int, theirs: Int) -> [Dialogue.Step] {
    [
      .lost, .connected(connection),
      .sent("<resume xmlns='urn:xmpp:sm:3' previd='s' h='\(ours)'/>"),
      .received("<resumed xmlns='urn:xmpp:sm:3' previd='s' h='\(theirs)'/>"),
    ]
  }

  @Test("A session that is lost again before all was sent again has no message twice")
  func resentTwice() {
    let written: [Dialogue.Step] = [toBob("one"), toBob("two"), toBob("two"), toBob("three")]
    var dialogue = Dialogue.online(Self.enabled + written)
    for step in Self.resumption(2, ours: 0, theirs: 1) + [written[1]] { dialogue.take(step) }
    // The server has it, and then the second copy of the text and the last one are written.
    for step in Self.resumption(3, ours: 0, theirs: 2) + written[2...] { dialogue.take(step) }
    #expect(dialogue.bodies() == ["one", "two", "two", "three"])
    for step in Self.resumption(4, ours: 0, theirs: 2) + written[2...] { dialogue.take(step) }
    #expect(dialogue.bodies() == ["one", "two", "two", "three"])
    dialogue.take(toBob("three"))
    #expect(dialogue.bodies() == ["one", "two", "two", "three", "three"])
  }

  @Test("What a client did not send again before something new was not sent again")
  func notResent() {
    let dialogue = Dialogue.online(
      Self.enabled + [toBob("ok"), toBob("fine")] + Self.resumption(2, ours: 0, theirs: 0)
        + [toBob("new"), toBob("ok")])
    #expect(dialogue.bodies() == ["ok", "fine", "new", "ok"])
  }

  /// Two texts without ids from the server, which the archive shows too: five stanzas.
  private static let archived: [Dialogue.Step] = {
    func own(_ body: String) -> String {
      message(from: "bob@example.test/peer", to: account, body)
    }
    let account = Dialogue.account
    return [
      fromBob("ok"), fromBob("hi"), query("q"),
      result("a1", own("ok"), stamp: "2026-11-26T12:00:00Z"),
      result("a2", own("hi"), stamp: "2026-11-26T12:00:00Z"), fin("q"),
    ]
  }()

  /// What the server sends again, what a client had handled of it, and what is shown then.
  private static let redeliveries: [(handled: Int, steps: [Dialogue.Step], bodies: [String])] = [
    (0, [fromBob("ok"), fromBob("hi"), fromBob("new")], ["ok", "hi", "new"]),
    (1, [fromBob("hi"), fromBob("new")], ["ok", "hi", "new"]),
    // A carbon and a stamp of our server make no difference.
    (0, [fromBob("ok", delay("2026-11-26T12:00:00Z", from: Dialogue.account))], ["ok", "hi"]),
    // A client that has handled all of it receives nothing again.
    (5, [fromBob("ok"), fromBob("hi")], ["ok", "hi", "ok", "hi"]),
    // The second time, it is new.
    (0, [fromBob("ok"), fromBob("hi"), fromBob("ok")], ["ok", "hi", "ok"]),
    // The server keeps the order, and what is new comes last.
    (0, [fromBob("hi"), fromBob("ok")], ["ok", "hi", "ok"]),
    (0, [fromBob("new"), fromBob("ok")], ["ok", "hi", "new", "ok"]),
    // What has an archive id that the first one did not have is another stanza.
    (0, [fromBob("ok", stanzaID("a3"))], ["ok", "hi", "ok"]),
  ]

  @Test(
    "What the server delivers again without ids is the same message, also if an archive has it",
    arguments: redeliveries.indices)
  func redelivered(index: Int) {
    let test = Self.redeliveries[index]
    let dialogue = Dialogue.online(
      Self.enabled + Self.archived + Self.resumption(2, ours: test.handled, theirs: 1)
        + test.steps)
    #expect(dialogue.bodies() == test.bodies)
  }

  @Test("What we have acknowledged is not delivered again")
  func acknowledgedByUs() {
    let dialogue = Dialogue.online(
      Self.enabled + Self.archived + [.sent("<a xmlns='urn:xmpp:sm:3' h='5'/>")]
        + Self.resumption(2, ours: 0, theirs: 1) + [fromBob("ok")])
    #expect(dialogue.bodies() == ["ok", "hi", "ok"])
  }

  @Test("A session that is lost again before all was delivered again has no message twice")
  func redeliveredTwice() {
    let dialogue = Dialogue.online(
      Self.enabled + Self.archived + Self.resumption(2, ours: 0, theirs: 1) + [fromBob("ok")]
        + Self.resumption(3, ours: 1, theirs: 1) + [fromBob("hi"), fromBob("hi")])
    #expect(dialogue.bodies() == ["ok", "hi", "hi"])
  }

  // MARK: Rule 31

  private static let room = RoomTests.room

  /// A message of bob in a room that we leave then, and what the resumed session delivers.
  private func redelivered(_ again: Dialogue.Step..., handled: Int = 0) -> [String] {
    let steps =
      Self.enabled + enter() + [roomPresence("bob"), fromRoom("bob", "1", id: "a", Self.byRoom)]
      + RoomTests.left + Self.resumption(2, ours: handled, theirs: 0) + again
    return Dialogue.online(steps).bodies(Self.room, .group)
  }

  private static let byRoom = stanzaID("k", by: room)

  @Test("What a resumed session delivers again is of the stay that it was of")
  func redeliveredInRoom() {
    let again = fromRoom("bob", "1", id: "a", Self.byRoom)
    let stamped = fromRoom(
      "bob", "1", id: "a",
      Self.byRoom + delay("2026-11-26T12:00:00Z", from: Dialogue.account))
    #expect(redelivered(again) == ["1"])
    #expect(redelivered(stamped) == ["1"])
    #expect(redelivered(again, again) == ["1", "1"])
    #expect(redelivered(fromRoom("carol", "1", id: "a", Self.byRoom)) == ["1", "1"])
    #expect(redelivered(fromRoom("bob", "2", id: "a", Self.byRoom)) == ["1", "2"])
    #expect(redelivered(fromRoom("bob", "1", id: "b", Self.byRoom)) == ["1", "1"])
    #expect(redelivered(fromRoom("bob", "1", id: "a", stanzaID("l", by: Self.room))) == ["1", "1"])
    // Six stanzas arrived: what we have handled is of another occupant with that nick.
    #expect(redelivered(again, handled: 5) == ["1", "1"])
  }

  @Test("Of two texts that a server stamps, only the one that we have not handled comes again")
  func stampedTwins() {
    let text = fromBob("ok", delay("2026-11-26T12:00:00Z", from: Dialogue.account))
    for (handled, count) in [(0, 1), (1, 2)] {
      let steps = Self.enabled + [text] + Self.resumption(2, ours: handled, theirs: 0) + [text]
      #expect(Dialogue.online(steps).bodies().count == count, "\(handled)")
    }
  }

  @Test("A history that is delivered again after a resumption has no message twice")
  func redeliveredHistory() {
    let past = fromRoom("bob", "1", RoomTests.past)
    let start = Self.enabled + enter() + [past, past]
    // Our own presence is the first of three stanzas.
    for (handled, again, count) in [(1, 2, 2), (2, 1, 2), (3, 1, 3), (2, 2, 3)] {
      let steps = start + Self.resumption(2, ours: handled, theirs: 0)
      let dialogue = Dialogue.online(steps + Array(repeating: past, count: again))
      #expect(dialogue.bodies(Self.room, .group).count == count, "\(handled) \(again)")
    }
  }

  @Test("A resumed session is still in its rooms, although another device came online")
  func roomOfResumedSession() {
    let correction = fromRoom("bob", "2", id: "b", replaces("a"))
    let start = enter() + [roomPresence("bob"), fromRoom("bob", "1", id: "a")]
    let other: [Dialogue.Step] = [.lost, .bound(connection: 3)]
    let resumed = Dialogue.online(
      Self.enabled + start + other + Self.resumption(2, ours: 9, theirs: 0).dropFirst()
        + [correction])
    #expect(resumed.bodies(Self.room, .group) == ["2"])
    // A session that enters the room anew is told anew who is there.
    let anew = Dialogue.online(
      Self.enabled + start + other + enter() + [roomPresence("bob"), correction])
    #expect(anew.bodies(Self.room, .group) == ["1", "2"])
  }

  @Test("A resumed session moves its rooms to its connection, and enters none again")
  func movedRooms() {
    let start = Self.enabled + enter() + [roomPresence("bob"), fromRoom("bob", "1", id: "a")]
    let resumption = Self.resumption(2, ours: 9, theirs: 0)
    let other: [Dialogue.Step] = [.lost, .bound(connection: 3)]
    for steps in [start + resumption, start + other + resumption.dropFirst()] {
      let room = Dialogue.online(steps).state.rooms[bare(Self.room)]
      #expect(room?.isJoined == true && room?.joins == 1)
      #expect(room?.streams == [StreamID(connection: ConnectionID(number: 2), number: 0)])
      #expect(room?.stays.keys.map(\.text).sorted() == ["alice", "bob"])
      #expect(room?.suspendedStays.isEmpty == true)
    }
  }

  @Test("A session that was lost is in no room, although another device is online")
  func roomOfLostSession() {
    let start = Self.enabled + enter() + [roomPresence("bob"), fromRoom("bob", "1", id: "a")]
    let correction = fromRoom("bob", "2", id: "b", replaces("a"))
    let lost: [Dialogue.Step] = [.bound(connection: 3), .back(1), .lost, .back(3)]
    // Who was there may have left since; only a session that is told so is in the room.
    let anew = Dialogue.online(start + lost + enter() + [roomPresence("bob"), correction])
    #expect(anew.bodies(Self.room, .group) == ["1", "2"])
    #expect(anew.state.rooms[bare(Self.room)]?.joins == 2)
    let bound = Dialogue.online(start + lost + [.bound(connection: 4)])
    #expect(bound.state.rooms[bare(Self.room)]?.isJoined == false)
    // What is lost may still be resumed.
    let resumed = Dialogue.online(
      start + lost + [.bound(connection: 4)] + Self.resumption(2, ours: 9, theirs: 0).dropFirst()
        + [correction])
    #expect(resumed.bodies(Self.room, .group) == ["2"])
    #expect(resumed.state.rooms[bare(Self.room)]?.joins == 1)
    // A device that is in the room, too, stays there.
    let both = Dialogue.online(
      Self.enabled + enter() + [.bound(connection: 3)] + enter()
        + [roomPresence("bob"), fromRoom("bob", "1", id: "a"), .back(1), .lost]
        + [.bound(connection: 4), .back(3), correction])
    #expect(both.bodies(Self.room, .group) == ["2"])
  }

  // MARK: Rule 6

  @Test("A resumed session still awaits the answers of its archive")
  func resumedQuery() {
    let own = message(from: "bob@example.test/peer", to: Dialogue.account, id: "b", "hi")
    let asked = Self.enabled + [query("q")]
    let rest = [result("a1", own, stamp: "2026-11-26T11:00:00Z"), fin("q")]
    let resumed = Dialogue.online(asked + Self.resumption(2, ours: 0, theirs: 1) + rest)
    #expect(resumed.bodies() == ["hi"])
    #expect(resumed.findings.isEmpty && resumed.state.isComplete)
    // A new session does not.
    let bound = Dialogue.online(asked + [.lost, .bound(connection: 2)] + rest)
    #expect(bound.bodies().isEmpty && bound.findings.contains("archive-forged"))
    #expect(!bound.state.isComplete)
    let refused = Dialogue.online(
      asked + [
        .lost, .connected(2), .sent("<resume xmlns='urn:xmpp:sm:3' previd='s' h='0'/>"),
        .received("<failed xmlns='urn:xmpp:sm:3' h='1'/>"),
      ] + rest)
    #expect(refused.findings.contains("archive-forged") && !refused.state.isComplete)
  }
}
