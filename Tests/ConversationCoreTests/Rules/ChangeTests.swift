import TestSupport
import Testing

@testable import ConversationCore

@Suite("Changes to a message (rules 20 to 23)")
struct ChangeTests {
  static func bob(_ body: String, id: String? = nil, _ more: String = "") -> String {
    message(from: "bob@example.test/peer", to: Dialogue.account, id: id, body, more)
  }

  static let rule20: [ContentCase] = [
    ContentCase(
      "the last message", [fromBob("helo", id: "a"), fromBob("hello", id: "b", replaces("a"))],
      ["in hello unread was helo"]),
    ContentCase(
      "an older message",
      [
        fromBob("helo", id: "a"), fromBob("2", id: "b"),
        fromBob("hello", id: "c", replaces("a")),
      ], ["in hello unread was helo", "in 2 unread"]),
    ContentCase(
      "twice, by the first id",
      [
        fromBob("1", id: "a"), fromBob("2", id: "b", replaces("a")),
        fromBob("3", id: "c", replaces("a")),
      ], ["in 3 unread was 1, 2"]),
    ContentCase(
      "twice, by the last id",
      [
        fromBob("1", id: "a"), fromBob("2", id: "b", replaces("a")),
        fromBob("3", id: "c", replaces("b")),
      ], ["in 3 unread was 1, 2"]),
    ContentCase(
      "by an origin id",
      [fromBob("1", id: "a", originID("o")), fromBob("2", id: "b", replaces("o"))],
      ["in 2 unread was 1"]),
    ContentCase(
      "an id before an origin id",
      [
        fromBob("1", id: "a", originID("x")), fromBob("2", id: "x"),
        fromBob("3", id: "b", replaces("x")),
      ], ["in 1 unread", "in 3 unread was 2"]),
    ContentCase(
      "of nothing", [fromBob("2", id: "b", replaces("a"))], ["in 2 unread"],
      findings: ["correction-of-unknown"]),
    ContentCase(
      "of itself", [fromBob("2", id: "b", replaces("b"))], ["in 2 unread"],
      findings: ["correction-of-unknown"]),
    ContentCase(
      "of ours by bob", [toBob("1", id: "a"), fromBob("2", id: "b", replaces("a"))],
      ["out 1 sent", "in 2 unread"], findings: ["correction-by-another"]),
    ContentCase(
      "with another type",
      [
        fromBob("1", id: "a"),
        .received(
          message(from: "bob@example.test/peer", type: nil, id: "b", "2", replaces("a"))),
      ], ["in 1 unread", "in 2 unread"], findings: ["correction-of-unknown"]),
    ContentCase(
      "from another resource",
      [
        fromBob("1", id: "a"),
        .received(message(from: "bob@example.test/phone", id: "b", "2", replaces("a"))),
      ], ["in 2 unread was 1"]),
    ContentCase(
      "again from the archive",
      [
        fromBob("1", id: "a"), fromBob("2", id: "b", replaces("a")), query("q"),
        result("x", bob("1", id: "a"), stamp: "2026-11-26T12:00:00Z"),
        result("y", bob("2", id: "b", replaces("a")), stamp: "2026-11-26T12:00:00Z"), fin("q"),
      ], ["in 2 unread was 1"]),
    ContentCase(
      "before its message, backwards through the archive",
      [
        query("q"),
        result("y", bob("2", id: "b", replaces("a")), stamp: "2026-11-26T11:00:02Z"), fin("q"),
        query("p", "<before>y</before>"),
        result("x", bob("1", id: "a"), stamp: "2026-11-26T11:00:01Z"), fin("p"),
      ], ["in 2 unread was 1"]),
    ContentCase(
      "several before their messages, backwards through the archive",
      [
        query("q"),
        result("v", bob("2", id: "c", replaces("a")), stamp: "2026-11-26T11:00:03Z"),
        result("w", bob("3", id: "d", replaces("a")), stamp: "2026-11-26T11:00:04Z"),
        result("z", bob("x", id: "e", replaces("b")), stamp: "2026-11-26T11:00:05Z"), fin("q"),
        query("p", "<before>v</before>"),
        result("x", bob("1", id: "a"), stamp: "2026-11-26T11:00:01Z"), fin("p"),
        // The id of a folded entry names its message only.
        fromBob("4", id: "f", replaces("c")),
      ], ["in 4 unread was 1, 2, 3", "in x unread"], findings: ["correction-of-unknown"]),
    ContentCase(
      "of a retracted message",
      [
        fromBob("1", id: "a"), fromBob("", retracts("a")),
        fromBob("2", id: "b", replaces("a")),
      ], ["in  retracted"], findings: ["correction-of-retracted"]),
    ContentCase(
      "in turn, before it is known whose correction it corrects",
      [
        query("q"),
        result("z", bob("3", id: "c", replaces("b")), stamp: "2026-11-26T11:00:05Z"), fin("q"),
        query("p", "<before>z</before>"),
        result("x", bob("1", id: "a"), stamp: "2026-11-26T11:00:01Z"),
        fromBob("", retracts("a")),
        result("y", bob("2", id: "b", replaces("a")), stamp: "2026-11-26T11:00:03Z"), fin("p"),
      ], ["in  retracted was 1"], findings: ["correction-of-retracted"]),
    ContentCase(
      "not encrypted, of an encrypted message",
      [
        fromBob("fallback", id: "a", MediaRuleTests.omemo("payload")),
        fromBob("2", id: "b", replaces("a")),
      ], ["in  unread", "in 2 unread"], findings: ["correction-unencrypted"]),
    ContentCase(
      "not encrypted, before its encrypted message",
      [
        query("q"),
        result("y", bob("2", id: "b", replaces("a")), stamp: "2026-11-26T11:00:02Z"), fin("q"),
        query("p", "<before>y</before>"),
        result(
          "x", bob("fallback", id: "a", MediaRuleTests.omemo("payload")),
          stamp: "2026-11-26T11:00:01Z"), fin("p"),
      ], ["in  unread", "in 2 unread"], findings: ["correction-unencrypted"]),
    ContentCase(
      "ours takes the state of its new version",
      [
        toBob("1", id: "a"), StateTests.bobSays(receipt("a")), toBob("2", id: "b", replaces("a")),
      ], ["out 2 sent was 1"]),
    ContentCase(
      "a receipt names the correction",
      [
        toBob("1", id: "a"), toBob("2", id: "b", replaces("a")), StateTests.bobSays(receipt("b")),
      ], ["out 2 received was 1"]),
  ]

