@testable import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A line and its meaning for the roster.
private struct Line: Sendable, CustomTestStringConvertible {
  let direction: Direction
  let xml: String
  let event: RosterEvent?

  var testDescription: String { (direction == .inbound ? "< " : "> ") + xml }
}

private func inbound(_ xml: String, _ event: StanzaEvent?) -> Line {
  Line(direction: .inbound, xml: xml, event: event.map { .stanza($0) })
}

private func outbound(_ xml: String, _ event: StanzaEvent?) -> Line {
  Line(direction: .outbound, xml: xml, event: event.map { .stanza($0) })
}

private func session(_ direction: Direction, _ xml: String, _ event: SessionEvent?) -> Line {
  Line(direction: direction, xml: xml, event: event.map { .session($0) })
}

private let roster = "xmlns='jabber:iq:roster'"
private let bob = bare("bob@example.test")
private let pda = address("bob@example.test/pda")

private func query(_ jids: String..., version: String? = nil) -> RosterQuery {
  RosterQuery(
    version: version,
    items: jids.map { RosterQuery.Item(change: .set(RosterItem(jid: bare($0)))) })
}

@Suite("From element to event")
struct EventEncoderTests {
  private static let requests: [Line] = [
    outbound(
      "<iq type='get' id='1'><query \(roster)/></iq>",
      .querySent(Query(id: "1", to: nil, subject: .roster(version: nil)))),
    outbound(
      "<iq type='get' id='1' to='alice@example.test'><query \(roster) ver=''/></iq>",
      .querySent(
        Query(id: "1", to: address("alice@example.test"), subject: .roster(version: "")))),
    outbound(
      "<iq type='get' id='1'><r:query xmlns:r='jabber:iq:roster'/></iq>",
      .querySent(Query(id: "1", to: nil, subject: .roster(version: nil)))),
    outbound("<iq type='get' id='1'><query xmlns='jabber:iq:Roster'/></iq>", nil),
    outbound("<iq type='get' id='1'><x xmlns='urn:x'><query \(roster)/></x></iq>", nil),
    outbound(
      "<iq type='set' id='1'><query \(roster)><item jid='bob@example.test'/></query></iq>",
      .setSent(RosterSet(id: "1", peer: nil, query: query("bob@example.test")))),
    outbound("<iq type='result' id='p'/>", .answerSent(id: "p", to: nil)),
    outbound(
      "<iq type='error' id='p' to='example.test'/>",
      .answerSent(id: "p", to: address("example.test"), error: ErrorReport())),
    outbound(
      "<iq type='error' id='p'>\(stanzaError("service-unavailable", "no pushes"))</iq>",
      .answerSent(
        id: "p", to: nil,
        error: ErrorReport(condition: "service-unavailable", text: "no pushes"))),
    outbound("<iq type='result'/>", nil),
    outbound(
      "<iq type='get' id='1' to='bob@example.test'><vCard xmlns='vcard-temp'/></iq>",
      .querySent(Query(id: "1", to: address("bob@example.test"), subject: .vCard))),
    outbound(
      "<iq type='get' id='1'><blocklist xmlns='urn:xmpp:blocking'/></iq>",
      .querySent(Query(id: "1", to: nil, subject: .blockList))),
    outbound("<iq type='set' id='1'><block xmlns='urn:xmpp:blocking'/></iq>", nil),
    inbound("<iq type='get' id='1' from='bob@example.test'><query \(roster)/></iq>", nil),
  ]

