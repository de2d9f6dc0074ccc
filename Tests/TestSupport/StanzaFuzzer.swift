import RosterCore
import XMPPStanza

/// Generates lines that a server, a client, a stranger or an attacker might send, from so few
/// addresses and ids that they collide.
package struct StanzaFuzzer {
  private var random: SeededGenerator
  private var time: Int64 = 0

  /// A fuzzer whose output depends only on the seed.
  package init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  private static let contacts = [
    "bob@example.test", "BOB@example.test", "carol@example.test", "dave@example.test",
    "conference.example.test", "élodie@exämple.test", "alice@example.test",
  ]
  private static let froms =
    contacts + [
      "bob@example.test/pda", "bob@example.test/desk", "carol@example.test/x", "example.test",
      "alice@example.test/phone", "alice@example.test/tablet", "mallory@evil.test/x", "@", "",
    ]
  private static let ids = ["1", "2", "3", "push", ""]

  /// Plays one random line.
  package mutating func step(_ scenario: inout Scenario) {
    time += [0, 1, 500, 30_000, 61_000, 90_000_000][random(6)]
    scenario.time = random(20) == 0 ? nil : time
    switch random(43) {
    case 0: scenario.opened("alice@example.test/phone")
    case 1: scenario.opened(pick(["alice@example.test", "alice@example.test/tablet"]))
    case 2: scenario.resumed()
    case 3: scenario.lost()
    case 4: scenario.ended(scenario.record % 2 == 0 ? .inbound : .outbound)
    case 5: oddSession(&scenario)
    case 6..<14: scenario.received(push())
    case 14..<18: scenario.received(result())
    case 18..<21: scenario.sent(get())
    case 21..<24: scenario.sent(iq("set", rosterQuery(1)))
    case 24..<30: scenario.received(presence("from", Self.froms))
    case 30..<35: scenario.sent(presence("to", Self.contacts))
    case 35: scenario.sent(iq("result", ""))
    case 36: scenario.received(blocking())
    case 37: scenario.received(nick())
    case 38..<41: scenario.annotated(annotation())
    default: scenario.received(nonsense())
    }
  }

  private mutating func oddSession(_ scenario: inout Scenario) {
    switch random(5) {
    case 0: scenario.opened("mallory@evil.test/x")
    case 1: scenario.captureBegan(pick(["alice@example.test/phone", "mallory@evil.test"]))
    case 2: scenario.captureBegan(nil, inboundOnly: random(3) == 0)
    case 3: scenario.sent("<stream:stream to='example.test'/>")
    default: scenario.resumed("mallory@evil.test/x")
    }
  }

  private mutating func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  private mutating func pick(_ texts: [String]) -> String { texts[random(texts.count)] }

  private mutating func maybe(_ name: String, _ texts: [String]) -> String {
    random(2) == 0 ? "" : " \(name)='\(pick(texts))'"
  }

  private mutating func item() -> String {
    let subscription = maybe(
      "subscription", ["none", "to", "from", "both", "remove", "BOTH", "", "x"])
    let groups = (0..<random(3)).map { _ in "<group>\(pick(["A", "B", " A ", ""]))</group>" }
    return "<item\(maybe("jid", Self.contacts + ["@", "b ob@x"]))\(subscription)"
      + maybe("name", ["N", "M", "", " N "]) + maybe("ask", ["subscribe", "unsubscribe"])
      + maybe("approved", ["true", "0"]) + ">\(groups.joined())</item>"
  }

  private mutating func rosterQuery(_ count: Int) -> String {
    let items = (0..<count).map { _ in item() }.joined()
    return "<query xmlns='jabber:iq:roster'\(maybe("ver", ["v1", "v2", ""]))>\(items)</query>"
  }

  private mutating func iq(_ type: String, _ payload: String) -> String {
    "<iq type='\(type)'\(maybe("id", Self.ids))\(maybe("to", Self.contacts))>\(payload)</iq>"
  }

  private mutating func inbound(_ type: String, _ payload: String) -> String {
    let from = random(3) == 0 ? " from='\(pick(Self.froms))'" : ""
    return "<iq type='\(type)'\(maybe("id", Self.ids))\(from)>\(payload)</iq>"
  }

  private mutating func push() -> String {
    inbound("set", rosterQuery([1, 1, 1, 1, 1, 0, 2][random(7)]))
  }

  private mutating func result() -> String {
    switch random(6) {
    case 0: inbound("result", "")
    case 1: inbound("error", "<error type='cancel'/>")
    case 2: inbound("result", "<vCard xmlns='vcard-temp'><FN>\(pick(["F", ""]))</FN></vCard>")
    case 3: inbound("result", block("blocklist"))
    default: inbound("result", rosterQuery(random(5)))
    }
  }

  private mutating func get() -> String {
    switch random(5) {
    case 0: iq("get", "<vCard xmlns='vcard-temp'/>")
    case 1: iq("get", "<blocklist xmlns='urn:xmpp:blocking'/>")
    default:
      "<iq type='get'\(maybe("id", Self.ids))>"
        + "<query xmlns='jabber:iq:roster'\(maybe("ver", ["v1", "v2", ""]))/></iq>"
    }
  }

  private mutating func presence(_ end: String, _ addresses: [String]) -> String {
    let type = maybe(
      "type",
      [
        "subscribe", "subscribed", "unsubscribe", "unsubscribed", "unavailable", "error", "probe",
        "Subscribe",
      ])
    let content = [
      "", "<show>away</show>", "<priority>-5</priority>", "<priority>999</priority><show>?</show>",
      "<status>hi</status>", "<x xmlns='http://jabber.org/protocol/muc#user'/>",
      "<nick xmlns='http://jabber.org/protocol/nick'>Nick</nick>",
    ][random(7)]
    let address = random(4) == 0 ? "" : " \(end)='\(pick(addresses))'"
    return "<presence\(type)\(address)>\(content)</presence>"
  }

  private mutating func block(_ name: String) -> String {
    let items = (0..<random(3)).map { _ in "<item\(maybe("jid", Self.froms))/>" }.joined()
    return "<\(name) xmlns='urn:xmpp:blocking'>\(items)</\(name)>"
  }

  private mutating func blocking() -> String {
    inbound("set", block(random(2) == 0 ? "block" : "unblock"))
  }

  private mutating func nick() -> String {
    "<message from='\(pick(Self.froms))'><event xmlns='http://jabber.org/protocol/pubsub#event'>"
      + "<items node='http://jabber.org/protocol/nick'><item>"
      + "<nick xmlns='http://jabber.org/protocol/nick'>\(pick(["A", "B", ""]))"
      + "</nick></item></items>"
      + "</event></message>"
  }

  private mutating func annotation() -> RosterAnnotation {
    let jid = bare(pick(Self.contacts))
    let text = [nil, "", " ", "zeng", "Notes \(jid.domain)", "曾贤"][random(6)]
    return switch random(5) {
    case 0: .starred(jid, random(2) == 0)
    case 1: .reading(jid, text)
    case 2: .note(jid, text)
    default: .requestsSeen((0..<random(4)).map { _ in bare(pick(Self.contacts)) })
    }
  }

  private mutating func nonsense() -> String {
    pick([
      "<iq/>", "<presence type='?'/>", "<message/>", "<foo xmlns='urn:x'/>",
      "<iq type='result' id='1'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>",
      "<iq type='result' id='1' from='mallory@evil.test'>"
        + "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
        + "<jid>mallory@evil.test/x</jid></bind></iq>",
      "<success xmlns='urn:xmpp:sasl:2'/>", "<stream:features/>",
      "<stream:features><ver xmlns='urn:xmpp:features:rosterver'/></stream:features>",
      "<iq type='set'><query xmlns='jabber:iq:roster'>text<item/>text</query></iq>",
    ])
  }
}
