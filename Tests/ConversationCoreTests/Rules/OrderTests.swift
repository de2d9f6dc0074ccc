import TestSupport
import Testing

@testable import ConversationCore

@Suite("Order, and findings about sessions (rules 34 and 35)")
struct OrderTests {
  static func bob(_ body: String) -> String {
    message(from: "bob@example.test/peer", to: Dialogue.account, id: body, body)
  }

  private static func sent(_ body: String) -> String {
    message(from: "alice@example.test/d1", to: "bob@example.test", id: body, body)
  }

  static func at(_ time: String) -> String { "2026-11-26T\(time)Z" }

  static let rule34: [ContentCase] = [
    ContentCase("live, by record", [fromBob("1"), fromBob("2")], ["1", "2"]),
    ContentCase(
      "a page of the archive",
      [
        query("q"), result("a", bob("1"), stamp: at("11:00:01")),
        result("b", bob("2"), stamp: at("11:00:01")), result("c", bob("3"), stamp: at("11:00:02")),
      ], ["1", "2", "3"]),
    ContentCase(
      "pages backwards within one second",
      [
        query("q", "<before/>"), result("c", bob("3"), stamp: at("11:00:01")),
        result("d", bob("4"), stamp: at("11:00:01")), fin("q", complete: false),
        query("p", "<before>c</before>"), result("a", bob("1"), stamp: at("11:00:01")),
        result("b", bob("2"), stamp: at("11:00:01")), fin("p"),
      ], ["1", "2", "3", "4"]),
    ContentCase(
      "pages forwards within one second",
      [
        query("q"), result("a", bob("1"), stamp: at("11:00:01")),
        result("b", bob("2"), stamp: at("11:00:01")), fin("q", complete: false),
        query("p", "<after>b</after>"), result("c", bob("3"), stamp: at("11:00:01")), fin("p"),
      ], ["1", "2", "3"]),
    ContentCase(
      "a gap that is filled later",
      [
        fromBob("1", id: "1", stanzaID("a")), .wait(60_000),
        fromBob("4", id: "4", stanzaID("d")), query("q", "<after>a</after>"),
        result("b", bob("2"), stamp: at("12:00:30")), result("c", bob("3"), stamp: at("12:00:31")),
        result("d", bob("4"), stamp: at("12:01:00")), fin("q"),
      ], ["1", "2", "3", "4"]),
    ContentCase(
      "the archive's order counts before the clock's",
      [
        toBob("1", id: "1"), fromBob("2", id: "2", stanzaID("a")), query("q"),
        result("a", bob("2"), stamp: at("12:00:00")),
        result(
          "b", message(from: "alice@example.test/d1", to: "bob@example.test", id: "1", "1"),
          stamp: at("12:00:00")), fin("q"),
      ], ["2", "1"]),
    ContentCase(
      "what we sent again is no bound for what no archive has",
      [
        fromBob("1", id: "1", stanzaID("a")), .wait(10_000), toBob("5", id: "5"), .wait(10_000),
        toBob("2", id: "2"), .lost, .wait(30_000), .bound(connection: 2), toBob("5", id: "5"),
        // Another page has shown it before.
        query("p", "<before/>"), result("e", sent("5"), stamp: at("12:00:50")),
        fin("p", complete: false), query("q", "<after>a</after>"),
        result("c", bob("3"), stamp: at("12:00:30")), result("d", bob("4"), stamp: at("12:00:31")),
        result("e", sent("5"), stamp: at("12:00:50")), fin("q"),
      ], ["1", "2", "3", "4", "5"], findings: ["sent-again"]),
    ContentCase(
      "pages after and before a correction, which keeps the place of its message",
      [
        fromBob("1", id: "1", stanzaID("a")), .wait(10_000), fromBob("2", id: "2", stanzaID("b")),
        .wait(10_000), fromBob("1", id: "x", replaces("1") + stanzaID("d")), .wait(10_000),
        query("p", "<before>d</before>"), result("c", bob("3"), stamp: at("12:00:15")), fin("p"),
        query("q", "<after>d</after>"), result("e", bob("4"), stamp: at("12:00:25")), fin("q"),
      ], ["1", "2", "3", "4"]),
    ContentCase(
      "what no archive has keeps its place by time",
      [
        fromBob("2"), .wait(3_600_000), query("q"),
        result("a", bob("1"), stamp: at("11:00:00")), result("b", bob("3"), stamp: at("12:30:00")),
      ], ["1", "2", "3"]),
    ContentCase(
      "a page whose stamps decrease",
      [
        query("q"), result("c", bob("3"), stamp: at("11:00:03")),
        result("b", bob("2"), stamp: at("11:00:02")), result("a", bob("1"), stamp: at("11:00:01")),
        fin("q"),
      ], ["1", "2", "3"], findings: ["archive-reversed"]),
    ContentCase(
      "a page of one second is not reversed",
      [
        query("q"), result("b", bob("1"), stamp: at("11:00:02")),
        result("a", bob("2"), stamp: at("11:00:02")), fin("q"),
      ], ["1", "2"]),
    ContentCase(
      "a late delivery",
      [fromBob("2"), fromBob("1", delay(at("11:00:00"), from: "example.test"))], ["1", "2"],
      findings: ["out-of-order"]),
  ]

