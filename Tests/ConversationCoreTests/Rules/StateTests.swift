import TestSupport
import Testing

@testable import ConversationCore

@Suite("The state of sent messages, and what is unread (rules 14 to 19)")
struct StateTests {
  static let sm = "urn:xmpp:sm:3"

  static func server(_ element: String) -> Dialogue.Step { .received(element) }

  static func bobSays(_ more: String, type: String = "chat", from: String = "bob@example.test/peer")
    -> Dialogue.Step
  {
    .received(message(from: from, type: type, "", more))
  }

  static func error(_ id: String, from: String = "bob@example.test/peer") -> Dialogue.Step {
    .received(
      message(
        from: from, type: "error", id: id, "",
        "<error type='cancel'><service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>"
          + "</error>"))
  }

  static let rule14: [ContentCase] = [
    ContentCase("written", [toBob("1", id: "a")], ["out 1 sent"]),
    ContentCase(
      "acknowledged by an h",
      [
        .sent("<enable xmlns='\(sm)' resume='true'/>"),
        .received("<enabled xmlns='\(sm)' id='s' resume='true'/>"), toBob("1", id: "a"),
        toBob("2", id: "b"), .received("<a xmlns='\(sm)' h='1'/>"),
      ], ["out 1 acknowledged", "out 2 sent"]),
    ContentCase(
      "other stanzas count too",
      [
        .sent("<enable xmlns='\(sm)'/>"), .sent("<presence xmlns='jabber:client'/>"),
        toBob("1", id: "a"), .received("<a xmlns='\(sm)' h='1'/>"),
      ], ["out 1 sent"]),
    ContentCase(
      "stanzas before stream management do not count",
      [
        .sent("<presence xmlns='jabber:client'/>"), .sent("<enable xmlns='\(sm)'/>"),
        toBob("1", id: "a"), .received("<a xmlns='\(sm)' h='1'/>"),
      ], ["out 1 acknowledged"]),
    ContentCase(
      "a lost connection", [toBob("1", id: "a"), .lost], ["out 1 unconfirmed"]),
    ContentCase("a stream that ended", [toBob("1", id: "a"), .ended], ["out 1 sent"]),
    ContentCase(
      "something arrived after it", [toBob("1", id: "a"), fromBob("2"), .lost],
      ["out 1 sent", "in 2 unread"]),
    ContentCase(
      "a resumption that has handled it",
      [
        .sent("<enable xmlns='\(sm)' resume='true'/>"),
        .received("<enabled xmlns='\(sm)' id='s' resume='true'/>"), toBob("1", id: "a"),
        toBob("2", id: "b"), .lost, .connected(2),
        .sent("<resume xmlns='\(sm)' previd='s' h='0'/>"),
        .received("<resumed xmlns='\(sm)' previd='s' h='1'/>"),
      ], ["out 1 acknowledged", "out 2 sent"]),
    ContentCase(
      "a resend after a resumption is acknowledged by its new count",
      [
        .sent("<enable xmlns='\(sm)' resume='true'/>"),
        .received("<enabled xmlns='\(sm)' id='s' resume='true'/>"), toBob("1", id: "a"),
        toBob("2", id: "b"), .lost, .connected(2),
        .sent("<resume xmlns='\(sm)' previd='s' h='0'/>"),
        .received("<resumed xmlns='\(sm)' previd='s' h='1'/>"), toBob("2", id: "b"),
        .received("<a xmlns='\(sm)' h='2'/>"),
      ], ["out 1 acknowledged", "out 2 acknowledged"], findings: ["sent-again"]),
    ContentCase(
      "a failed resumption acknowledges too",
      [
        .sent("<enable xmlns='\(sm)' resume='true'/>"),
        .received("<enabled xmlns='\(sm)' id='s' resume='true'/>"), toBob("1", id: "a"),
        toBob("2", id: "b"), .lost, .connected(2),
        .sent("<resume xmlns='\(sm)' previd='s' h='0'/>"),
        .received("<failed xmlns='\(sm)' h='1'/>"),
      ], ["out 1 acknowledged", "out 2 unconfirmed"]),
    ContentCase(
      "the archive has it",
      [
        toBob("1", id: "a"), .lost, .bound(connection: 2), query("q"),
        result(
          "x", message(from: "alice@example.test/d1", to: "bob@example.test", id: "a", "1"),
          stamp: "2026-11-26T12:00:00Z"), fin("q"),
      ], ["out 1 acknowledged"]),
    ContentCase(
      "the archive does not have it",
      [toBob("1", id: "a"), .lost, .bound(connection: 2), query("q"), fin("q")],
      ["out 1 unconfirmed"], findings: ["maybe-lost"]),
    ContentCase(
      "nor has an incomplete query",
      [toBob("1", id: "a"), .lost, .bound(connection: 2), query("q"), fin("q", complete: false)],
      ["out 1 unconfirmed"]),
    ContentCase(
      "nor has one for what was not to be stored",
      [
        toBob("1", id: "a", "<no-store xmlns='urn:xmpp:hints'/>"), .lost, .bound(connection: 2),
        query("q"), fin("q"),
      ], ["out 1 unconfirmed"]),
  ]

