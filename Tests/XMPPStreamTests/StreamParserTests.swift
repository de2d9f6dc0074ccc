import Testing
import XMPPStanza

@testable import XMPPStream

@Suite("From the bytes of a stream to its elements")
struct StreamParserTests {
  @Test("An element without a namespace is a stanza")
  func anElementWithoutNamespaceIsAStanza() {
    let text = "<iq type='get'><query xmlns='jabber:iq:roster'/></iq>"
    let query = XMPPElement(XMLName("query", in: Namespace.roster))
    let outcome = parse(text)
    #expect(outcome.elements == [client("iq", [("type", "get")], [.element(query)])])
    #expect(outcome.texts == [text])
  }

  @Test("White space between elements is not part of them")
  func whiteSpaceBetweenElementsIsNoPartOfThem() {
    #expect(parse(" \r\n<a/>\t\n <b >x</b >\n").texts == ["<a/>", "<b >x</b >"])
  }

  @Test("An element is delivered with its last byte")
  func theEndComesWithTheLastByte() throws {
    let parser = StreamParser(root: .records, limits: .live)
    for text in ["<a/>", "<a></a>", "<a b='1'>x</a >"] {
      var count = 0
      try parser.feed(Array(text.utf8.dropLast())) { _ in count += 1 }
      #expect(count == 0)
      #expect(!parser.isBetweenElements)
      try parser.feed(Array(text.utf8.suffix(1))) { _ in count += 1 }
      #expect(count == 1, "\(text)")
      #expect(parser.isBetweenElements)
    }
  }

  /// libxml2 2.9 gives `&amp;` in an attribute as `&#38;` without the option that the parser sets.
  @Test(
    "References are replaced",
    arguments: [
      ("&amp;", "&"), ("&#38;", "&"), ("&#x26;", "&"), ("&lt;", "<"), ("&#60;", "<"), ("&gt;", ">"),
      ("&quot;", "\""), ("&apos;", "'"), ("&amp;lt;", "&lt;"), ("&#38;lt;", "&lt;"),
      ("a&amp;b&amp;c", "a&b&c"), ("&#x4F60;", "你"), ("&#128512;", "😀"), ("&amp;#38;", "&#38;"),
    ])
  func referencesAreReplaced(_ written: String, _ meant: String) {
    #expect(parse("<a b='\(written)'/>").elements == [client("a", [("b", meant)])])
    #expect(parse("<a>\(written)</a>").elements == [client("a", [], [.text(meant)])])
  }

  @Test("Pieces of text are joined")
  func textIsJoined() {
    let outcome = parse("<a>one &amp; <![CDATA[<two> & ]]]]><![CDATA[>]]>three\r\nfour</a>")
    #expect(outcome.elements == [client("a", [], [.text("one & <two> & ]]>three\nfour")])])
  }