  @Test("Rule 20: corrections", arguments: rule20)
  func corrections(_ test: ContentCase) {
    let dialogue = Dialogue.online(test.steps)
    #expect(dialogue.lines() == test.expected)
    #expect(dialogue.findings == test.findings)
  }

  static let fastened =
    "<apply-to xmlns='urn:xmpp:fasten:0' id='a'>"
    + "<retract xmlns='urn:xmpp:message-retract:0'/></apply-to>"

  private static func tombstone(
    _ archiveID: String, id: String? = nil, _ more: String = ""
  ) -> Dialogue.Step {
    result(
      archiveID,
      bob("", id: id, "<retracted xmlns='urn:xmpp:message-retract:1' stamp='x' id='r'/>" + more),
      stamp: "2026-11-26T11:00:01Z")
  }

  static let rule21: [ContentCase] = [
    ContentCase(
      "by id", [fromBob("1", id: "a"), fromBob("", retracts("a"))], ["in  retracted"]),
    ContentCase(
      "by origin id", [fromBob("1", originID("a")), fromBob("", retracts("a"))],
      ["in  retracted"]),
    ContentCase(
      "in the form of version 0", [fromBob("1", id: "a"), fromBob("", fastened)],
      ["in  retracted"]),
    ContentCase(
      "its fallback is no message",
      [fromBob("1", id: "a"), fromBob("tried to retract", id: "b", retracts("a"))],
      ["in  retracted"]),
    ContentCase(
      "of nothing", [fromBob("", retracts("a"))], [], findings: ["retraction-of-unknown"]),
    ContentCase(
      "of ours by bob", [toBob("1", id: "a"), fromBob("", retracts("a"))], ["out 1 sent"],
      findings: ["retraction-by-another"]),
    ContentCase(
      "moderated by another person",
      [
        fromBob("1", id: "a"),
        fromBob(
          "",
          "<retract xmlns='urn:xmpp:message-retract:1' id='a'>"
            + "<moderated xmlns='urn:xmpp:message-moderate:1'/></retract>"),
      ], ["in 1 unread"], findings: ["retraction-by-another"]),
    ContentCase(
      "before its message",
      [
        query("q"), result("y", bob("", retracts("a")), stamp: "2026-11-26T11:00:02Z"), fin("q"),
        query("p", "<before>y</before>"),
        result("x", bob("1", id: "a"), stamp: "2026-11-26T11:00:01Z"), fin("p"),
      ], ["in  retracted"]),
    ContentCase(
      "a tombstone",
      [
        query("q"),
        result(
          "x",
          bob("", id: "a", "<retracted xmlns='urn:xmpp:message-retract:1' stamp='x' id='r'/>"),
          stamp: "2026-11-26T11:00:01Z"),
      ], ["in  retracted"]),
    ContentCase(
      "a tombstone of what is known by its origin id",
      [fromBob("1", originID("o") + stanzaID("x")), query("q"), tombstone("x", originID("o"))],
      ["in  retracted"]),
    ContentCase(
      "12: a tombstone of its second copy",
      [fromBob("1", originID("o") + stanzaID("x")), query("q"), tombstone("y", originID("o"))],
      ["in  retracted"], findings: ["delivered-twice"]),
    ContentCase(
      "12: a second copy after the tombstone",
      [query("q"), tombstone("y", originID("o")), fromBob("1", originID("o") + stanzaID("x"))],
      ["in  retracted"], findings: ["delivered-twice"]),
    ContentCase(
      "10c: a tombstone of another message with the same id",
      [fromBob("1", id: "a", stanzaID("x")), query("q"), tombstone("y", id: "a")],
      ["in  retracted", "in 1 unread"]),
    ContentCase(
      "a tombstone without ids is of no other message",
      [fromBob("1"), query("q"), tombstone("y")], ["in  retracted", "in 1 unread"]),
    ContentCase(
      "a live tombstone is nothing",
      [fromBob("", "<retracted xmlns='urn:xmpp:message-retract:1' stamp='x' id='r'/>")], []),
  ]

