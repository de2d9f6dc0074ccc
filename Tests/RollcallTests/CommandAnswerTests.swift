import Foundation
@testable import Rollcall
import TestSupport
import Testing

/// Commands, the stanzas sent for them, and their answers.
@Suite("Commands and their answers") struct CommandAnswerTests {
  private let bob = bare("bob@example.test")

  /// Alice, with bob and carol as friends in the group Work.
  private func session() throws -> RosterSession {
    let session = RosterSession(idPrefix: "c")
    try session.opened(as: JID(parsing: "alice@example.test/phone"), at: 0)
    let fetch = try session.decide(.fetch)
    try send(fetch, in: session)
    let steps = try session.received(
      """
      <iq type='result' id='c0'><query xmlns='jabber:iq:roster'>\
      <item jid='bob@example.test' name='Bob' subscription='both'><group>Work</group></item>\
      <item jid='carol@example.test' subscription='both'><group>Work</group></item></query></iq>
      """.utf8, at: 1)
    #expect(steps.flatMap(\.answers) == [CommandAnswer(command: fetch.id, outcome: .result)])
    return session
  }

  private func send(_ command: DecidedCommand, in session: RosterSession, at time: Int64 = 0) throws
  {
    for element in command.elements { try session.sent(element.bytes, at: time) }
  }

  /// A server's stanza after a rename, and the answer to the command; nil if it is not an answer.
  static let answers: [(xml: String, outcome: CommandAnswer.Outcome?)] = [
    ("<iq type='result' id='c1'/>", .result),
    ("<iq type='result' id='c1' from='alice@example.test'/>", .result),
    ("<iq type='result' id='c1' from='example.test'/>", .result),
    (
      """
      <iq type='error' id='c1'><error type='cancel'>\
      <not-allowed xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>\
      <text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>Not today</text></error></iq>
      """, .refused(StanzaError(type: "cancel", condition: .notAllowed, text: "Not today"))
    ),
    ("<iq type='error' id='c1'/>", .refused(StanzaError(condition: nil))),
    // From another sender, with another id, and stanzas that are not answers.
    ("<iq type='result' id='c1' from='eve@example.test/x'/>", nil),
    ("<iq type='error' id='c1' from='bob@example.test'/>", nil),
    ("<iq type='result' id='c2'/>", nil),
    ("<iq type='get' id='c1'><ping xmlns='urn:xmpp:ping'/></iq>", nil),
    ("<presence id='c1' from='bob@example.test'/>", nil),
  ]

  @Test("An answer from our own server is matched to its command", arguments: answers)
  func answered(_ xml: String, _ word: CommandAnswer.Outcome?) throws {
    let session = try session()
    let rename = try session.decide(.rename(bob, to: "Robert"))
    #expect(rename.isAnswered)
    try send(rename, in: session)
    let found = try session.received(xml.utf8, at: 2).flatMap(\.answers)
    #expect(found == (word.map { [CommandAnswer(command: rename.id, outcome: $0)] } ?? []))
    // An answer is reported once.
    #expect(try session.received(xml.utf8, at: 3).flatMap(\.answers).isEmpty)
  }

  @Test("A command with several requests is answered with the last one, and refused with any")
  func several() throws {
    for refused in [false, true] {
      let session = try session()
      let rename = try session.decide(.renameGroup("Work", to: "Office"))
      #expect(rename.elements.count == 2)
      try send(rename, in: session)
      let first = refused ? "<iq type='error' id='c1'/>" : "<iq type='result' id='c1'/>"
      #expect(try session.received(first.utf8, at: 2).flatMap(\.answers).isEmpty)
      let answers = try session.received("<iq type='result' id='c2'/>".utf8, at: 2)
        .flatMap(\.answers)
      let word: CommandAnswer.Outcome = refused ? .refused(StanzaError(condition: nil)) : .result
      #expect(answers == [CommandAnswer(command: rename.id, outcome: word)])
    }
  }

