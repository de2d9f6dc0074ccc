import TestSupport
import Testing

@testable import ConversationCore

/// What signs say of a message of ours that was corrected, in whatever order the log shows them.
@Suite("The state of what we corrected (rules 14, 17 and 20)")
struct CorrectionStateTests {
  private static let elsewhere = "alice@example.test/d2"

  private static func archived(
    _ archiveID: String, _ body: String, id: String, _ time: String, _ more: String = ""
  ) -> Dialogue.Step {
    result(
      archiveID, message(from: elsewhere, to: "bob@example.test", id: id, body, more),
      stamp: "2026-11-26T\(time)Z")
  }

  /// A marker of bob that arrives late, with the time at which he sent it.
  private static func marker(_ id: String, _ time: String) -> Dialogue.Step {
    StateTests.bobSays(displayed(id) + delay("2026-11-26T\(time)Z", from: "example.test"))
  }

  private static let hello = archived("a1", "helo", id: "m", "11:00:01")
  private static let later = archived("a2", "later", id: "n", "11:00:03")
  private static let hello2 = archived("a3", "hello", id: "c", "11:00:05", replaces("m"))

  private static let first = archived("a0", "first", id: "f", "11:00:00")
  private static let last = archived("a9", "last", id: "o", "11:00:05")

  static let markers: [ContentCase] = [
    ContentCase(
      "a marker after a correction that the archive shows later",
      [query("q"), hello, marker("m", "11:00:07"), hello2], ["out hello displayed was helo"]),
    ContentCase(
      "a marker before it",
      [query("q"), hello, marker("m", "11:00:03"), hello2], ["out hello acknowledged was helo"]),
    ContentCase(
      "a marker before it that arrives after it",
      [query("q"), hello, hello2, marker("m", "11:00:03")], ["out hello acknowledged was helo"]),
    ContentCase(
      "a marker for a later message",
      [query("q"), hello, later, marker("n", "11:00:07"), hello2],
      ["out hello displayed was helo", "out later displayed"]),
    ContentCase(
      "a second marker covers what was corrected after the first one",
      [
        query("q"), hello, later, marker("n", "11:00:04"), hello2,
        archived("a4", "last", id: "o", "11:00:06"), marker("o", "11:00:07"),
      ],
      ["out hello displayed was helo", "out later displayed", "out last displayed"]),
    ContentCase(
      "a second marker for a message before it does not",
      [
        query("q"), archived("a0", "first", id: "f", "11:00:00"), hello, later,
        marker("n", "11:00:04"), hello2, marker("f", "11:00:07"),
      ],
      ["out first displayed", "out hello acknowledged was helo", "out later displayed"]),
    ContentCase(
      "a second marker for the message itself does",
      [query("q"), hello, later, marker("n", "11:00:04"), hello2, marker("m", "11:00:07")],
      ["out hello displayed was helo", "out later displayed"]),
    ContentCase(
      "a marker after a correction that was an entry before the archive had its text",
      [query("q"), hello2, marker("m", "11:00:07"), hello], ["out hello displayed was helo"]),
    ContentCase(
      "a marker between the furthest and the last one",
      [query("q"), first, hello, later, last] + [
        marker("o", "11:00:10"), marker("n", "11:00:20"), marker("f", "11:00:30"),
        archived("a4", "hello", id: "c", "11:00:15", replaces("m")),
      ],
      [
        "out first displayed", "out hello displayed was helo", "out later displayed",
        "out last displayed",
      ]),
    ContentCase(
      "only markers that are before it, or too early",
      [query("q"), first, hello, later, last] + [
        marker("o", "11:00:10"), marker("n", "11:00:20"), marker("f", "11:00:30"),
        archived("a4", "hello", id: "c", "11:00:25", replaces("m")),
      ],
      [
        "out first displayed", "out hello acknowledged was helo", "out later displayed",
        "out last displayed",
      ]),
    ContentCase(
      "a marker that is older than one that arrived before it, and goes further",
      [query("q"), hello, later, last] + [
        marker("n", "11:00:20"), marker("o", "11:00:10"),
        archived("a4", "hello", id: "c", "11:00:15", replaces("m")),
      ],
      ["out hello displayed was helo", "out later displayed", "out last displayed"]),
    ContentCase(
      "a marker for a later message before a correction that was an entry",
      [query("q", "<before/>"), later, hello2, fin("q", complete: false)] + [
        marker("n", "11:00:04"), query("p", "<before>a2</before>"), hello,
      ],
      ["out hello acknowledged was helo", "out later displayed"]),
    ContentCase(
      "a live correction after a marker",
      [
        toBob("helo", id: "m"), StateTests.bobSays(displayed("m")),
        toBob("hello", id: "c", replaces("m")),
      ], ["out hello sent was helo"]),
  ]