  @Test("Rule 21: retractions", arguments: rule21)
  func retractions(_ test: ContentCase) {
    let dialogue = Dialogue.online(test.steps)
    #expect(dialogue.lines() == test.expected)
    #expect(dialogue.findings == test.findings)
  }

  private static func react(_ id: String, _ emoji: String, _ more: String = "") -> Dialogue.Step {
    fromBob("", id: id, reacts("a", emoji) + more)
  }

  /// A set of our other device.
  private static func sentElsewhere(_ id: String, _ emoji: String) -> Dialogue.Step {
    carbon(
      "sent",
      message(
        from: "alice@example.test/d2", to: "bob@example.test", id: id, "", reacts("a", emoji)))
  }

  static let rule22: [ContentCase] = [
    ContentCase(
      "a set", [fromBob("1", id: "a"), fromBob("", reacts("a", "x", "y"))],
      ["in 1 unread bob@example.test xy"]),
    ContentCase(
      "the newest set counts",
      [fromBob("1", id: "a"), fromBob("", reacts("a", "x")), fromBob("", reacts("a", "y"))],
      ["in 1 unread bob@example.test y"]),
    ContentCase(
      "an empty set withdraws",
      [fromBob("1", id: "a"), fromBob("", reacts("a", "x")), fromBob("", reacts("a"))],
      ["in 1 unread"]),
    ContentCase(
      "an older set from the archive does not count",
      [
        fromBob("1", id: "a"), fromBob("", reacts("a", "x")), query("q"),
        result("k", bob("", reacts("a", "y")), stamp: "2026-11-26T11:00:00Z"),
      ], ["in 1 unread bob@example.test x"]),
    ContentCase(
      "a copy of an earlier set does not count again",
      [fromBob("1", id: "a"), react("r", "x", stanzaID("k")), react("s", "y", stanzaID("l"))]
        + [.bound(connection: 2), react("r", "x", stanzaID("k"))],
      ["in 1 unread bob@example.test y"]),
    ContentCase(
      "nor does one without archive ids",
      [fromBob("1", id: "a"), react("r", "x"), react("s", "y"), .bound(connection: 2)]
        + [react("r", "x")],
      ["in 1 unread bob@example.test y"]),
    ContentCase(
      "a set with the same id counts on the same stream",
      [fromBob("1", id: "a"), react("r", "x"), react("s", "y"), react("r", "x")],
      ["in 1 unread bob@example.test x"]),
    ContentCase(
      "a set with the same id and other emojis",
      [fromBob("1", id: "a"), react("r", "x"), react("s", "y"), .bound(connection: 2)]
        + [react("r", "z")],
      ["in 1 unread bob@example.test z"]),
    ContentCase(
      "a set that the archive has twice",
      [fromBob("1", id: "a"), react("r", "x", stanzaID("k")), react("s", "y", stanzaID("l"))]
        + [.bound(connection: 2), react("r", "x", stanzaID("m"))],
      ["in 1 unread bob@example.test x"]),
    ContentCase(
      "what we write again is as new as the server has it",
      [
        fromBob("1", id: "a"), toBob("", id: "r", reacts("a", "x")),
        sentElsewhere("s", "y"), .lost, .bound(connection: 2), toBob("", id: "r", reacts("a", "x")),
      ],
      ["in 1 alice@example.test x"]),
    ContentCase(
      "both sides",
      [
        toBob("1", id: "a"), fromBob("", reacts("a", "x")),
        .sent(message(to: "bob@example.test", "", reacts("a", "y"))),
      ], ["out 1 sent bob@example.test x alice@example.test y"]),
    ContentCase(
      "a fallback is no message", [fromBob("1", id: "a"), fromBob("x", reacts("a", "x"))],
      ["in 1 unread bob@example.test x"]),
  ]

