import TestSupport
import Testing

@testable import ConversationCore

/// A stanza or two, and the conversations and lines that they make.
struct ContentCase: CustomTestStringConvertible, Sendable {
  let name: String
  let steps: [Dialogue.Step]
  let expected: [String]
  var findings: [String] = []

  var testDescription: String { name }

  init(_ name: String, _ steps: [Dialogue.Step], _ expected: [String], findings: [String] = []) {
    (self.name, self.steps, self.expected, self.findings) = (name, steps, expected, findings)
  }
}

@Suite("What counts as a message (rules 1 to 4)")
struct ContentTests {
  static let rule1: [ContentCase] = [
    ContentCase("text", [fromBob("hello")], ["in hello unread"]),
    ContentCase("white space is text", [fromBob(" ")], ["in   unread"]),
    ContentCase("no body", [fromBob("")], []),
    ContentCase(
      "an empty body", [fromBob("", "<body></body>")], []),
    ContentCase(
      "a chat state", [fromBob("", "<composing xmlns='http://jabber.org/protocol/chatstates'/>")],
      []),
    ContentCase("a subject alone", [fromBob("", "<subject>s</subject>")], []),
    ContentCase("a thread alone", [fromBob("", "<thread>t</thread>")], []),
    ContentCase(
      "an unknown type is normal",
      [.received(message(from: "bob@example.test/peer", type: "speech", "hello"))],
      ["in hello unread"]),
    ContentCase(
      "an error is none, even with a body",
      [.received(message(from: "bob@example.test/peer", type: "error", id: "x", "hello"))], [],
      findings: ["error-of-unknown"]),
  ]

  @Test("Rule 1: only content makes a message", arguments: rule1)
  func content(_ test: ContentCase) {
    let dialogue = Dialogue.online(test.steps)
    #expect(dialogue.lines() == test.expected)
    #expect(dialogue.findings == test.findings)
  }

  static let rule2: [ContentCase] = [
    ContentCase(
      "the body without a language",
      [
        fromBob("", "<body xml:lang='de'>hallo</body><body>hello</body>")
      ], ["in hello unread"]),
    ContentCase(
      "else the first",
      [
        fromBob("", "<body xml:lang='de'>hallo</body><body xml:lang='en'>hello</body>")
      ], ["in hallo unread"]),
    ContentCase(
      "a quoted message is none of its author",
      [
        fromBob("look", forwarded(message(from: "carol@example.test", "quoted")))
      ], ["in look unread"]),
    ContentCase(
      "a quoted message alone is none",
      [
        fromBob("", forwarded(message(from: "carol@example.test", "quoted")))
      ], []),
    ContentCase(
      "a body in XHTML is no body",
      [
        fromBob("", "<html xmlns='http://jabber.org/protocol/xhtml-im'><body>x</body></html>")
      ], []),
  ]

  @Test("Rule 2: only direct children count", arguments: rule2)
  func children(_ test: ContentCase) {
    let dialogue = Dialogue.online(test.steps)
    #expect(dialogue.lines() == test.expected)
    #expect(dialogue.addresses == (test.expected.isEmpty ? [] : ["chat bob@example.test"]))
  }

  static let rule3: [ContentCase] = [
    ContentCase(
      "resources share a chat",
      [
        .received(message(from: "bob@example.test/a", "1")),
        .received(message(from: "bob@example.test/b", "2")),
      ], ["chat bob@example.test"]),
    ContentCase(
      "a room", enter() + [fromRoom("bob", "hello")], ["group room@rooms.example.test"]),
    ContentCase(
      "an occupant of a room that we are in",
      enter() + [.received(message(from: "room@rooms.example.test/bob", "psst"))],
      ["private room@rooms.example.test/bob"]),
    ContentCase(
      "to an occupant",
      enter() + [.sent(message(to: "room@rooms.example.test/bob", "psst"))],
      ["private room@rooms.example.test/bob"]),
    ContentCase(
      "an occupant by the mark of a room",
      [
        .received(
          message(
            from: "r@rooms.example.test/bob", "psst",
            "<x xmlns='http://jabber.org/protocol/muc#user'/>"))
      ], ["private r@rooms.example.test/bob"]),
    ContentCase(
      "a full address outside of rooms",
      [.received(message(from: "r@rooms.example.test/bob", "psst"))],
      ["chat r@rooms.example.test"]),
    ContentCase(
      "a note to ourselves",
      [.received(message(from: Dialogue.account, to: Dialogue.account, "note"))],
      ["chat alice@example.test"]),
  ]

  @Test("Rule 3: conversations by the other party", arguments: rule3)
  func conversations(_ test: ContentCase) {
    #expect(Dialogue.online(test.steps).addresses == test.expected)
  }

  @Test("Rule 4: direction by the sender's bare address")
  func direction() {
    let dialogue = Dialogue.online(
      fromBob("1"), toBob("2"),
      .received(
        message(from: "alice@example.test/other", to: "bob@example.test", "3")))
    #expect(dialogue.lines() == ["in 1", "out 2 sent", "out 3 acknowledged"])
  }

  @Test("Rule 4: a stanza without a sender is from our own account")
  func noSender() {
    let dialogue = Dialogue.online(.received(message("note")))
    #expect(dialogue.lines(Dialogue.account) == ["out note acknowledged"])
  }
}
