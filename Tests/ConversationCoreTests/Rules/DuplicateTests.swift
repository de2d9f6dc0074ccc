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
      "10e: a stream has one carbon of a message",
      [carbon("received", bob("hi")), carbon("received", bob("hi"))],
      ["in hi unread", "in hi unread"]),
    ContentCase(
      "10e: two devices have a carbon each",
      [
        carbon("received", bob("hi")), carbon("received", bob("hi")), .bound(connection: 2),
        carbon("received", bob("hi")), carbon("received", bob("hi")),
      ], ["in hi unread", "in hi unread"]),
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

  /// A text without ids that the archive has at noon.
  private static let archived: [Dialogue.Step] = [
    fromBob("hi"), query("q"), result("1", bob("hi"), stamp: stamp), fin("q"),
  ]

  /// What our server kept for us since a time.
  private static func late(_ body: String, _ time: String, _ more: String = "") -> Dialogue.Step {
    fromBob(body, delay(time, from: "example.test") + more)
  }

  private static let lateCarbon = carbon(
    "received", bob("hi"), from: Dialogue.account, delay(stamp, from: "example.test"))

  private static let inbox = Dialogue.Step.bound(connection: 2)

  static let delayed: [ContentCase] = [
    ContentCase(
      "an archived text that was kept for the next session", archived + [inbox, late("hi", stamp)],
      ["in hi unread"]),
    ContentCase(
      "a carbon of it that was kept for another device",
      archived + [
        inbox,
        carbon("received", bob("hi"), delay("2026-11-26T12:00:00.900Z", from: Dialogue.account)),
      ], ["in hi unread"]),
    ContentCase(
      "one that only the archive has shown",
      [query("q"), result("1", bob("hi"), stamp: stamp), fin("q"), late("hi", stamp)],
      ["in hi unread"]),
    ContentCase(
      "ours, in the carbon of another device",
      [
        toBob("hi"), query("q"),
        result(
          "1", message(from: "alice@example.test/d1", to: "bob@example.test", "hi"), stamp: stamp),
        inbox,
        carbon(
          "sent", message(from: "alice@example.test/d1", to: "bob@example.test", "hi"),
          delay(stamp, from: Dialogue.account)),
      ], ["out hi acknowledged"]),
    ContentCase(
      "two of one second",
      archived + [
        query("p"), result("2", bob("hi"), stamp: stamp), fin("p"), inbox, late("hi", stamp),
        late("hi", stamp),
      ], ["in hi unread", "in hi unread"]),
    ContentCase(
      "a second one that the archive was not asked for",
      archived + [inbox, late("hi", stamp), late("hi", stamp)], ["in hi unread", "in hi unread"]),
    ContentCase(
      "two carbons of one second, of which the archive was asked for one",
      archived + [inbox, lateCarbon, lateCarbon], ["in hi unread", "in hi unread"]),
    ContentCase(
      "each of two carbons once for each device",
      archived + [inbox, lateCarbon, lateCarbon, .bound(connection: 3), lateCarbon, lateCarbon],
      ["in hi unread", "in hi unread"]),
    ContentCase(
      "with a stamp that names no server", archived + [inbox, fromBob("hi", delay(stamp))],
      ["in hi unread", "in hi unread"]),
    ContentCase(
      "of another second", archived + [inbox, late("hi", "2026-11-26T12:00:01Z")],
      ["in hi unread", "in hi unread"]),
    ContentCase(
      "not delayed", archived + [inbox, fromBob("hi")], ["in hi unread", "in hi unread"]),
    ContentCase(
      "on the stream that has delivered it", archived + [late("hi", stamp)],
      ["in hi unread", "in hi unread"]),
    ContentCase(
      "with another text", archived + [inbox, late("ho", stamp)], ["in hi unread", "in ho unread"]),
    ContentCase(
      "with an id", archived + [inbox, fromBob("hi", id: "a", delay(stamp, from: "example.test"))],
      ["in hi unread", "in hi unread"]),
    ContentCase(
      "with another archive id", archived + [inbox, late("hi", stamp, stanzaID("2"))],
      ["in hi unread", "in hi unread"]),
    ContentCase(
      "with a stamp of its sender",
      archived + [inbox, fromBob("hi", delay(stamp, from: "bob@example.test"))],
      ["in hi unread", "in hi unread"]),
  ]

  @Test("10e: what was delivered late is what an archive has of that time", arguments: delayed)
  func delayedCopies(_ test: ContentCase) {
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
