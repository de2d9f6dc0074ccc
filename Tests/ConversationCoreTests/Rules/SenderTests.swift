import TestSupport
import Testing

@testable import ConversationCore

@Suite("Which senders count (rules 5 to 9)")
struct SenderTests {
  static let inner = message(from: "bob@example.test/peer", to: "alice@example.test/d2", "hello")
  static let ours = message(from: "alice@example.test/d2", to: "bob@example.test", "hello")

  static let rule5: [ContentCase] = [
    ContentCase("received", [carbon("received", inner)], ["in hello unread"]),
    ContentCase("sent", [carbon("sent", ours)], ["out hello acknowledged"]),
    ContentCase(
      "from our server itself", [carbon("sent", ours, from: nil)],
      [
        "out hello acknowledged"
      ]),
    ContentCase(
      "from a stranger", [carbon("received", inner, from: "mallory@example.test/x")], [],
      findings: ["carbon-forged"]),
    ContentCase(
      "from a resource of ours", [carbon("received", inner, from: "alice@example.test/d2")], [],
      findings: ["carbon-forged"]),
    ContentCase(
      "from our domain", [carbon("received", inner, from: "example.test")], [],
      findings: ["carbon-forged"]),
    ContentCase(
      "sent, but not by us", [carbon("sent", inner)], [], findings: ["carbon-forged"]),
    ContentCase(
      "of a room",
      [
        carbon(
          "received",
          message(from: "room@rooms.example.test/bob", type: "groupchat", "hello"))
      ], []),
    ContentCase(
      "in another namespace",
      [
        .received(
          message(
            from: "mallory@example.test/x", "",
            "<received xmlns='urn:xmpp:receipts' id='1'>\(forwarded(inner))</received>"))
      ], [], findings: ["receipt-of-unknown"]),
  ]

  @Test("Rule 5: carbons", arguments: rule5)
  func carbons(_ test: ContentCase) {
    let dialogue = Dialogue.online(test.steps)
    #expect(dialogue.lines() == test.expected)
    #expect(dialogue.findings == test.findings)
  }

  @Test("Rule 5: the stranger's own body is the stranger's message")
  func bodyNextToCarbon() {
    let dialogue = Dialogue.online(
      carbon("received", Self.inner, from: "mallory@example.test/x", "<body>mine</body>"))
    #expect(dialogue.addresses == ["chat mallory@example.test"])
    #expect(dialogue.bodies("mallory@example.test") == ["mine"])
  }

  static let stamp = "2026-11-26T11:00:00Z"
  static let mallory = "mallory@example.test/x"

  static let rule6: [ContentCase] = [
    ContentCase(
      "an answer to our query", [query("q"), result("1", inner, stamp: stamp), fin("q")],
      ["in hello unread"]),
    ContentCase(
      "from our bare address",
      [query("q"), result("1", inner, stamp: stamp, from: Dialogue.account)], ["in hello unread"]),
    ContentCase(
      "no query", [toBob("x"), result("1", inner, stamp: stamp)], ["out x sent"],
      findings: ["archive-forged"]),
    ContentCase(
      "after the answer", [query("q"), fin("q"), result("1", inner, stamp: stamp)], [],
      findings: ["archive-forged"]),
    ContentCase(
      "a stranger while our query is open",
      [query("q"), result("1", inner, stamp: stamp, from: mallory)], [],
      findings: ["archive-forged"]),
    ContentCase(
      "another query id", [query("q"), result("1", inner, stamp: stamp, queryID: "g")], [],
      findings: ["archive-forged"]),
    ContentCase(
      "any query id if ours has none",
      [query("q", queryID: nil), result("1", inner, stamp: stamp, queryID: "g")],
      ["in hello unread"]),
    ContentCase(
      "on another connection",
      [query("q"), .bound(connection: 2), result("1", inner, stamp: stamp)], [],
      findings: ["archive-forged"]),
    ContentCase(
      "an answer of a stranger does not close it",
      [query("q"), fin("q", from: mallory), result("1", inner, stamp: stamp)],
      ["in hello unread"]),
    ContentCase(
      "our own archive for a query of a room",
      [query("q", to: "room@rooms.example.test"), result("1", inner, stamp: stamp)], [],
      findings: ["archive-forged"]),
  ]

  @Test("Rule 6: archive results", arguments: rule6)
  func archives(_ test: ContentCase) {
    let dialogue = Dialogue.online(test.steps)
    #expect(dialogue.lines() == test.expected)
    #expect(dialogue.findings.filter { $0 != "gap" } == test.findings)
  }

  static let unasked: [(from: String?, isOwn: Bool, words: String)] = [
    (nil, true, "our own archive"),
    (Dialogue.account, true, "our own archive"),
    ("alice@example.test/d2", false, "from alice@example.test/d2"),
    ("example.test", false, "from example.test"),
    ("room@rooms.example.test", false, "from room@rooms.example.test"),
    (mallory, false, "from mallory@example.test/x"),
  ]

