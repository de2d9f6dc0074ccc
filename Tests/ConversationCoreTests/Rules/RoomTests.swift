import TestSupport
import Testing

@testable import ConversationCore

@Suite("Rooms (rules 29 to 33)")
struct RoomTests {
  static let room = "room@rooms.example.test"

  static func inRoom(_ steps: [Dialogue.Step]) -> Dialogue { Dialogue.online(enter() + steps) }

  static let subjects: [([Dialogue.Step], String?)] = [
    ([fromRoom("bob", "", "<subject>s</subject>")], "s"),
    ([fromRoom("bob", "", "<subject>s</subject>"), fromRoom("bob", "", "<subject/>")], nil),
    ([fromRoom("bob", "hi", "<subject>s</subject>")], nil),
    ([fromRoom("bob", "", "<subject>s</subject><thread>t</thread>")], nil),
  ]

  @Test("Rule 29: a subject without body and thread is the room's", arguments: subjects)
  func subject(steps: [Dialogue.Step], subject: String?) {
    let dialogue = Self.inRoom(steps)
    #expect(dialogue.state.rooms[bare(Self.room)]?.subject == subject)
    #expect(dialogue.state.rooms[bare(Self.room)]?.nick == "alice")
  }

  static let byRoom = stanzaID("k", by: room)

  static let rule30: [ContentCase] = [
    ContentCase("not reflected yet", [toRoom("1", id: "a")], ["out 1 sent"]),
    ContentCase(
      "by our id", [toRoom("1", id: "a"), fromRoom("alice", "1", id: "a", byRoom)],
      ["out 1 acknowledged"]),
    ContentCase(
      "by our origin id",
      [
        toRoom("1", id: "a", originID("o")),
        fromRoom("alice", "1", id: "other", originID("o") + byRoom),
      ], ["out 1 acknowledged"]),
    ContentCase(
      "by content, oldest first",
      [toRoom("1"), toRoom("1"), fromRoom("alice", "1", id: "x"), fromRoom("alice", "1", id: "y")],
      ["out 1 acknowledged", "out 1 acknowledged"]),
    ContentCase(
      "of another device",
      [fromRoom("alice", "1", id: "x")], ["out 1 acknowledged"]),
    ContentCase(
      "another occupant with our id",
      [toRoom("1", id: "a"), fromRoom("bob", "1", id: "a")],
      ["out 1 sent", "in 1 unread"]),
    ContentCase(
      "it takes the place of its reflection",
      [toRoom("1", id: "a"), fromRoom("bob", "2", id: "b"), fromRoom("alice", "1", id: "a")],
      ["in 2", "out 1 acknowledged"]),
    ContentCase(
      "33: an error of the room",
      [toRoom("1", id: "a"), StateTests.error("a", from: room)], ["out 1 failed"]),
  ]

  @Test("Rule 30: reflections", arguments: rule30)
  func reflections(_ test: ContentCase) {
    let dialogue = Self.inRoom(test.steps)
    #expect(dialogue.lines(Self.room, .group) == test.expected)
    #expect(dialogue.findings == test.findings)
  }

  @Test("Rule 30: a message takes the archive id of its reflection")
  func archiveID() {
    let dialogue = Self.inRoom([toRoom("1", id: "a"), fromRoom("alice", "1", id: "a", Self.byRoom)])
    let message = dialogue.messages(Self.room, .group)[0]
    #expect(message.archiveIDs == [ArchiveID("k", in: bare(Self.room))])
  }

  @Test("Rule 30: where the join is not in the log, the reflection shows our nick")
  func unknownNick() {
    let dialogue = Dialogue.online(
      toRoom("1", id: "a"), fromRoom("me", "1", id: "a"), fromRoom("me", "2", id: "b"))
    #expect(dialogue.lines(Self.room, .group) == ["out 1 acknowledged", "out 2 acknowledged"])
  }

  static func occupant(_ id: String) -> String {
    "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='\(id)'/>"
  }

  static let renamed = roomPresence(
    "bob", type: "unavailable", "<item nick='rob'/><status code='303'/>")

  /// We enter the room anew while an occupant is there.
  static func reenter(with nick: String) -> [Dialogue.Step] {
    left + enter().prefix(1) + [roomPresence(nick)] + enter().dropFirst()
  }

