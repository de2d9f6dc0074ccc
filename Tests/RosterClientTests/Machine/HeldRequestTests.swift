import Rollcall
@testable import RosterClient
import TestSupport
import Testing
import XMPPStanza

/// The requests of others, each of which is answered exactly once (RFC 6120 §8.2.3).
@Suite("Requests that the application answers") struct HeldRequestTests {
  private static let from = "bob@example.test/x"
  private static let version = request("v", "<query xmlns='jabber:iq:version'/>")

  private static func request(
    _ id: String, _ payload: String, type: String = "get", from: String = from
  ) -> String {
    "<iq type='\(type)' id='\(id)' from='\(from)'>\(payload)</iq>"
  }

  private static func refusal(_ id: String, to: String = from) -> String {
    """
    <iq type="error" id="\(id)" to="\(to)"><error type="cancel"><service-unavailable \
    xmlns="urn:ietf:params:xml:ns:xmpp-stanzas"/></error></iq>
    """
  }

  private static func result(_ id: String) -> String {
    #"<iq type="result" id="\#(id)" to="\#(from)"/>"#
  }

  /// A session whose application answers the requests of a namespace.
  private func online(counts: Bool = false) -> Talk {
    var talk = Talk()
    talk.machine.namespaces = ["jabber:iq:version", "jabber:iq:roster", "urn:xmpp:ping"]
    talk.goesOnline(counts: counts)
    return talk
  }

  /// Lets the application answer a request with an empty result.
  private func answers(_ talk: inout Talk, _ xml: String = version) {
    let node = element(xml)
    talk.happens { $0.replied(.reply(to: node), to: node).result }
  }

  /// What arrives, and what the session says to it at once; nil if it leaves it to the application.
  private static let requests: [(String, String, String?)] = [
    ("a request of the namespace", version, nil),
    ("a set", request("s", "<query xmlns='jabber:iq:version'/>", type: "set"), nil),
    ("another namespace", request("a", "<query xmlns='jabber:iq:last'/>"), refusal("a")),
    (
      "a part of the name", request("a", "<query xmlns='jabber:iq:versions'/>"), refusal("a")
    ),
    ("no child", request("n", ""), refusal("n")),
    (
      "two children",
      request("t", "<query xmlns='jabber:iq:version'/><query xmlns='jabber:iq:version'/>"),
      refusal("t")
    ),
    (
      "the namespace further inside",
      request("i", "<a xmlns='x'><query xmlns='jabber:iq:version'/></a>"), refusal("i")
    ),
    ("a ping", request("p", "<ping xmlns='urn:xmpp:ping'/>"), result("p")),
    (
      "a push that is not ours to answer",
      request("r", "<query xmlns='jabber:iq:roster'/>", type: "set"), ""
    ),
    ("no id", "<iq type='get'><query xmlns='jabber:iq:version'/></iq>", ""),
    (
      "an answer", request("x", "<query xmlns='jabber:iq:version'/>", type: "result"), ""
    ),
  ]

  @Test(
    "Only requests of the named namespaces are left to the application",
    arguments: requests.indices)
  func held(_ index: Int) {
    let (what, xml, reply) = Self.requests[index]
    var talk = online()
    talk.hears(xml)
    #expect(talk.deeds().joined() == reply ?? "", "\(what)")
    #expect(talk.machine.isOpen(element(xml)) == (reply == nil), "\(what)")
    // Each is refused in the end, and only once.
    let late = reply == nil ? Self.refusal(xml.contains("'v'") ? "v" : "s") : ""
    for _ in 0..<3 { talk.happens { $0.requestsAged(limit: 2) } }
    #expect(talk.deeds().joined() == late, "\(what)")
  }

  @Test("Without a namespace every request is refused at once")
  func none() {
    var talk = Talk()
    talk.goesOnline(counts: false)
    talk.hears(Self.version)
    #expect(talk.deeds() == [Self.refusal("v")])
  }

  @Test("An answered request is not refused, and not answered again")
  func answered() {
    var talk = online()
    talk.hears(Self.version)
    answers(&talk)
    #expect(talk.deeds() == [Self.result("v"), "r2 written"])
    answers(&talk)
    #expect(talk.deeds() == ["answered there is no session"])
    for _ in 0..<3 { talk.happens { $0.requestsAged(limit: 1) } }
    #expect(talk.deeds() == [])
  }

  @Test("A request is refused when its own time is over, and can no longer be answered")
  func overdue() {
    var talk = online()
    talk.hears(Self.version)
    talk.happens { $0.requestsAged(limit: 2) }
    let later = Self.request("w", "<query xmlns='jabber:iq:version'/>")
    talk.hears(later)
    talk.happens { $0.requestsAged(limit: 2) }
    #expect(talk.deeds() == [Self.refusal("v")])
    #expect(!talk.machine.isOpen(element(Self.version)))
    #expect(talk.machine.isOpen(element(later)))
  }

  @Test("Two senders may use one id")
  func senders() {
    var talk = online()
    let other = Self.request(
      "v", "<query xmlns='jabber:iq:version'/>", from: "carol@example.test/y")
    talk.hears(Self.version + other)
    answers(&talk, other)
    _ = talk.deeds()
    talk.happens { $0.requestsAged(limit: 1) }
    #expect(talk.deeds() == [Self.refusal("v")])
  }

  @Test("The number of open requests is limited")
  func limit() {
    var talk = online()
    for number in 0..<ClientMachine.heldLimit {
      talk.hears(Self.request("\(number)", "<query xmlns='jabber:iq:version'/>"))
    }
    #expect(talk.deeds() == [])
    talk.hears(Self.version)
    #expect(talk.deeds() == [Self.refusal("v")])
  }

  @Test("A session that is closed refuses what is open before its end")
  func closed() {
    var talk = online()
    talk.hears(Self.version)
    talk.happens { $0.closed() }
    #expect(talk.deeds() == [Self.refusal("v"), "</stream:stream>"])
  }

  @Test("A resumed session can still answer, and a new one owes nothing")
  func resumed() throws {
    for isResumed in [true, false] {
      var talk = online(counts: true)
      talk.hears(Self.version)
      talk.happens { $0.disconnected(.lost(reason: "it was closed")) }
      let resumption = try #require(talk.machine.resumption)
      var next = Talk(Talk.login { $0.resumption = resumption })
      next.authenticates()
      next.hears(Talk.features(Talk.bind + Talk.counting))
      if isResumed {
        next.hears("<resumed xmlns='urn:xmpp:sm:3' previd='some-id' h='0'/>")
      } else {
        next.hears("<failed xmlns='urn:xmpp:sm:3'/>" + Talk.bound("r1"))
      }
      _ = next.deeds()
      #expect(next.machine.isOpen(element(Self.version)) == isResumed)
      next.happens { $0.requestsAged(limit: 1) }
      #expect((next.deeds().first == Self.refusal("v")) == isResumed)
    }
  }
}
