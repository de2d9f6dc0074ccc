import TestSupport
import Testing
import XMPPStanza
@testable import ConversationCore

@Suite("Who may say what a card and an avatar are (rules 36 and 37)")
struct CardRuleTests {
  static let asks = Dialogue.Step.sent(
    "<iq xmlns='jabber:client' type='get' to='bob@example.test' id='c'>"
      + "<vCard xmlns='vcard-temp'/></iq>")

  static func answer(
    from: String = "bob@example.test", id: String = "c", type: String = "result",
    _ content: String = "<FN>Bob</FN>"
  ) -> Dialogue.Step {
    .received(
      "<iq xmlns='jabber:client' type='\(type)' from='\(from)' id='\(id)'>"
        + "<vCard xmlns='vcard-temp'>\(content)</vCard></iq>")
  }

  static let cards: [([Dialogue.Step], [String])] = [
    ([asks, answer()], ["bob@example.test Bob"]),
    ([answer()], []),
    ([asks, answer(from: "mallory@example.test")], []),
    ([asks, answer(from: "mallory@example.test"), answer()], ["bob@example.test Bob"]),
    ([asks, answer(id: "d")], []),
    ([asks, answer(""), answer()], []),
    ([asks, answer(), asks, answer("<FN>Rob</FN>")], ["bob@example.test Rob"]),
    ([asks, answer(), asks, answer(type: "error")], []),
    (
      [
        .sent(
          "<iq xmlns='jabber:client' type='set' id='s'><vCard xmlns='vcard-temp'><FN>Alice</FN>"
            + "</vCard></iq>"),
        .received("<iq xmlns='jabber:client' type='result' id='s'/>"),
      ], ["alice@example.test Alice"]
    ),
    (
      [
        .sent(
          "<iq xmlns='jabber:client' type='set' id='s'><vCard xmlns='vcard-temp'><FN>Alice</FN>"
            + "</vCard></iq>"),
        .received("<iq xmlns='jabber:client' type='error' id='s'/>"),
      ], []
    ),
  ]

  @Test("Rule 36: the last answer to a get of ours, or our own accepted set", arguments: cards)
  func lastAnswer(steps: [Dialogue.Step], cards: [String]) {
    let dialogue = Dialogue.online(steps)
    #expect(dialogue.state.cards.all.map { "\($0.jid) \($0.fullName ?? "")" } == cards)
  }

  static let sha1 = String(repeating: "ab", count: 20)

  static func presence(_ from: String) -> Dialogue.Step {
    .received(
      "<presence xmlns='jabber:client' from='\(from)'>"
        + "<x xmlns='vcard-temp:x:update'><photo>\(sha1)</photo></x></presence>")
  }

  @Test("Rule 37: a hash in presence is of the account, in a room of the occupant")
  func hashes() {
    let dialogue = Dialogue.online(
      enter() + [Self.presence("bob@example.test/x"), Self.presence(RoomTests.room + "/bob")])
    #expect(
      dialogue.state.avatars.all.map(\.jid.description) == [
        "bob@example.test", RoomTests.room + "/bob",
      ])
  }
}