  @Test("The stanzas are XML with unique ids, and a command without an answer says so")
  func elements() throws {
    let session = try session()
    let add = try session.decide(.add(bare("dan@example.test"), name: "D&n", groups: ["A"]))
    #expect(
      add.elements.map(\.text) == [
        #"<iq type="set" id="c1"><query xmlns="jabber:iq:roster"><item jid="dan@example.test" "#
          + #"name="D&amp;n"><group>A</group></item></query></iq>"#,
        #"<presence type="subscribe" to="dan@example.test"/>"#,
      ])
    try session.received("<presence type='subscribe' from='eve@example.test'/>".utf8, at: 1)
    let reject = try session.decide(.reject(bare("eve@example.test")))
    #expect(!reject.isAnswered && reject.id != add.id)
    #expect(throws: CommandRefusal.oneself(bare("alice@example.test"))) {
      try session.decide(.add(bare("alice@example.test")))
    }
  }

  @Test("A command without an answer is dropped after a minute, or with its session")
  func timeouts() throws {
    let session = try session()
    let rename = try session.decide(.rename(bob, to: "Robert"))
    #expect(session.timeouts(at: 1_000_000).isEmpty, "it was not sent")
    try send(rename, in: session, at: 5_000)
    #expect(session.timeouts(at: 65_000).isEmpty)
    let timeout = [CommandAnswer(command: rename.id, outcome: .timeout)]
    #expect(session.timeouts(at: 65_001) == timeout)
    #expect(session.timeouts(at: 65_001).isEmpty)
    let again = try session.decide(.rename(bob, to: "Robert"))
    try send(again, in: session, at: 66_000)
    #expect(try session.closed(at: 67_000).flatMap(\.answers).isEmpty, "it may be resumed")
    let steps = try session.opened(as: JID(parsing: "alice@example.test/phone"), at: 68_000)
    #expect(
      steps.flatMap(\.answers) == [CommandAnswer(command: again.id, outcome: .timeout)])
  }

  @Test("An application that drives the session itself learns when the roster is known")
  func known() throws {
    let session = try session()
    let rename = RosterCommand.rename(bob, to: "Robert")
    _ = try session.decide(rename)
    try session.closed(at: 2)
    #expect(throws: CommandRefusal.rosterNotKnown) { try session.decide(rename) }
    try session.resumed(at: 3)
    _ = try session.decide(rename)
    try session.opened(as: JID(parsing: "alice@example.test/phone"), at: 4)
    #expect(throws: CommandRefusal.rosterNotKnown) { try session.decide(rename) }
    let fetch = try session.decide(.fetch)
    try send(fetch, in: session, at: 5)
    #expect(throws: CommandRefusal.rosterNotKnown) { try session.decide(rename) }
    let id = fetch.elements[0].text.split(separator: "\"")[3]
    try session.received(
      """
      <iq type='error' id='\(id)'><error type='cancel'>\
      <not-allowed xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>
      """.utf8, at: 6)
    #expect(throws: CommandRefusal.rosterRefused(condition: "not-allowed")) {
      try session.decide(rename)
    }
  }

  /// Stanzas that look like the beginning of a session but are not.
  static let noSessions = [
    """
    <iq type='result' id='b' from='eve@example.test/x'>\
    <bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>alice@example.test/phone</jid></bind></iq>
    """,
    """
    <iq type='result' id='b'>\
    <bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>eve@example.test/phone</jid></bind></iq>
    """,
  ]

  @Test("What only looks like a new session ends no command and no push", arguments: noSessions)
  func noSession(_ xml: String) throws {
    let session = try session()
    let rename = try session.decide(.rename(bob, to: "Robert"))
    try send(rename, in: session)
    try session.received(
      """
      <iq type='set' id='p'><query xmlns='jabber:iq:roster'>\
      <item jid='bob@example.test' subscription='both'/></query></iq>
      """.utf8, at: 2)
    #expect(session.acknowledgements.count == 1)
    let steps = try session.received(xml.utf8, at: 3)
    #expect(steps.flatMap(\.answers).isEmpty && !steps.flatMap(\.outcome.findings).isEmpty)
    #expect(session.acknowledgements.count == 1)
    #expect(session.timeouts(at: 100_000).map(\.command) == [rename.id])
  }

  @Test("For what was sent at an unknown time, the minute begins with the first call")
  func timeoutOfNoTime() throws {
    let session = try session()
    let rename = try session.decide(.rename(bob, to: "Robert"))
    for element in rename.elements { try session.sent(element.bytes, at: nil) }
    #expect(session.timeouts(at: 5_000).isEmpty)
    #expect(session.timeouts(at: 65_000).isEmpty)
    #expect(session.timeouts(at: 65_001).map(\.command) == [rename.id])
  }

  @Test("Beyond the limit, the oldest unanswered commands and pushes are dropped")
  func bounds() throws {
    let session = try session()
    let commands = try (0...CommandLedger.capacity).map { number in
      try session.decide(.rename(bob, to: "Robert \(number)"))
    }
    for command in [commands[0], commands[1]] { try send(command, in: session) }
    #expect(session.timeouts(at: 100_000).map(\.command) == [commands[1].id])
    for number in 0...Acknowledgements.capacity {
      try session.received(
        """
        <iq type='set' id='p\(number)'><query xmlns='jabber:iq:roster'>\
        <item jid='bob@example.test' subscription='both'/></query></iq>
        """.utf8, at: 2)
    }
    let waiting = session.acknowledgements
    #expect(waiting.count == Acknowledgements.capacity)
    #expect(waiting.first?.text == #"<iq type="result" id="p1"/>"#)
  }

  /// What is sent after a push, and whether it is an answer to it.
  static let pushAnswers = [
    ("<iq type='result' id='p'/>", true), ("<iq type='error' id='p'/>", true),
    ("<iq type='result' id='p' to='alice@example.test'/>", true),
    ("<iq type='result' id='p' to='eve@example.test/x'/>", false),
    ("<iq type='result' id='q'/>", false), ("<iq type='get' id='p'/>", false),
  ]

  @Test("A push is answered by a result or an error to our own server", arguments: pushAnswers)
  func pushAnswer(_ xml: String, _ isAnswer: Bool) throws {
    let session = try session()
    try session.received(
      """
      <iq type='set' id='p'><query xmlns='jabber:iq:roster'>\
      <item jid='bob@example.test' subscription='both'/></query></iq>
      """.utf8, at: 2)
    try session.sent(xml.utf8, at: 3)
    #expect(session.acknowledgements.isEmpty == isAnswer)
  }

  @Test("Pushes that count must be acknowledged, once")
  func acknowledgements() throws {
    let session = try session()
    func push(_ id: String, from: String = "") throws {
      try session.received(
        """
        <iq type='set' id='\(id)'\(from)><query xmlns='jabber:iq:roster'>\
        <item jid='bob@example.test' subscription='both'/></query></iq>
        """.utf8, at: 2)
    }
    try push("p1")
    try push("p2", from: " from='eve@example.test/x'")
    try push("p3", from: " from='alice@example.test'")
    let waiting = session.acknowledgements
    #expect(
      waiting.map(\.text) == [
        #"<iq type="result" id="p1"/>"#, #"<iq type="result" id="p3" to="alice@example.test"/>"#,
      ])
    try session.sent(waiting[0].bytes, at: 3)
    #expect(session.acknowledgements == [waiting[1]])
    try session.opened(as: JID(parsing: "alice@example.test/phone"), at: 4)
    #expect(session.acknowledgements.isEmpty)
  }
}
