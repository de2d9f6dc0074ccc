import Foundation
import TestSupport
import Testing
import XMPPStanza
import XMPPStream

@Suite("The same bytes give the same events in chunks of any size")
struct ChunkingTests {
  /// Texts that are hard to cut: references, sections, brackets, line ends, long characters,
  /// headers.
  static let awkward = [
    "<a>]]]]&gt;]]</a>", "<a>" + String(repeating: "]", count: 700) + ">x</a>",
    "<a>x\r\n\r\r\ny\r</a>", "<a>&amp;&#x1F600;&lt;</a>",
    "<a><![CDATA[]]></a><b><![CDATA[]]]]></b>",
    "<a b='你&quot;好\r\n'>你好😀</a>", "<a>" + String(repeating: "你", count: 500) + "]]></a>",
    "<?xml version='1.0' encoding='UTF-8'?>\(header)<a/>\(header)</stream:stream> <b/>",
    "<a>" + String(repeating: "x", count: 299) + "]]>y</a>", "<a/> <?xml <b/>", "<a/><!", "<a/><?x",
    "<a xmlns:x='u'><x:b x:c='1'/></a><x:d/>", "<a>\u{10FFFF}\u{FFFE}</a>",
  ]

  @Test(
    "Hard texts are cut at every byte",
    arguments: awkward)
  func awkwardBytes(_ text: String) {
    let bytes = Array(text.utf8)
    let whole = parse(bytes)
    for size in 1...9 {
      #expect(parse(bytes, pieces: [size]) == whole, "in pieces of \(size)")
    }
    for cut in 1..<bytes.count {
      #expect(parse(bytes, pieces: [cut, bytes.count]) == whole, "cut at \(cut)")
    }
  }

  @Test("Every captured stream is cut at random")
  func everyCapturedStreamCutAnyhow() throws {
    let streams = try CapturedStreams.all()
    #expect(streams.count == 38)
    for (index, stream) in streams.enumerated() {
      let whole = parse(stream.bytes, as: stream.root)
      #expect(whole.error == nil, "\(stream.name)")
      #expect(!whole.events.isEmpty, "\(stream.name)")
      let bytewise = parse(stream.bytes, as: stream.root, pieces: [1])
      #expect(bytewise.events.count == whole.events.count, "\(stream.name)")
      #expect(bytewise.texts == whole.texts, "\(stream.name)")
      for seed in UInt64(index * 100)..<UInt64(index * 100 + 10) {
        var generator = SeededGenerator(seed: seed)
        let pieces = (0..<64).map { _ in Int.random(in: 1...400, using: &generator) }
        let isSame = parse(stream.bytes, as: stream.root, pieces: pieces) == whole
        #expect(isSame, "\(stream.name), seed \(seed)")
      }
    }
  }

  @Test("Every captured element can be parsed alone, and so can its serialization")
  func everyCapturedElementStandsByItself() throws {
    for stream in try CapturedStreams.all() {
      for event in parse(stream.bytes, as: stream.root).events {
        guard case .element(let element) = event else { continue }
        #expect(parse(element.bytes).elements == [element.node])
        #expect(parse(element.node.serialized()).elements == [element.node])
      }
    }
  }
}
