import TestSupport
import Testing
import XMPPStanza

@testable import ConversationCore

/// Steps of a dialogue with bob, and the entries if the log has only the heads of messages.
struct HeadDialogue: Sendable {
  let name: String
  let steps: [Dialogue.Step]
  let lines: [String]

  init(_ name: String, _ steps: [Dialogue.Step], _ lines: [String]) {
    (self.name, self.steps, self.lines) = (name, steps, lines)
  }
}

@Suite("Conversations from the heads of messages")
struct HeadTests {
  private static let mark = "<removed xmlns='urn:rollcall:removed:0' kind='text'/>"

  private static func omemo(_ content: String) -> String {
    "<encrypted xmlns='eu.siacs.conversations.axolotl'><header sid='1'><key rid='2'>a</key>"
      + "</header>\(content)</encrypted>"
  }

  private static let elsewhere = carbon(
    "sent",
    message(
      from: "alice@example.test/d2", to: "bob@example.test", id: "b", "", reacts("a", "👍")))

  static let dialogues = [
    HeadDialogue(
      "a message with a text is an entry", [fromBob("1", id: "a"), fromBob("", id: "b")],
      ["in  unread"]),
    HeadDialogue(
      "a state is none",
      [fromBob("", id: "a", "<active xmlns='http://jabber.org/protocol/chatstates'/>")], []),
    HeadDialogue(
      "a message of ours has its state",
      [toBob("1", id: "a"), fromBob("", receipt("a")), toBob("2", id: "b")],
      ["out  received", "out  sent"]),
    HeadDialogue(
      "a carbon and an archive result of a message are copies of it",
      [
        fromBob("1", id: "a", stanzaID("s")),
        carbon("received", message(from: "bob@example.test/peer", id: "a", "1", stanzaID("s"))),
        query("q"),
        result(
          "s", message(from: "bob@example.test/peer", id: "a", "1"), stamp: "2026-11-26T12:00:00Z"),
        fin("q"),
      ], ["in  unread"]),
    HeadDialogue(
      "messages without ids are not known to be the same",
      [fromBob("1"), carbon("received", message(from: "bob@example.test/peer", "1"))],
      ["in  unread", "in  unread"]),
    HeadDialogue(
      "a correction and a retraction say which message they are about",
      [
        fromBob("1", id: "a"), fromBob("2", id: "b", replaces("a")), fromBob("3", id: "c"),
        fromBob("", id: "d", retracts("c")),
      ], ["in  unread was ", "in  retracted"]),
    HeadDialogue(
      "which reactions there are is not known",
      [toBob("1", id: "a"), fromBob("> 1", id: "b", reacts("a", "👍"))], ["out  sent"]),
    HeadDialogue(
      "a reaction of ours reads, whatever it was",
      [fromBob("1", id: "a"), toBob("", id: "b", reacts("a", "👍"))], ["in "]),
    HeadDialogue(
      "so does one of another device of ours, and its copy reads no more",
      [
        fromBob("1", id: "a"), elsewhere, fromBob("2", id: "c"), .bound(connection: 2), elsewhere,
      ], ["in ", "in  unread"]),
    HeadDialogue(
      "an encrypted message is an entry, and key transport is not",
      [fromBob("", id: "a", omemo("<payload>b</payload>")), fromBob("", id: "b", omemo(""))],
      ["in  unread"]),
    HeadDialogue(
      "a picture without a text is an entry",
      [fromBob("", id: "a", "<x xmlns='jabber:x:oob'><url>https://a.test/b.png</url></x>")],
      ["in  unread"]),
    HeadDialogue(
      "so is one that XEP-0385 describes",
      [
        fromBob(
          "", id: "a",
          "<reference xmlns='urn:xmpp:reference:0' type='data' uri='https://a.test/b.png'>"
            + "<media-sharing xmlns='urn:xmpp:sims:1'><sources>"
            + "<reference xmlns='urn:xmpp:reference:0' type='data' uri='https://a.test/b.png'/>"
            + "</sources></media-sharing></reference>")
      ], ["in  unread"]),
    HeadDialogue(
      "so is one in a formatted text",
      [
        fromBob(
          "", id: "a",
          "<html xmlns='http://jabber.org/protocol/xhtml-im'>"
            + "<body xmlns='http://www.w3.org/1999/xhtml'><img src='cid:sha1+0@bob.xmpp.org'/>"
            + "</body></html>")
      ], ["in  unread"]),
    HeadDialogue(
      "a mention without a text is none",
      [fromBob("", id: "a", "<reference xmlns='urn:xmpp:reference:0' type='mention' uri='x'/>")],
      []),
    HeadDialogue(
      "a subject is not a message",
      [fromBob("", id: "a", "<subject>hello</subject>")], []),
  ]