  @Test("A marker covers a correction that is not newer", arguments: markers)
  func markersOfCorrections(_ test: ContentCase) {
    let dialogue = Dialogue.online(test.steps)
    #expect(dialogue.lines() == test.expected)
  }

  private static let enabled: [Dialogue.Step] = [
    .sent("<enable xmlns='urn:xmpp:sm:3' resume='true'/>"),
    .received("<enabled xmlns='urn:xmpp:sm:3' id='s' resume='true'/>"),
  ]

  private static func acknowledged(_ count: Int) -> Dialogue.Step {
    .received("<a xmlns='urn:xmpp:sm:3' h='\(count)'/>")
  }

  private static let correction = toBob("hello", id: "c", replaces("m"))

  static let acknowledgements: [ContentCase] = [
    ContentCase(
      "of a correction whose text the archive shows later",
      enabled + [correction, query("q"), hello, fin("q"), acknowledged(1)],
      ["out hello acknowledged was helo"]),
    ContentCase(
      "of the query before it only",
      enabled + [query("q"), correction, hello, fin("q"), acknowledged(1)],
      ["out hello sent was helo"]),
    ContentCase(
      "of a correction after one that the archive shows later",
      enabled + [toBob("helo", id: "m"), correction, query("q")] + [
        archived("a3", "hallo", id: "x", "11:59:59", replaces("m")), fin("q"), acknowledged(2),
      ], ["out hello acknowledged was helo, hallo"]),
    ContentCase(
      "of the text, which was corrected",
      enabled + [toBob("helo", id: "m"), correction, acknowledged(1)],
      ["out hello sent was helo"]),
    ContentCase(
      "none, and a lost connection",
      enabled + [correction, query("q"), hello, fin("q"), correction, .lost],
      ["out hello unconfirmed was helo"]),
  ]

  @Test("An h acknowledges a correction, wherever it is kept by then", arguments: acknowledgements)
  func acknowledgedCorrections(_ test: ContentCase) {
    let dialogue = Dialogue.online(test.steps)
    #expect(dialogue.lines() == test.expected)
  }

  @Test("A correction that became a version is not lost as an entry of its own")
  func foldedAndLost() {
    let found = Dialogue.online(
      Self.correction, .lost, .wait(60_000), .bound(connection: 2), query("q"), Self.hello,
      Self.archived("a3", "hello", id: "c", "12:00:00", replaces("m")), fin("q"))
    #expect(found.lines() == ["out hello acknowledged was helo"])
    #expect(!found.findings.contains("maybe-lost"))
    let missing = Dialogue.online(
      Self.correction, .lost, .wait(60_000), .bound(connection: 2), query("q"), Self.hello,
      fin("q"))
    #expect(missing.lines() == ["out hello unconfirmed was helo"])
    #expect(missing.findings.filter { $0 == "maybe-lost" } == ["maybe-lost"])
  }

  @Test("A chain of corrections is folded in whatever order an archive shows it")
  func chain() {
    func own(_ body: String, _ id: String, _ more: String = "") -> String {
      message(from: "bob@example.test/peer", to: Dialogue.account, id: id, body, more)
    }
    var dialogue = Dialogue.online(
      fromBob("third", id: "b3", replaces("b2")), query("q1", "<before/>"),
      result("a2", own("second", "b2", replaces("b1")), stamp: "2026-11-26T11:00:03Z"),
      fin("q1", complete: false))
    // The text may never be shown.
    #expect(dialogue.lines() == ["in third unread was second"])
    #expect(dialogue.findings == ["correction-of-unknown"])
    dialogue.take(query("q2", "<before>a2</before>"))
    dialogue.take(result("a1", own("first", "b1"), stamp: "2026-11-26T11:00:01Z"))
    dialogue.take(fin("q2"))
    #expect(dialogue.lines() == ["in third unread was first, second"])
    #expect(dialogue.findings.isEmpty)
  }
}