  @Test("Values of attributes are normalized")
  func attributeValuesAreNormalised() {
    #expect(
      parse("<a b='1\t2\n3\r\n4&#10;5'/>").elements == [client("a", [("b", "1 2 3 4\n5")])])
  }

  @Test("Names of namespaces need not be URIs")
  func namespaceNamesNeedNotBeURIs() {
    let outcome = parse("<a xmlns='vcard-temp'/><b xmlns='a b'/><c xmlns=''/>")
    #expect(outcome.elements.map(\.name.namespace) == ["vcard-temp", "a b", ""])
    #expect(outcome.error == nil)
  }

  @Test("Prefixes are resolved")
  func prefixesAreResolved() {
    let outcome = parse("<x:a xmlns:x='u' x:b='1' xml:lang='de' c='2'/>")
    let node = XMPPElement(
      XMLName("a", in: "u"),
      attributes: [
        XMLAttribute(XMLName("b", in: "u"), "1"),
        XMLAttribute(XMLName("lang", in: Namespace.xml), "de"),
        XMLAttribute(XMLName("c", in: ""), "2"),
      ])
    #expect(outcome.elements == [node])
  }

  @Test("Headers and ends of streams may come between records")
  func headersAndEndsMayStandBetweenRecords() {
    let outcome = parse(
      "<?xml version='1.0'?><stream:stream to='a.test'><iq/></stream:stream><stream:stream><r/>")
    let root = XMLName("stream", in: Namespace.streams)
    let first = StreamElement(
      node: XMPPElement(root, attributes: [XMLAttribute(XMLName("to", in: ""), "a.test")]),
      bytes: Array("<stream:stream to='a.test'>".utf8))
    let second = StreamElement(node: XMPPElement(root), bytes: Array("<stream:stream>".utf8))
    #expect(
      outcome.events == [
        .header(first), .element(StreamElement(node: client("iq"), bytes: Array("<iq/>".utf8))),
        .end, .header(second),
        .element(StreamElement(node: client("r"), bytes: Array("<r/>".utf8))),
      ])
  }

  @Test(
    "A new stream may begin in a connection",
    arguments: ["", "<?xml version='1.0'?>", "<?xml version=\"1.0\" encoding='utf-8' ?>\n"])
  func aNewStreamMayBeginInAConnection(_ declaration: String) {
    let text = "\(declaration)\(header)<a/>\(declaration)\(header)<b/></stream:stream>"
    for pieces in [[], [1], [7]] {
      let outcome = parse(text, as: .wire, pieces: pieces)
      #expect(outcome.error == nil)
      #expect(outcome.elements == [client("a"), client("b")])
      #expect(outcome.events.count == 5)
      #expect(outcome.events.last == .end)
    }
  }

  @Test("A new stream may begin after the end of another")
  func aNewStreamMayBeginAfterTheEnd() {
    let outcome = parse("\(header)<a/></stream:stream>\n\(header)<b/>", as: .wire)
    #expect(outcome.elements == [client("a"), client("b")])
    #expect(outcome.error == nil)
  }

  @Test("An empty stream is a header and an end")
  func anEmptyStreamIsAHeaderAndAnEnd() {
    let tag = String(header.dropLast()) + "/>"
    for root in [StreamRoot.records, .wire] {
      let outcome = parse(tag + tag, as: root)
      #expect(outcome.error == nil)
      #expect(outcome.events.count == 4)
      #expect(outcome.events.last == .end)
    }
  }

  /// A header may declare more than the standard root; the bytes of a record do not depend on it.
  @Test("Records can be parsed alone, whatever their stream's header declares")
  func recordsStandByThemselves() {
    let foreign =
      "<s:stream xmlns='jabber:server' xmlns:x='u&amp;v' xmlns:s='\(Namespace.streams)'>"
    let outcome = parse(
      foreign
        + "<s:features/><iq x:a='1'/><iq xmlns='jabber:client'/><x:b xmlns:x='w'/></s:stream>",
      as: .wire)
    #expect(outcome.error == nil)
    #expect(
      outcome.elements.map(\.name.namespace) == [
        Namespace.streams, "jabber:server", Namespace.client, "w",
      ])
    for event in outcome.events {
      guard case .element(let element) = event else { continue }
      let again = parse(element.bytes)
      #expect(again.elements == [element.node])
    }
    #expect(outcome.texts.last?.contains("xmlns:x=\"u") == false)
  }

  @Test("A header may declare no default namespace")
  func aHeaderWithoutDefaultNamespace() {
    let outcome = parse(
      "<stream:stream xmlns:stream='http://etherx.jabber.org/streams'><a/><b xmlns='u'/>",
      as: .wire)
    #expect(outcome.texts == ["<a xmlns=\"\"/>", "<b xmlns='u'/>"])
  }

  @Test("Repeated names are equal")
  func namesThatComeAgainAreTheSame() {
    let many = (0..<3000).map { "<n\($0) a\($0)='' xmlns='u\($0 % 7)'/>" }.joined()
    let outcome = parse(many + many)
    #expect(outcome.elements.count == 6000)
    #expect(outcome.elements.prefix(3000) == outcome.elements.suffix(3000))
    #expect(outcome.elements[1234].name == XMLName("n1234", in: "u2"))
  }

  /// libxml2's dictionary of names is limited to 10 MB.
  @Test("A context is renewed before its dictionary of names is full")
  func aLongStreamOfNewNames() throws {
    let parser = StreamParser(root: .wire, limits: .live)
    try parser.feed(Array(header.utf8)) { _ in }
    let padding = String(repeating: "n", count: 1000)
    var count = 0
    var renewals = 0
    for index in 0..<16_000 {
      try parser.feed(Array("<\(padding)\(index)/>".utf8)) { event in
        guard case .element(let element) = event else { return }
        if element.node.name.local == "\(padding)\(index)" { count += 1 }
      }
      if parser.context == nil { renewals += 1 }
    }
    try parser.finish()
    #expect(count == 16_000)
    #expect(renewals == 16_000 * 1008 / PushContext.maximumBytes)
  }

  @Test("Errors that the sink throws are passed on")
  func whatTheSinkThrowsComesOut() {
    struct Full: Error {}
    let parser = StreamParser(root: .records, limits: .live)
    #expect(throws: Full.self) { try parser.feed(Array("<a/>".utf8)) { _ in throw Full() } }
  }
}