  static let rule31: [ContentCase] = [
    ContentCase(
      "one stay",
      [
        roomPresence("bob"), fromRoom("bob", "1", id: "a"),
        fromRoom("bob", "2", id: "b", replaces("a")),
      ],
      ["in 2 unread was 1"]),
    ContentCase(
      "a changed nick",
      [
        roomPresence("bob"), fromRoom("bob", "1", id: "a"), renamed, roomPresence("rob"),
        fromRoom("rob", "2", id: "b", replaces("a")),
      ], ["in 2 unread was 1"]),
    ContentCase(
      "a later stay with the same nick",
      [
        roomPresence("bob"), fromRoom("bob", "1", id: "a"),
        roomPresence("bob", type: "unavailable"),
        roomPresence("bob"), fromRoom("bob", "2", id: "b", replaces("a")),
      ], ["in 1 unread", "in 2 unread"], findings: ["correction-by-another"]),
    ContentCase(
      "another nick",
      [
        roomPresence("bob"), fromRoom("bob", "1", id: "a"),
        fromRoom("carol", "2", id: "b", replaces("a")),
      ], ["in 1 unread", "in 2 unread"], findings: ["correction-by-another"]),
    ContentCase(
      "one occupant id with two nicks",
      [
        fromRoom("bob", "1", id: "a", occupant("o")),
        fromRoom("rob", "2", id: "b", occupant("o") + replaces("a")),
      ], ["in 2 unread was 1"]),
    ContentCase(
      "another occupant id with the same nick",
      [
        fromRoom("bob", "1", id: "a", occupant("o")),
        fromRoom("bob", "2", id: "b", occupant("p") + replaces("a")),
      ], ["in 1 unread", "in 2 unread"], findings: ["correction-by-another"]),
    ContentCase(
      "21: moderated by the room",
      [
        fromRoom("bob", "1", stanzaID("k", by: room)),
        fromRoom(
          nil, "",
          "<retract xmlns='urn:xmpp:message-retract:1' id='k'>"
            + "<moderated xmlns='urn:xmpp:message-moderate:1' by='\(room)/mod'/>"
            + "<reason>spam</reason></retract>"),
      ], ["in  retracted"]),
    ContentCase(
      "21: moderated by an occupant",
      [
        fromRoom("bob", "1", stanzaID("k", by: room)),
        fromRoom(
          "carol", "",
          "<retract xmlns='urn:xmpp:message-retract:1' id='k'>"
            + "<moderated xmlns='urn:xmpp:message-moderate:1' by='\(room)/mod'/></retract>"),
      ], ["in 1 unread"], findings: ["retraction-by-another"]),
    ContentCase(
      "21: retracted across our leaving, which does not end the stays of others",
      [roomPresence("bob"), fromRoom("bob", "1", byRoom)] + reenter(with: "bob")
        + [fromRoom("bob", "", retracts("k"))],
      ["in  retracted"]),
    ContentCase(
      "21: retracted by a later stay across our leaving",
      [
        roomPresence("bob"), fromRoom("bob", "1", byRoom), roomPresence("bob", type: "unavailable"),
      ] + reenter(with: "bob") + [fromRoom("bob", "", retracts("k"))],
      ["in 1 unread"], findings: ["retraction-by-another"]),
    ContentCase(
      "21: retracted by another nick across our leaving",
      [roomPresence("bob"), fromRoom("bob", "1", byRoom)] + reenter(with: "carol")
        + [fromRoom("carol", "", retracts("k"))],
      ["in 1 unread"], findings: ["retraction-by-another"]),
    ContentCase(
      "21: retracted by one who came after we were there again",
      [roomPresence("bob"), fromRoom("bob", "1", byRoom)] + left + enter()
        + [roomPresence("bob"), fromRoom("bob", "", retracts("k"))],
      ["in 1 unread"], findings: ["retraction-by-another"]),
    ContentCase(
      "20: corrected across our leaving",
      [roomPresence("bob"), fromRoom("bob", "1", id: "a")] + reenter(with: "bob")
        + [fromRoom("bob", "2", id: "b", replaces("a"))],
      ["in 1 unread", "in 2 unread"], findings: ["correction-of-unknown"]),
    ContentCase(
      "22: reactions by the room's archive id",
      [
        fromRoom("bob", "1", id: "a", stanzaID("k", by: room)),
        fromRoom("bob", "", reacts("k", "x")),
      ],
      ["in 1 unread bob x"]),
  ]

  @Test("Rule 31: occupants", arguments: rule31)
  func occupants(_ test: ContentCase) {
    let dialogue = Self.inRoom(test.steps)
    #expect(dialogue.lines(Self.room, .group) == test.expected)
    #expect(dialogue.findings == test.findings)
  }

  static let past = delay("2026-11-26T11:00:00Z", from: room)
  static let left: [Dialogue.Step] = [
    .received(
      "<presence xmlns='jabber:client' from='\(room)/alice' type='unavailable'>"
        + "<x xmlns='http://jabber.org/protocol/muc#user'><status code='110'/></x></presence>")
  ]

