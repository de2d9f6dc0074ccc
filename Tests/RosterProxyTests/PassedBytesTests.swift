import Rollcall
@testable import RosterProxy
import TestSupport
import Testing

@Suite("The bytes that a proxy passes on") struct PassedBytesTests {
  /// What each side says after the login, as it goes in and as it comes out.
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
    // What only looks like it is passed on.
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

  @Test("They are those that came, but for what leads past the proxy, however they are cut")
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

  @Test("Where an element's parts lie is found whatever stands between")
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