  @Test("Entries without texts", arguments: dialogues)
  func entries(_ sample: HeadDialogue) {
    let heads = Dialogue.online(sample.steps.map(Self.head))
    #expect(heads.lines() == sample.lines, "\(sample.name)")
  }

  private static func head(_ step: Dialogue.Step) -> Dialogue.Step {
    switch step {
    case .received(let xml): .received(head(xml))
    case .sent(let xml): .sent(head(xml))
    case .bound, .connected, .back, .lost, .ended, .wait: step
    }
  }

  private static func head(_ xml: String) -> String {
    let node = element(xml)
    guard node.is("message", in: Namespace.client), let head = MessageHead.head(of: node) else {
      return xml
    }
    return String(decoding: head.serialized(), as: UTF8.self)
  }

  private static let corrections: [(steps: [Dialogue.Step], line: String)] = [
    // Two of another device of ours.
    (
      [
        fromRoom("alice", "2", id: "b", replaces("a")),
        fromRoom("alice", "3", id: "c", replaces("a")),
      ], "out  acknowledged was , "
    ),
    // One of ours and its reflection, whose id the room may change.
    (
      [
        toRoom("2", id: "b", replaces("a")), fromRoom("alice", "2", id: "b", replaces("a")),
      ], "out  acknowledged was "
    ),
    (
      [
        toRoom("2", id: "b", replaces("a")), fromRoom("alice", "2", id: "x", replaces("a")),
      ], "out  acknowledged was "
    ),
    (
      [
        toRoom("2", id: "b", replaces("a")), fromRoom("alice", "2", id: "x", replaces("a")),
        fromRoom("alice", "3", id: "c", replaces("a")),
      ], "out  acknowledged was , "
    ),
  ]

  @Test("Each correction in a room is a version", arguments: corrections.indices)
  func roomCorrections(index: Int) {
    let test = Self.corrections[index]
    let start = enter() + [toRoom("1", id: "a"), fromRoom("alice", "1", id: "a")]
    let dialogue = Dialogue.online((start + test.steps).map(Self.head))
    #expect(dialogue.lines(RoomTests.room, .group) == [test.line])
    #expect(dialogue.findings.isEmpty)
  }

  @Test("Reactions that are not known leave those that are")
  func unknownReactions() {
    let steps: [Dialogue.Step] = [fromBob("1", id: "a"), toBob("", id: "b", reacts("a", "x"))]
    let later = toBob("", id: "c", reacts("a", "y"))
    #expect(Dialogue.online(steps + [later]).lines() == ["in 1 alice@example.test y"])
    #expect(Dialogue.online(steps + [Self.head(later)]).lines() == ["in 1 alice@example.test x"])
    // An empty set has nothing that could be left out.
    let withdrawn = Self.head(toBob("", id: "c", reacts("a")))
    #expect(Dialogue.online(steps + [withdrawn]).lines() == ["in 1"])
  }

  @Test("A mark beside a text, which a contact can send, hides nothing")
  func forged() {
    let dialogue = Dialogue.online(
      .received(message(from: "bob@example.test/peer", id: "a", "hello\(Self.mark)")),
      .received(message(from: "bob@example.test/peer", id: "b", "hello", Self.mark)))
    #expect(dialogue.lines() == ["in hello unread", "in hello unread"])
  }

  @Test("A log whose recorder leaves out messages or their texts is not complete")
  func completeness() {
    for messages in RecordingPolicy.Messages.allCases {
      var state = Conversations(account: bare(Dialogue.account))
      #expect(state.isComplete)
      state.reduce(
        .session(.recorded(RecordingPolicy(messages: messages))), at: RecordPosition(record: 1))
      #expect(state.isComplete == (messages == .all))
      state.reduce(.session(.recorded(.everything)), at: RecordPosition(record: 2))
      #expect(state.isComplete == (messages == .all), "what was left out before stays so")
    }
  }
}