  private static let answers: [Line] = [
    inbound(
      "<iq type='result' id='1'><query \(roster) ver='v'>"
        + "<item jid='bob@example.test'/></query></iq>",
      .answerReceived(
        Answer(id: "1", from: nil, payload: .roster(query("bob@example.test", version: "v"))))),
    inbound(
      "<iq type='result' id='1'/>", .answerReceived(Answer(id: "1", from: nil, payload: .nothing))),
    inbound(
      "<iq type='result' id='1'> \n </iq>",
      .answerReceived(Answer(id: "1", from: nil, payload: .nothing))),
    inbound(
      "<iq type='result' id='1'><query xmlns='jabber:iq:private'/></iq>",
      .answerReceived(Answer(id: "1", from: nil, payload: .other))),
    inbound(
      "<iq type='result' id='1'><x xmlns='urn:x'><query \(roster)/></x></iq>",
      .answerReceived(Answer(id: "1", from: nil, payload: .other))),
    inbound(
      "<iq type='error' id='1' from='eve@example.test/x'><error type='auth'><text "
        + "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>no</text><forbidden "
        + "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>",
      .answerReceived(
        Answer(
          id: "1", from: address("eve@example.test/x"),
          payload: .error(ErrorReport(condition: "forbidden", text: "no"))))),
    inbound(
      "<iq type='error' id='1'/>",
      .answerReceived(Answer(id: "1", from: nil, payload: .error(ErrorReport())))),
    inbound(
      "<iq type='set' id='p' from='alice@example.test'><query \(roster)/></iq>",
      .pushReceived(
        RosterSet(id: "p", peer: address("alice@example.test"), query: RosterQuery()))),
    inbound(
      "<iq type='set' id='p'><query \(roster)><item jid='@'/><item/></query></iq>",
      .pushReceived(
        RosterSet(
          id: "p", peer: nil,
          query: RosterQuery(malformed: [
            RosterQuery.Malformed(jid: "@", reason: "the domain is empty or has an empty label"),
            RosterQuery.Malformed(jid: nil, reason: "it has no jid"),
          ])))),
  ]

  private static let presence: [Line] = [
    inbound(
      "<presence from='bob@example.test/pda'/>", .availableReceived(from: pda, Availability())),
    inbound(
      "<presence from='bob@example.test/pda' type='unavailable'/>",
      .unavailableReceived(from: pda)),
    inbound(
      "<presence from='bob@example.test/pda' type='unavailable'><status>bye</status></presence>",
      .unavailableReceived(from: pda, status: "bye")),
    inbound("<presence/>", nil),
    inbound(
      "<presence from='bob@example.test/pda' type='error'>\(stanzaError("forbidden", "no"))</presence>",
      .presenceErrorReceived(from: pda, ErrorReport(condition: "forbidden", text: "no"))),
    inbound(
      "<presence from='bob@example.test/pda' type='error'/>",
      .presenceErrorReceived(from: pda, ErrorReport())),
    inbound("<presence type='error'/>", nil),
    inbound(
      "<presence from='r@muc.example.test/n' type='error'><x xmlns='http://jabber.org/protocol/muc'/>"
        + "</presence>", nil),
    inbound("<presence from='bob@example.test' type='probe'/>", nil),
    outbound("<presence/>", .presenceSent(to: nil, isAvailable: true)),
    outbound(
      "<presence type='unavailable' to='bob@example.test/pda'/>",
      .presenceSent(to: pda, isAvailable: false)),
    outbound("<presence type='error' to='bob@example.test'/>", nil),
    inbound(
      "<presence from='r@muc.example.test/n'>"
        + "<x xmlns='http://jabber.org/protocol/muc#user'/></presence>",
      nil),
    inbound(
      "<presence from='bob@example.test/pda' type='subscribe'><status>hi</status></presence>",
      .subscriptionReceived(
        SubscriptionStanza(kind: .subscribe, contact: bob, status: "hi", nickname: nil))),
    outbound(
      "<presence to='bob@example.test/pda' type='unsubscribed'/>",
      .subscriptionSent(SubscriptionStanza(kind: .unsubscribed, contact: bob))),
  ]

