import RawBytes
import TestSupport
import Testing
import XMPPStanza

@testable import XMPPStream

@Suite("The plain reader, compared with libxml2")
struct PlainReaderTests {
  private static let limits = StreamLimits(
    depth: 8, attributesPerElement: 8, elementsPerStanza: 40, bytesPerElement: 2000)

  /// The element that the reader finds at the beginning of some bytes, and its length.
  private func plain(
    _ bytes: [UInt8], limits: StreamLimits = .live
  ) -> (node: XMPPElement, count: Int)? {
    var reader = PlainReader(limits: limits)
    let padded = bytes + Array(repeating: 0, count: PaddedBytes.padding)
    guard let padded = PaddedBytes(padded.span.bytes), let count = reader.read(padded) else {
      return nil
    }
    let element = reader.element(borrowing: bytes.span.bytes[0..<count]).owned
    #expect(element.treeBytes == Array(bytes[..<count]))
    return (element, count)
  }

  @Test(
    "Ordinary elements are read",
    arguments: [
      "<a/>", "<a></a>", "<a />", "<a  b='1'   c='2' >x</a>", "<a b=\"'\" c='\"'/>", "<a b=''/>",
      "<iq type='get'><query xmlns='jabber:iq:roster'/></iq>", "<a b='>' c='1'>></a>",
      "<a xmlns='u'><b/><c xmlns='v'><d/></c><e f='1'/></a>", "<a>x\ny\tz [1] ]> ]</a>",
      "<a>你好😀</a>", "<a b='é'>\u{85}\u{7F}</a>", "<a.b-c_1 D2='x'/>", "<_a>x<b/>y<c/></_a>",
      "<abcdefghijklmno/>", "<abcdefgh ijklmnop=''/>",
      "<a>\(String(repeating: "0123456789", count: 100))</a>",
      "<x xmlns='a?b\"c'/>", "<a xmlnsx='1'/>", "<a><a><a>x</a></a></a>", "<a>！，\u{FFFD}</a>",
      "<a>&amp;</a>", "<a>x&lt;&gt;&apos;y&quot;]&gt;<b/>&amp;lt;</a>", "<a>]&gt;&amp;]</a>",
      "<a b='&amp;'/>", "<a b=\"x&lt;&gt;'&apos;y&quot;\" c='#!%(&amp;lt;'/>",
      "<presence subscription='1'/>", "<a resource='' jid=''/>", "<iq  ></iq>",
    ])
  func takes(_ text: String) throws {
    let (node, count) = try #require(plain(Array(text.utf8)))
    #expect(count == text.utf8.count)
    #expect(parseByLibxml2(text).elements == [node])
    #expect(parse(text).elements == [node])
  }

  /// Some of these are valid, others are not; libxml2 must read all of them.
  @Test(
    "Unusual elements and errors are left to libxml2",
    arguments: [
      "", "<", "<a", "<a>", "<a/", "</a>", "<a></b>", "<a></ab>", "<ab></a>", "<a></a >", "<1/>",
      "<a\n/>", "<a\tb='1'/>", "<a b='1'c='2'/>", "<a b ='1'/>", "<a b= '1'/>", "<a b=1/>",
      "<a b/>", "<a b='1' b='2'/>", "<a xmlns='u' xmlns='u'/>", "<a xmlns=''/>", "<a xmlns='你'/>",
      "<a xmlns='a b'/>", "<a xmlns='\(Namespace.xml)'/>", "<a xmlns='\(Namespace.streams)'/>",
      "<a xmlns='http://www.w3.org/2000/xmlns/'/>", "<x:a xmlns:x='u'/>", "<a xml:lang='de'/>",
      "<a b='<'/>", "<a b='&#38;'/>", "<a b='&e;'/>", "<a b='&amp'/>", "<a xmlns='a&amp;b'/>",
      "<a b='x\ty'/>", "<a b='x\ny'/>", "<a>x\r</a>",
      "<a>]]></a>", "<a>]]</a>", "<a><!-- --></a>", "<a><?b?></a>", "<a><![CDATA[x]]></a>",
      "<é/>", "<a é='1'/>", "<a>\u{1}</a>", "<a>\u{0}</a>", "<a>\u{FFFE}</a>", "<a>\u{FFFF}</a>",
      "<a b='\u{FFFF}'/>", "<abcdefghijklmnop/>", "<a abcdefghijklmnop='1'/>",
      "<a\u{0}/>", "<a\u{0}b/>", "<a \u{0}='1'/>", "<a\u{0}></a>", "<a></a\u{0}>",
      "<abcdefghi\u{0}/>", "<a>&#38;</a>",
      "<a>&e;</a>", "<a>&amp</a>", "<a:b/>", "<a b:c='1'/>", "<-a/>", "<.a/>", "<a 1='2'/>",
      "<a / >",
      "<a b='1'",
    ])
  func leaves(_ text: String) {
    #expect(plain(Array(text.utf8))?.count == nil)
    #expect(parse(text) == parseByLibxml2(text))
  }