  @Test("Rule 34: the order of messages", arguments: rule34)
  func order(_ test: ContentCase) {
    let dialogue = Dialogue.online(test.steps)
    #expect(dialogue.bodies() == test.expected)
    #expect(dialogue.findings.filter { $0 != "maybe-lost" } == test.findings)
  }

  @Test("Rule 34: without a clock, the order of records decides")
  func noClock() {
    let dialogue = Dialogue(
      hasClock: false,
      [
        .bound(connection: 1), fromBob("1"), fromBob("2"), query("q"),
        result("a", Self.bob("3"), stamp: Self.at("11:00:00")),
      ])
    #expect(dialogue.bodies() == ["1", "2", "3"])
  }

  @Test("What we wrote once is where the archive has it, although two devices were shown it")
  func shownToTwoDevices() {
    let room = RoomTests.room
    func shown(_ nick: String, _ body: String, _ id: String) -> Dialogue.Step {
      fromRoom(nick, body, id: body, stanzaID(id, by: room))
    }
    let both: [Dialogue.Step] =
      [.bound(connection: 1)] + enter() + [.bound(connection: 2)] + enter()
    let dialogue = Dialogue(
      both + [
        .back(1), shown("bob", "1", "a"), toRoom("3", id: "3"), shown("alice", "3", "c"),
        .back(2), shown("bob", "1", "a"), shown("alice", "3", "c"),
        query("q", to: room, "<after>a</after>"),
        // The clock of the room is ahead of ours.
        result(
          "b", message(from: room + "/bob", type: "groupchat", id: "2", "2"),
          stamp: Self.at("12:00:30"), from: room),
        fin("q", from: room, complete: false),
      ])
    #expect(dialogue.bodies(room, .group) == ["1", "2", "3"])
  }

  static let sm: [Dialogue.Step] = [
    .sent("<enable xmlns='urn:xmpp:sm:3' resume='true'/>"),
    .received("<enabled xmlns='urn:xmpp:sm:3' id='s' resume='true'/>"),
  ]

  static let rule35: [ContentCase] = [
    ContentCase("one session", [fromBob("1")], []),
    ContentCase(
      "a new session, and no query", [fromBob("1"), .ended, .bound(connection: 2)], [],
      findings: ["gap"]),
    ContentCase(
      "a new session, and a query",
      [
        fromBob("1"), .ended, .bound(connection: 2), query("q"), fin("q"),
      ], []),
    ContentCase(
      "a second device", [fromBob("1"), .bound(connection: 2)], []),
    ContentCase(
      "a resumption",
      sm + [
        .lost, .connected(2), .sent("<resume xmlns='urn:xmpp:sm:3' previd='s' h='0'/>"),
        .received("<resumed xmlns='urn:xmpp:sm:3' previd='s' h='0'/>"),
      ], []),
    ContentCase(
      "no resumption was tried",
      sm + [.lost, .bound(connection: 2), query("q"), fin("q")], [],
      findings: ["resume-not-tried"]),
    ContentCase(
      "a resumption that failed",
      sm + [
        .lost, .connected(2), .sent("<resume xmlns='urn:xmpp:sm:3' previd='s' h='0'/>"),
        .received("<failed xmlns='urn:xmpp:sm:3'/>"), .bound(connection: 2), query("q"), fin("q"),
      ], []),
  ]

  @Test("Rule 35: sessions", arguments: rule35)
  func sessions(_ test: ContentCase) {
    #expect(Dialogue.online(test.steps).findings == test.findings)
  }
}
