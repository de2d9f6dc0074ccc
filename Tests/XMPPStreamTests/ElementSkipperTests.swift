import TestSupport
import Testing
import XMPPStanza
import XMPPStream

@Suite("A skipped element ends where a parser ends it")
struct ElementSkipperTests {
  private static let elements = [
    "<a/>", "<a />", "<a></a>", "<a b='>' c=\"/>\"/>", "<a b='/'></a>", "<a><b/><c></c></a>",
    "<a><![CDATA[</a><b>]]]]><![CDATA[>]]></a>", "<a>text > text</a >", "<a\n/>",
    "<a><![CDATA[]></a>]] ></a>]]></a>",
    "<message><body>&lt;/message&gt;</body></message>", "<a><a><a/></a></a>", "<a b='\"' c='x'/>",
    "<x:a xmlns:x='u'><x:a/></x:a>", "<a>你好</a>",
  ]

  private func skip(_ bytes: [UInt8], pieces: [Int]) -> (skipper: ElementSkipper, rest: [UInt8]) {
    var skipper = ElementSkipper(refusedFor: .limit(.depth))
    var rest = bytes[...]
    var turn = 0
    while !skipper.isDone, !rest.isEmpty {
      let piece = rest.prefix(pieces.isEmpty ? rest.count : pieces[turn % pieces.count])
      let left = skipper.skip(piece)
      rest = rest.dropFirst(piece.count - left.count)
      turn += 1
    }
    return (skipper, Array(rest))
  }

  @Test("In chunks of any size, the bytes after the element are returned", arguments: elements)
  func everyCut(_ text: String) {
    let (element, after) = (Array(text.utf8), Array("<presence/>".utf8))
    for size in 0...9 {
      let (skipper, rest) = skip(element + after, pieces: size == 0 ? [] : [size])
      #expect(skipper.isDone && rest == after, "in pieces of \(size)")
      #expect(skipper.kept == element && skipper.count == element.count)
    }
    for end in 0..<element.count {
      #expect(!skip(Array(element[..<end]), pieces: []).skipper.isDone, "cut at \(end)")
    }
  }

  @Test("Every captured element ends at its last byte")
  func captured() throws {
    for stream in try CapturedStreams.all() {
      for event in parse(stream.bytes, as: stream.root).events {
        guard case .element(let element) = event else { continue }
        let (skipper, rest) = skip(element.bytes + element.bytes, pieces: [7, 300, 1])
        #expect(skipper.isDone && rest == element.bytes, "\(stream.name)")
        #expect(
          skipper.isStanza
            == (["iq", "message", "presence"].contains(element.node.name.local)
              && element.node.name.namespace == "jabber:client"),
          "\(stream.name)")
      }
    }
  }

  @Test(
    "A stanza is recognized by its own tag",
    arguments: [
      ("<message a='1'/>", true), ("<iq/>", true), ("<presence></presence>", true),
      ("<message xmlns='jabber:client'/>", true), ("<message xmlns = \"jabber:client\"/>", true),
      ("<message xmlns='other'/>", false), ("<message xmlns=''/>", false), ("<msg/>", false),
      ("<messages/>", false), ("<r xmlns='urn:xmpp:sm:3'><message/></r>", false),
      ("<message><x xmlns='other'/></message>", true), ("<message axmlns='other'/>", true),
      ("<message xmlns:a='other'/>", true),
    ])
  func stanza(_ text: String, _ isStanza: Bool) {
    #expect(skip(Array(text.utf8), pieces: [1]).skipper.isStanza == isStanza)
  }

  @Test("The first bytes of a long element are kept, and all are counted")
  func long() {
    let element =
      Array("<a>".utf8) + [UInt8](repeating: 0x78, count: 3 << 20) + Array("</a>".utf8)
    let (skipper, _) = skip(element, pieces: [10_000])
    #expect(skipper.kept == Array(element.prefix(ElementSkipper.limit)))
    #expect(skipper.count == element.count)
  }
}