  private static let sessions: [Line] = [
    session(.outbound, "<stream:stream to='example.test'/>", .negotiated),
    session(.inbound, "<stream:error/>", .streamFailed(.inbound, ErrorReport())),
    session(
      .outbound,
      "<stream:error><not-well-formed xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>",
      .streamFailed(.outbound, ErrorReport(condition: "not-well-formed"))),
    session(
      .inbound,
      "<error xmlns='http://etherx.jabber.org/streams'><conflict "
        + "xmlns='urn:ietf:params:xml:ns:xmpp-streams'/><text "
        + "xmlns='urn:ietf:params:xml:ns:xmpp-streams'>Replaced by new connection</text></error>",
      .streamFailed(
        .inbound, ErrorReport(condition: "conflict", text: "Replaced by new connection"))),
    session(
      .inbound,
      "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/><text>no</text></failure>",
      .loginFailed(ErrorReport(condition: "not-authorized", text: "no"))),
    session(
      .inbound,
      "<failure xmlns='urn:xmpp:sasl:2'><aborted xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"
        + "<text>no</text></failure>",
      .loginFailed(ErrorReport(condition: "aborted", text: "no"))),
    session(.outbound, "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>", nil),
    session(
      .inbound,
      "<iq type='error' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"
        + stanzaError("conflict") + "</iq>",
      .loginFailed(ErrorReport(condition: "conflict"))),
    session(
      .inbound,
      "<iq type='error' id='b'><query xmlns='jabber:iq:auth'/><error code='401'>Unauthorized"
        + "</error></iq>",
      .loginFailed(ErrorReport(text: "Unauthorized"))),
    session(
      .inbound, "<stream:features><sub xmlns='urn:xmpp:features:pre-approval'/></stream:features>",
      .featuresOffered(StreamFeatures(versioning: false, preApproval: true))),
    session(.outbound, "<stream:features/>", nil),
    session(.inbound, "<resumed xmlns='urn:xmpp:sm:3'/>", .resumed(nil)),
    session(.inbound, "<resumed xmlns='urn:xmpp:sm:2' previd='a'/>", .resumed(nil, id: "a")),
    session(.outbound, "<resumed xmlns='urn:xmpp:sm:3'/>", nil),
    session(.inbound, "<enabled xmlns='urn:xmpp:sm:3' id='a'/>", .resumable(id: "a")),
    session(.inbound, "<enabled xmlns='urn:xmpp:sm:3'/>", nil),
    session(.outbound, "<enabled xmlns='urn:xmpp:sm:3' id='a'/>", nil),
    session(.inbound, "<resumed xmlns='jabber:client'/>", nil),
    session(.inbound, "<failed xmlns='urn:xmpp:sm:3'/>", nil),
    session(.inbound, "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>", nil),
  ]

  /// Lines that an attacker might send to be mistaken for the server.
  private static let hostile: [Line] = {
    let push =
      "<iq xmlns='jabber:client' type='set' id='p'><query \(roster)><item jid='e@x'/></query></iq>"
    return [
      inbound("<message from='e@x'>\(push)</message>", nil),
      inbound(
        "<message from='e@x'><forwarded xmlns='urn:xmpp:forward:0'>\(push)</forwarded></message>",
        nil
      ),
      inbound("<message from='e@x'><query \(roster)><item jid='e@x'/></query></message>", nil),
      inbound("<iq xmlns='jabber:server' type='set' id='p'><query \(roster)/></iq>", nil),
      inbound("<IQ type='set' id='p'><query \(roster)/></IQ>", nil),
      inbound("<iq type='set' id='p'><Query \(roster)/></iq>", nil),
      inbound("<iq xmlns:q='urn:q' q:type='set' type='get' id='p'><query \(roster)/></iq>", nil),
      inbound("<message from='e@x'><resumed xmlns='urn:xmpp:sm:3'/></message>", nil),
      inbound(
        "<c:iq xmlns:c='jabber:client' type='set' id='p'><query \(roster)/></c:iq>",
        .pushReceived(RosterSet(id: "p", peer: nil, query: RosterQuery()))),
    ]
  }()

  @Test("Requests, answers and pushes", arguments: requests + answers)
  private func iqs(line: Line) {
    #expect(RosterEvent(element(line.xml), line.direction) == line.event)
  }

  @Test("Presence", arguments: presence)
  private func presences(line: Line) {
    #expect(RosterEvent(element(line.xml), line.direction) == line.event)
  }

