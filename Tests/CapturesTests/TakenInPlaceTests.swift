import TestSupport
import Testing
import XMPPStanza
import XMPPStream

@testable import Captures

@Suite("Elements read in place, compared with their records")
struct TakenInPlaceTests {
  private static let header = #"{"rollcall-capture":1,"account":"alice@example.test/phone"}"#

  /// Lines of a capture, in any order.
  private static let lines = [
    #"{"t":1763600000000,"dir":"in","xml":"<presence from='bob@example.test/a'/>"}"#,
    #"{"t":1763600000001,"c":2,"dir":"out","xml":"<iq type='get' id='1'/>"}"#,
    #"{"c":2,"name":"tablet","dir":"in","xml":"<message>hi</message>"}"#,
    #"{"dir":"in","xml":"<message><body>你好 &amp; &#38;</body></message>"}"#,
    #"{"dir":"out","xml":"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>secret</auth>"}"#,
    #"{"dir":"in","xml":"<x password='secret'/>"}"#,
    #"{"dir":"in","xml":"<a:b xmlns:a='u'/>"}"#,
    #"{"dir":"in","xml":"<unended>"}"#, #"{"dir":"in","xml":"<a/><b/>"}"#, "no JSON", "",
    #"{"t":1763600000002,"stream":"closed"}"#, #"{"bookmark":"here"}"#,
    #"{"dir":"in","xml":"<stream:stream xmlns:stream='http://etherx.jabber.org/streams'>"}"#,
    header, "\u{0}\u{0}" + #"{"dir":"in","xml":"<after-nul/>"}"#,
    #"{"dir":"in","xml":"<return/>"}"# + "\r",
    "\u{1B}[1;34m" + #"{"dir":"in","xml":"<color/>"}"# + "\u{1B}[0m",
  ]

  private func read(
    _ bytes: [UInt8], cut: () -> Int, handle: () -> Bool
  ) throws -> Reading {
    var reading = Reading()
    var reader = CaptureReader(format: try #require(CaptureFormat.named("native")))
    var start = 0
    while start < bytes.count {
      let end = min(start + cut(), bytes.count)
      try reader.read(Array(bytes[start..<end])) { head, node in
        let isTaken = handle()
        if isTaken { reading.outputs.append(.record(head.record(of: node))) }
        return isTaken
      } _: {
        reading.outputs.append($0)
      }
      start = end
    }
    try reader.finish { reading.outputs.append($0) }
    return reading
  }

  /// The element parsed from its bytes, to compare with the kept one after the reader has moved on.
  private func parsed(_ bytes: [UInt8]) throws -> XMPPElement? {
    var node: XMPPElement?
    try StreamParser(root: .records, limits: .live).feed(bytes) { event in
      if case .element(let element) = event { node = element.node }
    }
    return node
  }

  @Test(
    "A caller that consumes some elements in place gets all the others as records",
    arguments: 0..<UInt64(40))
  func sameOutputs(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var capture = (seed.isMultiple(of: 3) ? "\u{FEFF}" : "") + Self.header
    for _ in 0..<200 { capture += "\n" + (Self.lines.randomElement(using: &random) ?? "") }
    if seed.isMultiple(of: 2) { capture += "\n" }
    let bytes = Array(capture.utf8)
    let whole = try read(bytes, cut: { bytes.count }, handle: { false })
    var taken = 0
    let inPlace = try read(bytes, cut: { Int.random(in: 1...90, using: &random) }) {
      let isTaken = Bool.random(using: &random)
      if isTaken { taken += 1 }
      return isTaken
    }
    #expect(inPlace == whole, "seed \(seed)")
    #expect(taken > 5, "seed \(seed)")
    #expect(!whole.elements.contains { $0.contains("secret") })
    for case .record(let record) in inPlace.outputs {
      guard case .element(_, let node, let bytes) = record.content else { continue }
      #expect(try parsed(bytes) == node, "seed \(seed)")
    }
  }
}