  private static let noon = fromRoom("bob", "1", delay("2026-11-26T12:00:00Z", from: room))

  private static func inArchive(_ body: String) -> String {
    message(from: "\(room)/bob", type: "groupchat", body)
  }

  static let rule32: [ContentCase] = [
    ContentCase(
      "19: history from before our first join is not unread", [fromRoom("bob", "1", id: "a", past)],
      ["in 1"]),
    ContentCase(
      "history after a rejoin begins with what is known",
      [fromRoom("bob", "1", id: "a")] + left + enter() + [
        fromRoom("bob", "1", id: "a", delay("2026-11-26T12:00:00Z", from: room)),
        fromRoom("bob", "2", id: "b", delay("2026-11-26T12:00:10Z", from: room)),
      ], ["in 1 unread", "in 2 unread"]),
    ContentCase(
      "history twice",
      [fromRoom("bob", "1", id: "a", past)] + left + enter() + [
        fromRoom("bob", "1", id: "a", past)
      ], ["in 1"]),
    ContentCase(
      "history of what the archive has shown without ids",
      [
        fromRoom("bob", "1"), query("q", to: room),
        result("k", inArchive("1"), stamp: "2026-11-26T12:00:00Z", from: room),
        fin("q", from: room),
      ] + left + enter() + [
        fromRoom("bob", "1", delay("2026-11-26T12:00:00Z", from: room)),
        fromRoom("carol", "1", delay("2026-11-26T12:00:00Z", from: room)),
        fromRoom("bob", "1", delay("2026-11-26T12:00:01Z", from: room)),
      ], ["in 1 unread", "in 1", "in 1 unread"]),
    ContentCase(
      "two of one second in a history, of which the archive has shown one",
      [
        fromRoom("bob", "1"), query("q", to: room),
        result("k", inArchive("1"), stamp: "2026-11-26T12:00:00Z", from: room),
        fin("q", from: room),
      ] + left + enter() + [noon, noon] + left + enter() + [noon, noon],
      ["in 1 unread", "in 1"]),
    ContentCase(
      "two of one second in each history",
      [fromRoom("bob", "1", past), fromRoom("bob", "1", past)] + left + enter()
        + [fromRoom("bob", "1", past), fromRoom("bob", "1", past)],
      ["in 1", "in 1"]),
    ContentCase(
      "what our server kept has its stamp, not that of the room's archive",
      [
        fromRoom("bob", "1"), query("q", to: room),
        result("k", inArchive("1"), stamp: "2026-11-26T12:00:00Z", from: room),
        fin("q", from: room), .bound(connection: 2),
      ] + enter() + [
        fromRoom("bob", "1", delay("2026-11-26T12:00:00Z", from: Dialogue.account))
      ], ["in 1 unread", "in 1 unread"]),
    ContentCase(
      "live messages with one id and text are two",
      [fromRoom("bob", "1", id: "a"), fromRoom("bob", "1", id: "a")],
      ["in 1 unread", "in 1 unread"], findings: ["id-reused"]),
  ]

  @Test("Rule 32: the history of a room", arguments: rule32)
  func history(_ test: ContentCase) {
    let dialogue = Self.inRoom(test.steps)
    #expect(dialogue.lines(Self.room, .group) == test.expected)
    #expect(dialogue.findings == test.findings)
  }

  static let rule33: [ContentCase] = [
    ContentCase(
      "mediated",
      [
        .received(
          message(
            from: room, type: nil, "",
            "<x xmlns='http://jabber.org/protocol/muc#user'>"
              + "<invite from='bob@example.test/peer'/></x>"))
      ], ["chat bob@example.test"]),
    ContentCase(
      "direct", [fromBob("", "<x xmlns='jabber:x:conference' jid='\(room)'/>")],
      ["chat bob@example.test"]),
    ContentCase(
      "a forged inviter",
      [
        .received(
          message(
            from: "mallory@example.test/x", type: nil, "",
            "<x xmlns='http://jabber.org/protocol/muc#user'>"
              + "<invite from='bob@example.test/peer'/></x>"))
      ], ["chat mallory@example.test"]),
    ContentCase(
      "declined",
      [
        .received(
          message(
            from: room, type: nil, "",
            "<x xmlns='http://jabber.org/protocol/muc#user'>"
              + "<decline from='bob@example.test/peer'/></x>"))
      ], []),
  ]

  @Test("Rule 33: invitations are entries in the chat of the inviter", arguments: rule33)
  func invitations(_ test: ContentCase) {
    let dialogue = Dialogue.online(test.steps)
    #expect(dialogue.addresses == test.expected)
    #expect(dialogue.state.messages.allSatisfy { $0.isInvitation })
  }
}
