import TestSupport
import Testing

@testable import ConversationCore

@Suite("Identity and duplicates (rules 10 to 13)")
struct DuplicateTests {
  static func bob(_ body: String, id: String? = nil, _ more: String = "") -> String {
    message(from: "bob@example.test/peer", to: Dialogue.account, id: id, body, more)
  }

  static let stamp = "2026-11-26T12:00:00Z"

  static let cases: [ContentCase] = [
    ContentCase(
      "10a: one archive id",
      [fromBob("hi", stanzaID("1")), query("q"), result("1", bob("hi"), stamp: stamp)],
      ["in hi unread"]),
    ContentCase(
      "10a: one archive id with another text",
      [fromBob("hi", stanzaID("1")), query("q"), result("1", bob("ho"), stamp: stamp)],
      ["in hi unread"]),
    ContentCase(
      "10b: one origin id",
      [fromBob("hi", originID("o")), carbon("received", bob("hi", originID("o")))],
      ["in hi unread"]),
    ContentCase(
      "10b: an origin id with another text",
      [fromBob("hi", originID("o")), fromBob("ho", originID("o"))],
      ["in hi unread", "in ho unread"]),
    ContentCase(
      "10b, 12: two archive ids",
      [
        fromBob("hi", originID("o") + stanzaID("1")), query("q"),
        result("2", bob("hi", originID("o")), stamp: stamp),
      ], ["in hi unread"], findings: ["delivered-twice"]),
    ContentCase(
      "10c: a copy with the same id",
      [fromBob("hi", id: "a"), query("q"), result("1", bob("hi", id: "a"), stamp: stamp)],
      ["in hi unread"]),
    ContentCase(
      "10c: the copy comes first",
      [
        query("q"), result("1", bob("hi", id: "a"), stamp: stamp), fin("q"), fromBob("hi", id: "a"),
      ],
      ["in hi unread"]),
    ContentCase(
      "10c: two archive ids rule it out",
      [
        fromBob("hi", id: "a", stanzaID("1")), query("q"),
        result("2", bob("hi", id: "a"), stamp: stamp),
      ], ["in hi unread", "in hi unread"]),
    ContentCase(
      "11: the same id with another text",
      [fromBob("hi", id: "a"), query("q"), result("1", bob("ho", id: "a"), stamp: stamp)],
      ["in hi unread", "in ho unread"]),
    ContentCase(
      "12: two live messages with one id",
      [fromBob("hi", id: "a"), fromBob("hi", id: "a")], ["in hi unread", "in hi unread"],
      findings: ["id-reused"]),
    ContentCase(
      "10c: two devices receive it",
      [
        fromBob("hi", id: "a"), .bound(connection: 2),
        fromBob("hi", id: "a"),
      ], ["in hi unread"]),
    ContentCase(
      "10d: a resend of ours",
      [
        toBob("hi", id: "a"), .lost, .bound(connection: 2), toBob("hi", id: "a"),
      ], ["out hi sent"], findings: ["sent-again"]),
    ContentCase(
      "10d: without an id, the same text is another message",
      [toBob("hi"), toBob("hi")], ["out hi sent", "out hi sent"]),
    ContentCase(
      "10e: no ids, live and archived",
      [
        fromBob("hi"), fromBob("hi"), query("q"), result("1", bob("hi"), stamp: stamp),
        result("2", bob("hi"), stamp: stamp),
      ], ["in hi unread", "in hi unread"]),
    ContentCase(
      "10e: a third one in the archive",
      [
        fromBob("hi", stanzaID("1")), query("q"), result("1", bob("hi"), stamp: stamp),
        result("2", bob("hi"), stamp: stamp),
      ], ["in hi unread", "in hi unread"]),
    ContentCase(
      "10e: the next session's message is another one",
      [fromBob("hi"), .ended, .bound(connection: 2), fromBob("hi")],
      ["in hi unread", "in hi unread"]),
    ContentCase(
      "10e: both devices receive it",
      [fromBob("hi"), .bound(connection: 2), fromBob("hi")], ["in hi unread"]),
    ContentCase(
      "another sender",
      [toBob("hi", id: "a"), fromBob("hi", id: "a")], ["out hi sent", "in hi unread"]),
    ContentCase(
      "ids are compared by bytes",
      [
        fromBob("hi", id: "\u{E9}"), .bound(connection: 2), fromBob("hi", id: "e\u{301}"),
      ], ["in hi unread", "in hi unread"]),
  ]

  @Test("Copies are one message, everything else is another", arguments: cases)
  func duplicates(_ test: ContentCase) {
    let dialogue = Dialogue.online(test.steps)
    #expect(dialogue.lines() == test.expected)
    #expect(dialogue.findings.filter { $0 != "gap" } == test.findings)
  }

  @Test("Rule 13: a copy adds its archive id and route")
  func routes() {
    let dialogue = Dialogue.online(
      fromBob("hi", id: "a"), carbon("received", Self.bob("hi", id: "a")), query("q"),
      result("1", Self.bob("hi", id: "a"), stamp: "2026-11-26T11:00:00Z"))
    let message = dialogue.messages()[0]
    #expect(message.routes == [.live, .carbon, .archive])
    #expect(message.archiveIDs.map(\.id.text) == ["1"])
    #expect(message.isStamped == false && message.records.count == 3)
  }

  @Test("Rule 13: a copy gives a time that was unknown")
  func unknownTime() {
    let dialogue = Dialogue(
      hasClock: false,
      [
        .bound(connection: 1), fromBob("hi", id: "a"), query("q"),
        result("1", Self.bob("hi", id: "a"), stamp: "2026-11-26T11:00:00Z"),
      ])
    #expect(dialogue.messages().map(\.time) == [1_795_690_800_000])
  }
}