  @Test("Rule 6: only our own server's result without a query is no forgery", arguments: unasked)
  func unaskedResults(_ from: String?, isOwn: Bool, words: String) throws {
    let dialogue = Dialogue.online(result("1", Self.inner, stamp: Self.stamp, from: from))
    let finding = try #require(dialogue.state.findings.first { $0.code == .archiveForged })
    #expect(finding.isOfOwnServer == isOwn && finding.sentence.contains(words))
    #expect(dialogue.bodies().isEmpty)
  }

  @Test("Rule 6: a log that begins in a session need not have the query of a result")
  func resultsOfFragments() {
    for (from, isFound) in [
      (nil, false), (Dialogue.account, false), ("room@rooms.example.test", false),
      (Self.mallory, true),
    ] as [(String?, Bool)] {
      var dialogue = Dialogue()
      dialogue.take(fromBob("before"))
      dialogue.take(result("1", Self.inner, stamp: Self.stamp, from: from))
      #expect(dialogue.findings.contains("archive-forged") == isFound, "\(from ?? "no address")")
    }
  }

  @Test("Rule 6: in a one-way capture, our own account is trusted, a stranger is not")
  func oneWay() {
    var dialogue = Dialogue(isOneWay: true)
    dialogue.take(result("1", Self.inner, stamp: Self.stamp, from: Dialogue.account))
    #expect(dialogue.bodies() == ["hello"] && dialogue.findings.isEmpty)
    dialogue.take(result("2", Self.ours, stamp: Self.stamp, from: Self.mallory))
    #expect(dialogue.bodies() == ["hello"] && dialogue.findings == ["archive-forged"])
  }

  @Test("Rule 8: the last stanza-id by us counts")
  func stanzaIDs() {
    let dialogue = Dialogue.online(
      fromBob("1", stanzaID("forged") + stanzaID("right")),
      fromBob("2", stanzaID("same") + stanzaID("same")),
      fromBob("3", stanzaID("other", by: "bob@example.test") + stanzaID("own")))
    let ids = dialogue.messages().map { $0.archiveIDs.map(\.id.text) }
    #expect(ids == [["right"], ["same"], ["own"]])
    #expect(dialogue.findings == ["archive-id-forged"])
  }

  @Test("Rule 8: a forged archive id hides no message")
  func forgedKnownID() {
    let dialogue = Dialogue.online(
      toBob("ours", id: "a", stanzaID("k")), fromBob("1", stanzaID("k")),
      fromBob("2", stanzaID("k") + stanzaID("n")))
    #expect(dialogue.bodies() == ["ours", "1", "2"])
  }

  static let rule9: [(String, String?, Bool)] = [
    ("2026-11-26T11:00:00Z", nil, true),
    ("2026-11-26T11:00:00Z", "alice@example.test", true),
    ("2026-11-26T11:00:00Z", "example.test", true),
    ("2026-11-26T11:00:00Z", "bob@example.test", false),
    ("2026-11-26T11:00:00Z", "alice@example.test/d2", false),
    ("2026-11-26T12:00:30Z", "example.test", true),
    ("2026-11-26T12:02:00Z", "example.test", false),
    ("2099-11-26T11:00:00Z", "example.test", false),
    ("yesterday", "example.test", false),
    ("2026-02-30T11:00:00Z", "example.test", false),
  ]

  @Test("Rule 9: stamps that count", arguments: rule9)
  func stamps(stamp: String, from: String?, counts: Bool) {
    let dialogue = Dialogue.online(fromBob("hello", delay(stamp, from: from)))
    #expect(dialogue.messages().map(\.isStamped) == [counts])
    let isImpossible = !counts && from == "example.test"
    #expect(dialogue.findings == (isImpossible ? ["stamp-impossible"] : []))
  }

  static let times: [(String, Int64?)] = [
    ("1970-01-01T00:00:00Z", 0), ("2026-11-26T12:00:00Z", 1_795_694_400_000),
    ("2026-11-26T12:00:00.5Z", 1_795_694_400_500),
    ("2026-11-26T13:00:00+01:00", 1_795_694_400_000),
    ("2024-02-29T00:00:00Z", 1_709_164_800_000), ("2026-11-26T12:00:00", nil),
    ("2026-11-26", nil), ("", nil), ("2026-11-26T24:00:00Z", nil),
  ]

  @Test("Stamps of XEP-0082 are read", arguments: times)
  func timeOfStamp(text: String, time: Int64?) {
    #expect(StampReading.time(text) == time)
  }

  @Test("The stamps of XEP-0091 have no zone")
  func legacyTimes() {
    #expect(StampReading.legacyTime("20261126T12:00:00") == 1_795_694_400_000)
    #expect(StampReading.legacyTime("2026-11-26T12:00:00Z") == nil)
  }
}
