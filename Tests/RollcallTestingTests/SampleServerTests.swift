import Foundation
import Rollcall
import RollcallTesting
import RosterCore
import Testing
import XMPPStanza

@Suite("A server for other developers' tests") struct SampleServerTests {
  private let clock = SampleClock(at: Date(timeIntervalSince1970: 1), step: .milliseconds(10))
  private let session = RosterSession()
  private let server: SampleServer
  private let eve: BareJID
  private let items: [RosterItem]

  init() throws {
    eve = try BareJID(parsing: "eve@example.test")
    items = [
      RosterItem(
        jid: try BareJID(parsing: "bob@example.test"), name: "Bob", subscription: .both,
        groups: ["A & B"]),
      RosterItem(jid: try BareJID(parsing: "carol@example.test"), subscription: .from),
    ]
    server = SampleServer(items: items)
  }

  private func write(_ bytes: [UInt8]) throws {
    try session.sent(bytes, at: clock.now())
    server.received(bytes)
  }

  /// Delivers the answers in pieces until there are none left.
  @discardableResult
  private func settle() throws -> [CommandAnswer.Outcome] {
    var outcomes: [CommandAnswer.Outcome] = []
    while true {
      for answer in session.acknowledgements { try write(answer.bytes) }
      let pieces = server.takeAnswers(inPiecesOf: 7)
      if pieces.isEmpty { return outcomes }
      for piece in pieces {
        outcomes += try session.received(piece, at: clock.now()).flatMap(\.answers).map(\.outcome)
      }
    }
  }

  private func perform(_ command: RosterCommand) throws -> [CommandAnswer.Outcome] {
    for element in try session.decide(command).elements { try write(element.bytes) }
    return try settle()
  }

  private func logIn() throws {
    let header =
      "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' "
      + "to='example.test' version='1.0'>"
    let lines = [
      header, "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>AG1lAHg=</auth>",
      header,
      "<iq type='set' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
        + "<resource>phone</resource></bind></iq>",
    ]
    for line in lines {
      try write(Array(line.utf8))
      try settle()
    }
  }

  @Test("It lets the client in, keeps the roster, and pushes what changes")
  func dialogue() throws {
    try logIn()
    #expect(session.roster.isConnected && session.roster.account == JID.sample.bare)
    #expect(try perform(.fetch) == [.result])
    #expect(session.roster.completeness == .complete && session.roster.sortedItems == items)
    // Eve accepts at once, and asks later.
    #expect(try perform(.add(eve, name: "Eve", groups: ["B"])) == [.result])
    #expect(
      session.roster.item(eve)
        == RosterItem(jid: eve, name: "Eve", subscription: .to, groups: ["B"]))
    server.send("<presence type='subscribe' from='eve@example.test'/>")
    try settle()
    _ = try perform(.accept(eve))
    #expect(session.roster.item(eve)?.subscription == .both)
    server.refusal = { $0.name == "no" ? StanzaError(condition: .notAllowed, text: "so") : nil }
    #expect(
      try perform(.rename(eve, to: "no"))
        == [.refused(StanzaError(type: "cancel", condition: .notAllowed, text: "so"))])
    _ = try perform(.revoke(eve))
    #expect(session.roster.item(eve)?.subscription == .to)
    _ = try perform(.unsubscribe(eve))
    #expect(session.roster.sortedItems == server.items.values.sorted { $0.jid < $1.jid })
    #expect(session.roster.item(eve)?.subscription == RosterSubscription.none)
    #expect(try perform(.remove(eve)) == [.result])
    #expect(session.roster.sortedItems == items)
    // The set, three of the subscriptions, two of their ends, and the removal.
    #expect(server.acknowledgedPushes == 7)
    // Another connection begins from the login.
    try session.closed(at: clock.now())
    try logIn()
    #expect(session.roster.isConnected)
    #expect(try perform(.fetch) == [.result])
  }

  @Test("What it does not have is refused, and what is no XML ends the stream")
  func refusals() throws {
    try logIn()
    func answer(to xml: String) -> String {
      server.received(Array(xml.utf8))
      return String(decoding: server.takeAnswers().joined(), as: UTF8.self)
    }
    let query = "<query xmlns='jabber:iq:roster'>"
    for (xml, condition) in [
      ("<iq type='get' id='a'><query xmlns='jabber:iq:version'/></iq>", "service-unavailable"),
      (
        "<iq type='set' id='a'>\(query)<item jid='x@x' subscription='remove'/></query></iq>",
        "item-not-found"
      ),
      ("<iq type='set' id='a'>\(query)<item jid='@'/></query></iq>", "bad-request"),
    ] {
      let found = answer(to: xml)
      #expect(found.hasPrefix("<iq type=\"error\" id=\"a\">"), "\(found)")
      #expect(found.contains("<\(condition) xmlns="), "\(found)")
    }
    #expect(answer(to: "<presence type='unsubscribed' to='x@x'/>").isEmpty)
    #expect(answer(to: "<presence/><iq type='result' id='push1'/>").isEmpty)
    #expect(server.acknowledgedPushes == 1)
    #expect(answer(to: "<a></b>").hasSuffix("</stream:error></stream:stream>"))
  }

  @Test("The clock shows what it is set to")
  func time() {
    let clock = SampleClock(at: Date(timeIntervalSince1970: 1.5))
    #expect(clock.now() == 1500)
    clock.advance(by: .milliseconds(-501))
    #expect(clock.now() == 999)
    let moving = SampleClock(step: .seconds(2))
    #expect([moving.now(), moving.now()] == [0, 2000])
  }
}