  @Test("Rule 22: reactions", arguments: rule22)
  func reactions(_ test: ContentCase) {
    let dialogue = Dialogue.online(test.steps)
    #expect(dialogue.lines() == test.expected)
    #expect(dialogue.findings.filter { $0 != "gap" } == test.findings)
  }

  static func fallback(_ range: String, for namespace: String = "urn:xmpp:reply:0") -> String {
    "<fallback xmlns='urn:xmpp:fallback:0' for='\(namespace)'>\(range)</fallback>"
  }

  static let rule23: [(String, String)] = [
    (fallback("<body start='0' end='2'/>"), "lo"),
    (fallback("<body start='2' end='4'/>"), "😀h"),
    (fallback("<body start='0' end='1'/>"), "hlo"),
    (fallback("<body/>"), ""),
    (fallback(""), ""),
    (fallback("<subject/>"), "😀hlo"),
    (fallback("<body start='3' end='2'/>"), "😀hlo"),
    (fallback("<body start='0' end='5'/>"), "😀hlo"),
    (fallback("<body start='-1' end='2'/>"), "😀hlo"),
    (fallback("<body start='x'/>"), "😀hlo"),
    (fallback("<body start='0' end='2'/>", for: "urn:example:unknown"), "😀hlo"),
  ]

  @Test("Rule 23: fallbacks are cut by Unicode scalars", arguments: rule23)
  func fallbacks(more: String, body: String) {
    let reply = "<reply xmlns='urn:xmpp:reply:0' to='bob@example.test' id='q'/>"
    let dialogue = Dialogue.online(fromBob("😀hlo", id: "a", reply + more))
    #expect(dialogue.bodies() == [body])
    #expect(dialogue.messages().map(\.reply?.id) == ["q"])
  }

  @Test("Rule 23: what is left is in no range, however the ranges overlap")
  func overlappingFallbacks() {
    for seed in Seeds.chosen(or: 0...499) {
      var generator = SeededGenerator(seed: seed)
      // Some of these scalars form one character with their neighbor.
      let body = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
        ["a", "e", "\u{301}", "😀", "\u{200D}", "\r", "\n"].randomElement(using: &generator) ?? ""
      }
      var cut: Set<Int> = []
      var fallbacks = ""
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let isUnderstood = Int.random(in: 0..<4, using: &generator) > 0
        var ranges = "<subject/>"
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
          let start = Int.random(in: 0...26, using: &generator)
          let end = Int.random(in: 0...26, using: &generator)
          ranges += "<body start='\(start)' end='\(end)'/>"
          guard isUnderstood, start <= end, end <= body.count else { continue }
          cut.formUnion(start..<end)
        }
        fallbacks += Self.fallback(
          ranges, for: isUnderstood ? "urn:xmpp:reply:0" : "urn:example:unknown")
      }
      let expected = body.indices.filter { !cut.contains($0) }.map { body[$0] }.joined()
      let node = element(message(from: "bob@example.test/peer", "", fallbacks))
      let left = Fallbacks.cut(body.joined(), in: node)
      #expect(Array(left.unicodeScalars) == Array(expected.unicodeScalars), "seed \(seed)")
    }
  }
}