  @Test("Bytes that are not UTF-8 are refused")
  func bytesThatAreNoUTF8() {
    for bytes in [[0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xFF], [0xE4, 0xBD]] as [[UInt8]] {
      // Alone, after a text of sixteen bytes, before one, and next to valid characters.
      for (before, after) in [
        ("<a>", "</a>"), ("<a b='", "'/>"), ("<a><b/>0123456789abcdef", "</a>"),
        ("<a b='你' c=\"0123456789abcdef", "0123456789abcdef\">你</a>"),
        ("<a b='你'>你<b c='你'>你</b>", "</a>"),
      ] {
        let text = Array(before.utf8) + bytes + Array(after.utf8)
        #expect(plain(text)?.count == nil)
        #expect(parse(text).error != nil)
        #expect(parse(text).agrees(with: parseByLibxml2(text)))
      }
    }
  }

  @Test("The limits are enforced")
  func limitsHold() {
    for text in [
      "<a><b><c><d><e><f><g><h><i/></h></g></f></e></d></c></b></a>",
      "<a b='' c='' d='' e='' f='' g='' h='' i='' j=''/>",
      "<a xmlns='u' b='' c='' d='' e='' f='' g='' h='' i=''/>",
      "<a>\(String(repeating: "<b/>", count: 40))</a>",
      "<a>\(String(repeating: "x", count: 2000))</a>",
    ] {
      let outcome = parse(text, limits: Self.limits)
      #expect(outcome == parseByLibxml2(text, limits: Self.limits))
      #expect(outcome.error != nil)
    }
  }

  /// The parser feeds its context the `<` with which a chunk ends.
  @Test("A context that was fed the beginning of an element reads the rest, too")
  func anElementThatHasBegunGoesOnWhereItBegan() {
    let text = "<a x:y='1' xmlns:x='u'/><b/><c/><d>&lt;</d><e/>"
    for cut in 1..<text.utf8.count {
      let outcome = parse(text, pieces: [cut, text.utf8.count])
      #expect(outcome.texts.joined() == text)
      #expect(outcome.elements.map(\.name.local) == ["a", "b", "c", "d", "e"])
    }
  }

  @Test("More names and namespaces than the tables keep are read")
  func manyNamesAndNamespaces() {
    let many = (0..<2000).map { "<n\($0 % 1500) xmlns='u\($0 % 700)' a\($0)='x'/>" }.joined()
    let outcome = parse(many + many)
    #expect(outcome.elements.count == 4000)
    #expect(outcome == parseByLibxml2(many + many))
  }

  @Test("An element of any number of parts and namespaces is read")
  func anElementOfManyParts() throws {
    let children = (0..<1000).map { "<b xmlns='u\($0)' c='\($0)'>x&amp;<d/></b>" }.joined()
    let text = "<a>\(children)</a>"
    let (node, count) = try #require(plain(Array(text.utf8)))
    #expect(count == text.utf8.count)
    #expect(node.children.map(\.name.namespace) == (0..<1000).map { "u\($0)" })
    #expect(parse(text + text) == parseByLibxml2(text + text))
    #expect(parse(text).elements == [node])
  }

