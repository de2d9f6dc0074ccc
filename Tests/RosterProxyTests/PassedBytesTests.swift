import Rollcall
import RosterClient
@testable import RosterProxy
import TestSupport
import Testing

@Suite("The bytes that a proxy passes on") struct PassedBytesTests {
  /// What each side sends after the login, and what the proxy passes on; empty if unchanged.
  private static let words: [(ProxySide, String, String)] = [
    (.server, "<presence  from = 'a@b'\n/>", "<presence  from = 'a@b'\n/>"),
    (.client, " \n\t<message><body>&lt;&#x41;<![CDATA[<x>]]></body></message>\n", ""),
    (
      .server,
      "<stream:features><compression xmlns='http://jabber.org/features/compress'><method>zlib"
        + "</method></compression><bind  xmlns=\"urn:ietf:params:xml:ns:xmpp-bind\"/>"
        + "</stream:features>",
      "<stream:features><bind  xmlns=\"urn:ietf:params:xml:ns:xmpp-bind\"/></stream:features>"
    ),
    (
      .server,
      "<stream:features ><c:compression xmlns:c='http://jabber.org/features/compress'/> "
        + "</stream:features>", "<stream:features > </stream:features>"
    ),
    // Elements that only look like it are passed on.
    (.server, "<stream:features><compression xmlns='urn:other'/></stream:features>", ""),
    (
      .server,
      "<message><compression xmlns='http://jabber.org/features/compress'/></message>", ""
    ),
    (
      .server,
      "<enabled xmlns='urn:xmpp:sm:3' id='a>b' location='[::1]:9' resume='true'/>",
      "<enabled xmlns='urn:xmpp:sm:3' id='a>b' resume='true'/>"
    ),
    (
      .server, "<enabled location = \"x\" xmlns='urn:xmpp:sm:2' id='1'></enabled>",
      "<enabled xmlns='urn:xmpp:sm:2' id='1'></enabled>"
    ),
    (.server, "<enabled xmlns='urn:xmpp:sm:3' id=' location=\"x\" '/>", ""),
    (.client, "<enabled xmlns='urn:xmpp:sm:3' location='x'/>", ""),
    (
      .server,
      "<success xmlns='urn:xmpp:sasl:2'><bound xmlns='urn:xmpp:bind:0'><enabled "
        + "xmlns='urn:xmpp:sm:3' id='7' location='h'/></bound></success>",
      "<success xmlns='urn:xmpp:sasl:2'><bound xmlns='urn:xmpp:bind:0'><enabled "
        + "xmlns='urn:xmpp:sm:3' id='7'/></bound></success>"
    ),
    (
      .server,
      "<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>h:9"
        + "</see-other-host></stream:error>",
      "<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>"
        + "</see-other-host></stream:error>"
    ),
    (.client, "</stream:stream>", ""),
  ]

  @Test("They are unchanged except for what leads past the proxy, however they are cut")
  func exact() {
    for seed in 0..<200 {
      var random = SeededGenerator(seed: UInt64(seed))
      var talk = ProxyTalk.authenticated()
      for (side, said, expected) in Self.words {
        var passed = ""
        var rest = Array(said.utf8)[...]
        while !rest.isEmpty {
          let piece = rest.prefix(Int.random(in: 1...max(1, seed % 40), using: &random))
          rest = rest.dropFirst(piece.count)
          let prefix = "\(side.other) < "
          passed += talk.say(String(decoding: piece, as: UTF8.self), side)
            .filter { $0.hasPrefix(prefix) }.map { $0.dropFirst(prefix.count) }.joined()
        }
        #expect(passed == (expected.isEmpty ? said : expected), "seed \(seed)")
      }
    }
  }

  @Test("However much is cut out, each byte is copied at most once", arguments: [1, 2, 10, 100])
  func cutOnce(seeds: Int) {
    for seed in (seeds - 1)..<(seeds * 2) {
      var random = SeededGenerator(seed: UInt64(seed))
      let count = Int.random(in: 0...300, using: &random)
      // Some are nested, such as an offer of compression within an offer to log in.
      let cuts = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        let begin = Int.random(in: 0...count, using: &random)
        return begin..<Int.random(in: begin...count, using: &random)
      }
      let kept = ByteCuts(of: count, cuts).kept
      #expect(kept.allSatisfy { !$0.isEmpty }, "seed \(seed)")
      #expect(zip(kept, kept.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
      let expected = (0..<count).filter { byte in !cuts.contains { $0.contains(byte) } }
      #expect(kept.flatMap { Array($0) } == expected, "seed \(seed)")
    }
  }

  @Test("An element made up of redirections is passed on without their addresses")
  func manyDetours() {
    let name = "see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'"
    let count = 20_000
    let said = { (host: String) in
      "<stream:error>"
        + String(repeating: "<\(name)>\(host)</see-other-host>", count: count)
        + "</stream:error>"
    }
    var talk = ProxyTalk.authenticated()
    #expect(talk.say(said("h:9"), .server).last == "client < \(said(""))")
  }

  @Test("Nested cuts do no harm")
  func nestedCuts() throws {
    let secrets = try TerminationSecrets(
      Password("secret"), allowsPlain: false, salt: Array(1...16))
    var talk = ProxyTalk.secured(secrets: secrets)
    let compression = "<compression xmlns='http://jabber.org/features/compress'/>"
    let done = talk.say(
      "<stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
        + "<mechanism>SCRAM-SHA-1</mechanism>\(compression)</mechanisms><end xmlns='urn:x'/>"
        + "</stream:features>", .server)
    let passed = try #require(done.last)
    #expect(passed.hasPrefix("client < <stream:features><mechanisms"))
    #expect(passed.hasSuffix("</mechanisms><end xmlns='urn:x'/></stream:features>"))
    #expect(!passed.contains("compression"))
  }

  @Test("The parts of an element are found whatever is between them")
  func spans() throws {
    let text = " <a b='>' c=\"'/>\"><![CDATA[</a>]]>t<b/>  <c ><d e='1'/></c ></a>"
    let bytes = Array(text.utf8)
    let span = try #require(ElementSpan(bytes))
    let words = { (range: Range<Int>) in String(decoding: bytes[range], as: UTF8.self) }
    #expect(words(span.whole) == text.dropFirst())
    #expect(words(span.startTag) == "<a b='>' c=\"'/>\">")
    #expect(span.children.map { words($0.whole) } == ["<b/>", "<c ><d e='1'/></c >"])
    #expect(words(span.children[1].content) == "<d e='1'/>")
    #expect(span.attribute("c", in: bytes).map(words) == " c=\"'/>\"")
    #expect(span.attribute("e", in: bytes) == nil)
    #expect(span.children[1].children[0].attribute("e", in: bytes).map(words) == " e='1'")
    for cut in 0..<bytes.count { _ = ElementSpan(Array(bytes[..<cut])) }
    #expect(ElementSpan(Array(bytes.dropLast())) == nil)
  }
}