  @Test("Rule 14: the state rises with what the server and the recipient show", arguments: rule14)
  func states(_ test: ContentCase) {
    let dialogue = Dialogue.online(test.steps)
    #expect(dialogue.lines() == test.expected)
    #expect(
      dialogue.findings.filter { $0 != "gap" && $0 != "resume-not-tried" } == test.findings)
  }

  static let rules15to17: [ContentCase] = [
    ContentCase("15: an error", [toBob("1", id: "a"), error("a")], ["out 1 failed"]),
    ContentCase(
      "15: of the bare address", [toBob("1", id: "a"), error("a", from: "bob@example.test")],
      ["out 1 failed"]),
    ContentCase(
      "15: of our server", [toBob("1", id: "a"), error("a", from: "example.test")],
      ["out 1 failed"]),
    ContentCase(
      "15: of a stranger", [toBob("1", id: "a"), error("a", from: "mallory@example.test")],
      ["out 1 sent"], findings: ["error-of-unknown"]),
    ContentCase(
      "15: for a receipt of ours",
      [.sent(message(to: "bob@example.test", id: "r", "", receipt("x"))), error("r")], []),
    ContentCase(
      "15: after a receipt", [toBob("1", id: "a"), bobSays(receipt("a")), error("a")],
      ["out 1 received"], findings: ["error-after-delivery"]),
    ContentCase(
      "15: a receipt clears it", [toBob("1", id: "a"), error("a"), bobSays(receipt("a"))],
      ["out 1 received"]),
    ContentCase(
      "16: a receipt", [toBob("1", id: "a"), toBob("2", id: "b"), bobSays(receipt("b"))],
      ["out 1 sent", "out 2 received"]),
    ContentCase(
      "16: a receipt to another device",
      [
        toBob("1", id: "a"),
        carbon(
          "received",
          message(from: "bob@example.test/peer", to: "alice@example.test/d2", "", receipt("a"))),
      ], ["out 1 received"]),
    ContentCase(
      "16: a receipt of a stranger",
      [toBob("1", id: "a"), bobSays(receipt("a"), from: "mallory@example.test/x")],
      ["out 1 sent"], findings: ["receipt-by-another"]),
    ContentCase(
      "16: a receipt for nothing", [bobSays(receipt("a"))], [], findings: ["receipt-of-unknown"]),
    ContentCase(
      "16: a receipt for what bob wrote", [fromBob("1", id: "a"), bobSays(receipt("a"))],
      ["in 1 unread"], findings: ["receipt-of-unknown"]),
    ContentCase(
      "16: a marker for what was received",
      [
        toBob("1", id: "a"), toBob("2", id: "b"),
        bobSays("<received xmlns='urn:xmpp:chat-markers:0' id='b'/>"),
      ], ["out 1 received", "out 2 received"]),
    ContentCase(
      "17: displayed covers all before it",
      [toBob("1", id: "a"), toBob("2", id: "b"), toBob("3", id: "c"), bobSays(displayed("b"))],
      ["out 1 displayed", "out 2 displayed", "out 3 sent"]),
    ContentCase(
      "17: the old acknowledged",
      [toBob("1", id: "a"), bobSays("<acknowledged xmlns='urn:xmpp:chat-markers:0' id='a'/>")],
      ["out 1 displayed"]),
    ContentCase(
      "17: a marker of a stranger",
      [toBob("1", id: "a"), bobSays(displayed("a"), from: "mallory@example.test/x")],
      ["out 1 sent"], findings: ["marker-by-another"]),
    ContentCase(
      "17: the state does not fall",
      [toBob("1", id: "a"), bobSays(displayed("a")), bobSays(receipt("a"))], ["out 1 displayed"]),
    ContentCase(
      "17: by the id of any version",
      [toBob("1", id: "a"), toBob("one", id: "b", replaces("a")), bobSays(displayed("a"))],
      ["out one displayed was 1"]),
    ContentCase(
      "35: requested, but only displayed arrived",
      [
        toBob("1", id: "a", "<request xmlns='urn:xmpp:receipts'/>"), bobSays(displayed("a")),
      ], ["out 1 displayed"], findings: ["receipt-missing"]),
  ]

  @Test("Rules 15 to 17: errors, receipts and markers", arguments: rules15to17)
  func signs(_ test: ContentCase) {
    let dialogue = Dialogue.online(test.steps)
    #expect(dialogue.lines() == test.expected)
    #expect(dialogue.findings == test.findings)
  }

  @Test("Rule 17: a marker covers what an archive shows before its message")
  func movedMessages() {
    func own(_ body: String, _ id: String) -> String {
      message(from: "alice@example.test/d2", to: "bob@example.test", id: id, body)
    }
    let written: [Dialogue.Step] = [
      toBob("1", id: "a"), .lost, .bound(connection: 2), toBob("2", id: "b"), toBob("3", id: "c"),
      toBob("1", id: "a"),
    ]
    let archive: [Dialogue.Step] = [
      query("q"), result("k", own("2", "b"), stamp: "2026-11-26T12:00:00Z"),
      result("l", own("1", "a"), stamp: "2026-11-26T12:00:00Z"), fin("q"),
    ]
    var dialogue = Dialogue.online(written + [Self.bobSays(displayed("a"))])
    #expect(dialogue.lines() == ["out 1 displayed", "out 2 sent", "out 3 sent"])
    for step in archive { dialogue.take(step) }
    #expect(dialogue.lines() == ["out 2 displayed", "out 1 displayed", "out 3 sent"])
    // Backwards, the archive shows them in the other order.
    let backward: [Dialogue.Step] = [
      query("q", "<before/>"), archive[2], fin("q", complete: false),
      query("p", "<before>l</before>"), archive[1], fin("p"),
    ]
    let paged = Dialogue.online(written + [Self.bobSays(displayed("a"))] + backward)
    #expect(paged.lines() == ["out 2 displayed", "out 1 displayed", "out 3 sent"])
    // The archive has the text of the second one, and the marker is older than its correction.
    let later = Dialogue.online(
      written + [Self.bobSays(displayed("a")), toBob("2", id: "d", replaces("b"))] + archive)
    #expect(later.lines() == ["out 2 sent was 2", "out 1 displayed", "out 3 sent"])
  }

  @Test("Rule 16: a receipt from an occupant says nothing about a room's message")
  func receiptInRoom() {
    let dialogue = Dialogue.online(
      enter() + [
        toRoom("1", id: "a"),
        .received(message(from: "room@rooms.example.test/bob", "", receipt("a"))),
      ])
    #expect(dialogue.lines("room@rooms.example.test", .group) == ["out 1 sent"])
    #expect(dialogue.findings.isEmpty)
  }

  static func sentCarbon(_ more: String) -> Dialogue.Step {
    carbon("sent", message(from: "alice@example.test/d2", to: "bob@example.test", "", more))
  }

  static func event(_ id: String, from: String = Dialogue.account) -> Dialogue.Step {
    .received(
      message(
        from: from, type: "headline", "",
        "<event xmlns='http://jabber.org/protocol/pubsub#event'>"
          + "<items node='urn:xmpp:mds:displayed:0'><item id='bob@example.test'>"
          + "<displayed xmlns='urn:xmpp:mds:displayed:0'>\(stanzaID(id))</displayed>"
          + "</item></items></event>"))
  }

  static let old = message(from: "bob@example.test/peer", to: Dialogue.account, id: "old", "old")

  static let rule18: [ContentCase] = [
    ContentCase("nothing was read", [fromBob("1", id: "a")], ["in 1 unread"]),
    ContentCase(
      "our marker covers all before it",
      [
        fromBob("1", id: "a"), fromBob("2", id: "b"), fromBob("3", id: "c"),
        .sent(message(to: "bob@example.test", "", displayed("b"))),
      ], ["in 1", "in 2", "in 3 unread"]),
    ContentCase(
      "our marker from another device", [fromBob("1", id: "a"), sentCarbon(displayed("a"))],
      ["in 1"]),
    ContentCase(
      "a marker for what is not known yet",
      [sentCarbon(displayed("a")), fromBob("1", id: "a"), fromBob("2", id: "b")],
      ["in 1", "in 2 unread"]),
    ContentCase(
      "XEP-0490", [fromBob("1", stanzaID("k")), fromBob("2", stanzaID("l")), event("k")],
      ["in 1", "in 2 unread"]),
    ContentCase(
      "XEP-0490 of another person",
      [fromBob("1", stanzaID("k")), event("k", from: "bob@example.test")], ["in 1 unread"]),
    ContentCase(
      "our message", [fromBob("1"), toBob("2"), fromBob("3")],
      [
        "in 1", "out 2 sent", "in 3 unread",
      ]),
    ContentCase(
      "our reaction",
      [fromBob("1", id: "a"), .sent(message(to: "bob@example.test", "", reacts("a", "+")))],
      ["in 1 alice@example.test +"]),
    ContentCase(
      "our receipt is no sign",
      [fromBob("1", id: "a"), .sent(message(to: "bob@example.test", "", receipt("a")))],
      ["in 1 unread"]),
    ContentCase(
      "older messages that arrive later are read too",
      [
        fromBob("1", id: "a"), .sent(message(to: "bob@example.test", "", displayed("a"))),
        query("q"), result("o", old, stamp: "2026-11-26T11:00:00Z"),
      ], ["in old", "in 1"]),
    ContentCase(
      "the position does not move back",
      [
        fromBob("1", id: "a"), fromBob("2", id: "b"), sentCarbon(displayed("b")),
        sentCarbon(displayed("a")),
      ], ["in 1", "in 2"]),
    ContentCase(
      "19: a retracted message is not unread",
      [fromBob("1", id: "a"), fromBob("", retracts("a"))], ["in  retracted"]),
    ContentCase(
      "19: a correction is not unread",
      [
        fromBob("1", id: "a"), .sent(message(to: "bob@example.test", "", displayed("a"))),
        fromBob("one", id: "b", replaces("a")),
      ], ["in one was 1"]),
  ]

  @Test("Rules 18 and 19: what is unread", arguments: rule18)
  func unread(_ test: ContentCase) {
    let dialogue = Dialogue.online(test.steps)
    #expect(dialogue.lines() == test.expected)
    #expect(dialogue.findings == test.findings)
  }
}