  @Test("Only zeros are read after the end")
  func theEndIsTheEnd() {
    let bytes = Array(
      "<presence from='a@b.test/c' xmlns='u'><status>a &lt; b</status></presence>".utf8)
    #expect(plain(bytes)?.count == bytes.count)
    for end in 0..<bytes.count { #expect(plain(Array(bytes[..<end]))?.count == nil) }
    // The bytes after an element are not part of it.
    for rest in ["<", "x", " ", "\0", "é", "<a>"] {
      #expect(plain(bytes + Array(rest.utf8))?.count == bytes.count)
    }
  }

  @Test("The reader has the limits of libxml2, too")
  func limitsOfLibxml2() {
    let limits = StreamLimits(
      depth: 1000, attributesPerElement: 1000, elementsPerStanza: 1000, bytesPerElement: 64 << 20)
    let nested = String(repeating: "<a>", count: 129) + String(repeating: "</a>", count: 129)
    #expect(plain(Array(nested.utf8), limits: limits)?.count == nil)
    let long = "<a b='\(String(repeating: "x", count: 8 << 20))'/>"
    #expect(plain(Array(long.utf8), limits: limits)?.count == nil)
  }

  /// An element gives the same result alone or not, and the parser can be fed what was not taken.
  @Test("An element that arrives alone gives the same result")
  func elementsThatComeByThemselves() throws {
    let parser = StreamParser(root: .records, limits: .live)
    var texts: [String] = []
    for text in ["<a/>", "<b>&#38;</b>", "<c x='1'/>", "<d/><e/>", " <f/>", "<g", ">x</g>", "<h/>"]
    {
      let bytes = Array(text.utf8)
      let padded = bytes + Array(repeating: 0, count: StreamParser.padding)
      let isTaken = parser.takeElement(padded: padded.span.bytes) { element in
        texts.append(String(decoding: element.treeBytes, as: UTF8.self))
      }
      #expect(isTaken == ["<a/>", "<c x='1'/>", "<h/>"].contains(text))
      if !isTaken {
        try parser.feed(bytes) { event in
          if case .element(let element) = event {
            texts.append(String(decoding: element.bytes, as: UTF8.self))
          }
        }
      }
    }
    #expect(
      texts == ["<a/>", "<b>&#38;</b>", "<c x='1'/>", "<d/>", "<e/>", "<f/>", "<g>x</g>", "<h/>"])
    // If the closure throws, the element is still consumed, and the next one can follow.
    let padded = Array("<j/>".utf8) + Array(repeating: 0, count: StreamParser.padding)
    #expect(throws: CancellationError.self) {
      _ = try parser.takeElement(padded: padded.span.bytes) { _ in throw CancellationError() }
    }
    texts.append("<j/>")
    // Elements that libxml2 did not see still count for offsets.
    let count = texts.joined().utf8.count + 1
    #expect(throws: StreamError(.truncated, offset: count)) {
      try parser.feed(Array("<i".utf8)) { _ in }
      try parser.finish()
    }
  }

  /// Each element is read into the memory of the previous one; kept elements have their own memory.
  @Test("Kept elements do not change", arguments: 0..<UInt64(8))
  func keptElements(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let parser = StreamParser(root: .records, limits: .live)
    var kept: [(node: XMPPElement?, child: XMPPElement?, bytes: [UInt8]?, text: String)] = []
    for number in 0..<400 {
      let length = Int.random(in: 0...1, using: &random) * Int.random(in: 0...9000, using: &random)
      let filling = String(repeating: "x", count: length)
      let inner = (0..<Int.random(in: 0...20, using: &random)).map {
        "<c n='\($0)' xmlns='u\($0)'/>"
      }
      let text = "<a n='\(number)'><b>\(filling)</b>\(inner.joined())</a>"
      try parser.feed(Array(text.utf8)) { event in
        guard case .element(let element) = event else { return }
        let child = element.node.child("b", in: Namespace.client)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: kept.append((element.node, nil, nil, text))
        case 1: kept.append((nil, child, nil, text))
        case 2: kept.append((nil, nil, element.bytes, text))
        default: break
        }
      }
      let padded = Array(text.utf8) + Array(repeating: 0, count: StreamParser.padding)
      let isTaken = parser.takeElement(padded: padded.span.bytes) { node in
        #expect(node.owned == node && node.owned.hashValue == node.hashValue)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: kept.append((node.owned, nil, nil, text))
        case 1: kept.append((nil, node.child("b", in: Namespace.client)?.owned, nil, text))
        default: break
        }
      }
      #expect(isTaken)
    }
    for (node, child, bytes, text) in kept {
      let fresh = try #require(plain(Array(text.utf8))).node
      if let node { #expect(node == fresh && node.treeBytes == Array(text.utf8)) }
      if let child { #expect(child == fresh.child("b", in: Namespace.client)) }
      if let bytes { #expect(bytes == Array(text.utf8) && bytes.capacity < bytes.count + 10_000) }
    }
    #expect(kept.count > 100)
  }

  @Test("Every captured stream is read as by libxml2")
  func everyCapturedStream() throws {
    for stream in try CapturedStreams.all() {
      let outcome = parse(stream.bytes, as: stream.root)
      #expect(outcome == parseByLibxml2(stream.bytes, as: stream.root))
    }
  }

  private static let parts = [
    "<a>", "</a>", "<a/>", "<b c='1'>", "</b>", " ", "x", "你", "&amp;", "&lt;", "]]>", "]", "\n",
    "\r",
    "<d xmlns='u'>", "</d>", "<e f=\"2\" g='3'/>", "<k>", "</k>", "<all/>", "'", "\"", "<", ">",
    "/",
    "=", "<x:y xmlns:x='v'/>", "<!-- -->", "<h i='a b'></h>", "xmlns='w'", "\u{FFFE}",
  ]

  /// Random elements, most of them valid, with random changes of bytes.
  @Test(
    "Random elements are read as by libxml2",
    arguments: 0..<UInt64(16))
  func whatItTakesIsWhatLibxml2Makes(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let strange = Array("<>/='\" &;]x:-\n\r\t!?".utf8) + [0x00, 0x01, 0x7F, 0x80, 0xBF, 0xEF, 0xFF]
    var taken = 0
    for round in 0..<3000 {
      var bytes = Array(element(depth: 3, using: &random).utf8)
      for _ in 0..<Int.random(in: 0..<3, using: &random) {
        let offset = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[offset] = strange[Int.random(in: 0..<strange.count, using: &random)]
        case 1: bytes.insert(contentsOf: pick(Self.parts, &random).utf8, at: offset)
        default: if bytes.count > 1 { bytes.remove(at: offset) }
        }
      }
      let outcome = parse(bytes, limits: Self.limits)
      let expected = parseByLibxml2(bytes, limits: Self.limits)
      #expect(outcome.agrees(with: expected), "seed \(seed), round \(round)")
      for (element, other) in zip(outcome.elements, expected.elements) {
        let isSame =
          element.hashValue == other.hashValue
          && element.serialized() == other.serialized() && element.content == other.content
        #expect(isSame, "seed \(seed), round \(round)")
      }
      if plain(bytes) != nil { taken += 1 }
    }
    // Enough elements are read without libxml2.
    #expect(taken > 500)
  }

  private func pick(_ list: [String], _ random: inout SeededGenerator) -> String {
    list[Int.random(in: 0..<list.count, using: &random)]
  }

  private func element(depth: Int, using random: inout SeededGenerator) -> String {
    let name = pick(["a", "k", "all", "iq", "long-name.of_15"], &random)
    let attributes = [
      "", " b='1'", " b='你' c=\"x y\"", " xmlns='u'", " xmlns='\(Namespace.roster)' d=''",
      "  e='>' ", " f='&lt;1&apos;' subscription='both'",
    ]
    var text = "<\(name)\(pick(attributes, &random))"
    guard depth > 0, Bool.random(using: &random) else { return text + "/>" }
    text += ">"
    for _ in 0..<Int.random(in: 0..<4, using: &random) {
      text += pick(["", "x", "你好", "\n\t ", "a longer text [1]. "], &random)
      text += element(depth: depth - 1, using: &random)
    }
    return text + "</\(name)>"
  }
}
