import TestSupport
import Testing
import XMPPStanza

@testable import ConversationCore

/// The work for one record does not grow with what the log has already, however equal its messages
/// are.
@Suite("Work for a record")
struct WorkTests {
  private static let count = 10_000
  private static let texts = (0..<count).map { _ in fromBob("ok") }

  /// The groups of messages without ids among which a copy of a text looks for its own: the work of
  /// rule 10e.
  private func groups(_ dialogue: Dialogue, isOurs: Bool = false) -> [TextsWithoutIDs.Group] {
    dialogue.state.textsWithoutIDs.groups(
      TextsWithoutIDs.Key(conversation: 0, text: ExactText("ok"), isOurs: isOurs, nick: nil))
  }

  @Test("Equal texts without ids are one group for each stream")
  func equalTexts() {
    var dialogue = Dialogue.online(Self.texts)
    #expect(dialogue.messages().count == Self.count)
    #expect(groups(dialogue).map(\.waiting.count) == [Self.count])
    dialogue.take(.bound(connection: 2))
    for step in Self.texts.prefix(100) { dialogue.take(step) }
    // Both sessions are open: the second receives what the first has.
    #expect(dialogue.messages().count == Self.count)
    #expect(groups(dialogue).map(\.waiting.count).sorted() == [100, Self.count - 100])
  }

  @Test("A copy takes the oldest equal text, and an archived one takes no further copies")
  func copies() {
    var dialogue = Dialogue.online(Self.texts)
    let inner = message(from: "bob@example.test/peer", to: Dialogue.account, "ok")
    dialogue.take(query("q"))
    for number in 0..<50 {
      dialogue.take(result("a\(number)", inner, stamp: "2026-11-26T12:00:00Z"))
      let taken = dialogue.state.messages[number].archiveIDs.map(\.id.text)
      #expect(taken == ["a\(number)"])
      #expect(groups(dialogue).first?.waiting.first == number + 1)
    }
    #expect(groups(dialogue).map(\.waiting.count) == [Self.count - 50])
    #expect(dialogue.messages().count == Self.count)
  }

  @Test("Signs for unknown messages wait under the names that they use, and end together")
  func signs() {
    var dialogue = Dialogue.online(toBob("first", id: "known"))
    for number in 0..<Self.count {
      dialogue.take(fromBob("", displayed("unknown\(number)")))
      dialogue.take(fromBob("", receipt("late")))
    }
    let waiting = dialogue.state.all[0].pendingSigns
    #expect(waiting.count == Self.count + 1)
    // Those of one message are found by its name alone.
    #expect(waiting[.id(ExactText("unknown7"))]?.count == 1)
    #expect(waiting[.id(ExactText("late"))]?.count == Self.count)
    let late = message(
      from: "alice@example.test/d2", to: "bob@example.test", id: "late", "second")
    dialogue.take(query("q"))
    dialogue.take(result("a", late, stamp: "2026-11-26T12:00:30Z"))
    #expect(dialogue.state.all[0].pendingSigns.count == Self.count)
    #expect(dialogue.findings.isEmpty)
    #expect(dialogue.lines() == ["out first sent", "out second received"])
  }

  @Test("A sign is not for what was written after it")
  func laterText() {
    var dialogue = Dialogue.online(toBob("first", id: "a"), fromBob("", receipt("b")))
    dialogue.take(toBob("second", id: "b"))
    #expect(dialogue.lines() == ["out first sent", "out second sent"])
    // Nor does a copy of it make it so.
    let copy = message(from: "alice@example.test/d1", to: "bob@example.test", id: "b", "second")
    dialogue.take(query("q"))
    dialogue.take(result("a2", copy, stamp: "2026-11-26T12:00:00Z"))
    #expect(dialogue.lines() == ["out first sent", "out second acknowledged"])
    #expect(dialogue.findings == ["receipt-of-unknown"])
    dialogue.take(fromBob("", receipt("b")))
    #expect(dialogue.lines().last == "out second received")
  }

  @Test("A read position that is told again and again waits once")
  func reads() {
    var dialogue = Dialogue.online(fromBob("hello", id: "h"))
    for _ in 0..<Self.count { dialogue.take(toBob("", displayed("unknown"))) }
    #expect(dialogue.state.all[0].pendingReads.count == 1)
    dialogue.take(fromBob("later", id: "unknown"))
    #expect(dialogue.state.all[0].pendingReads.isEmpty)
    #expect(dialogue.lines() == ["in hello", "in later"])
  }

  @Test("Only the messages that lack bytes are looked at when they arrive")
  func bits() {
    let cid = "sha1+a9993e364706816aba3e25717850c26c9cd0d89d@bob.xmpp.org"
    let image =
      "<html xmlns='http://jabber.org/protocol/xhtml-im'><body xmlns='http://www.w3.org/1999/xhtml'>"
      + "<img src='cid:\(cid)'/></body></html>"
    var dialogue = Dialogue.online(Self.texts + [fromBob("a picture", image)])
    #expect(
      dialogue.state.lackingBits.mapValues(\.numbers) == [ExactText(cid): [Self.count]])
    dialogue.take(
      .sent(
        "<iq xmlns='jabber:client' type='get' id='b' to='bob@example.test/peer'>"
          + "<data xmlns='urn:xmpp:bob' cid='\(cid)'/></iq>"))
    dialogue.take(
      .received(
        "<iq xmlns='jabber:client' type='result' id='b' from='bob@example.test/peer'>"
          + "<data xmlns='urn:xmpp:bob' cid='\(cid)' type='image/png'>YWJj</data></iq>"))
    #expect(dialogue.messages().last?.attachments.map(\.isInLog) == [true])
    #expect(dialogue.state.lackingBits.isEmpty)
  }

  @Test("However much we write to a room, each message waits for its reflection")
  func reflections() {
    var dialogue = Dialogue.online(enter() + (0..<1000).map { toRoom("m\($0)", id: "i\($0)") })
    #expect(dialogue.state.all[0].unreflected.numbers.count == 1000)
    // A room may change the ids of what it reflects.
    for number in 0..<1000 { dialogue.take(fromRoom("alice", "m\(number)", id: "r\(number)")) }
    #expect(dialogue.state.all[0].unreflected.numbers.isEmpty)
    #expect(dialogue.messages("room@rooms.example.test", .group).count == 1000)
  }

  @Test("What a room never shows to us is awaited up to a limit once others have overtaken it")
  func overtakenReflections() {
    var dialogue = Dialogue.online(enter() + (0..<1000).map { toRoom("m\($0)", id: "i\($0)") })
    dialogue.take(fromRoom("alice", "m999", id: "i999"))
    #expect(dialogue.state.all[0].unreflected.numbers.count == 999)
    for number in 1000..<2000 { dialogue.take(toRoom("m\(number)", id: "i\(number)")) }
    let waiting = dialogue.state.all[0].unreflected.numbers
    #expect(waiting.count == 1000 && waiting.first == 1000)
    #expect(dialogue.messages("room@rooms.example.test", .group).count == 2000)
  }
}