  @Test("Elements that are not stanzas", arguments: sessions)
  private func nonzas(line: Line) {
    #expect(RosterEvent(element(line.xml), line.direction) == line.event)
  }

  @Test("Hostile lines", arguments: hostile)
  private func hostileLines(line: Line) {
    #expect(RosterEvent(element(line.xml), line.direction) == line.event)
  }

  @Test(
    "Elements that cannot be read are reported, in either direction",
    arguments: [
      ("<iq type='SET' id='1'/>", Rejection.Kind.type), ("<iq id='1'/>", .type),
      ("<presence type='Unavailable'/>", .type),
      ("<presence type='' from='bob@example.test'/>", .type),
      ("<presence from='@'/>", .address), ("<presence to='a b@x'/>", .address),
      ("<iq type='result' id='1' from=''/>", .address), ("<message from='x@/y'/>", .address),
      ("<presence from='bob@example.test/'/>", .address), ("<presence type='subscribe'/>", .nobody),
    ])
  func rejections(xml: String, kind: Rejection.Kind) throws {
    for direction in Direction.allCases {
      let event = RosterEvent(element(xml), direction)
      guard case .stanza(.rejected(let rejection)) = event else {
        Issue.record("\(String(describing: event)) of \(xml)")
        continue
      }
      #expect(rejection.kind == kind)
      #expect(!rejection.reason.isEmpty)
    }
  }

  @Test(
    "With our own server as the sender, an event is that of the same stanza without a sender",
    arguments: [
      ("set", "<query \(roster) ver='1'><item jid='bob@example.test' name='B'/><item/></query>"),
      ("set", "<block xmlns='urn:xmpp:blocking'><item jid='bob@example.test'/></block>"),
      ("set", "<unblock xmlns='urn:xmpp:blocking'/>"),
      ("result", "<query \(roster)><item jid='bob@example.test'/></query>"),
      ("result", "<vCard xmlns='vcard-temp'><FN>Bob</FN></vCard>"), ("result", ""), ("error", ""),
    ])
  func senders(type: String, payload: String) throws {
    func event(_ attributes: String) throws -> [UInt8] {
      var encoder = EventEncoder()
      encoder.encode(element("<iq type='\(type)' \(attributes)>\(payload)</iq>"), .inbound)
      return try #require(encoder.event)
    }
    let hasID = !payload.contains("urn:xmpp:blocking")
    for id in ["", "id='1'"] {
      let own = try event(id)
      for from in ["", "from='evil@evil.test/x'", "from='example.test'"] {
        let bytes = try event("\(id) \(from)")
        #expect(try EventEncoder.fromServer(bytes.span.bytes) == own)
        let renamed = try hasID ? event("id='new'") : own
        #expect(try EventEncoder.fromServer(bytes.span.bytes, id: "new") == renamed)
      }
    }
  }

  @Test("Only answers and pushes can get our own server as their sender")
  func otherSenders() {
    for line in [Self.presence, Self.sessions].joined() {
      guard let event = line.event?.canonicalBytes else { continue }
      #expect(throws: CodecError.self) { try EventEncoder.fromServer(event.span.bytes) }
    }
  }

  @Test(
    "An event concerns a contact if and only if the encoder says so", arguments: 0..<UInt64(10))
  func contacts(seed: UInt64) throws {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for _ in 0..<500 { fuzzer.step(&scenario) }
    var events: [(bytes: [UInt8], contacts: [String], xml: String)] = []
    var encoder = EventEncoder()
    for line in scenario.wire {
      guard case .element(let direction, let xml) = line.content else { continue }
      encoder.encode(element(xml), direction)
      if let event = encoder.event { events.append((event, encoder.contacts, xml)) }
    }
    var count = 0
    let all = Set(events.flatMap(\.contacts) + ["nobody@example.test"])
    for event in events {
      for contact in all {
        let concerns = try RosterEvent.concerns(contact, stored: event.bytes.span.bytes)
        guard let concerns else { continue }
        count += 1
        #expect(concerns == event.contacts.contains(contact), "\(contact) in \(event.xml)")
      }
    }
    #expect(count > 100)
  }
}
