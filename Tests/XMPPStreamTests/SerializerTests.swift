import TestSupport
import Testing
import XMPPStanza
import XMPPStream

@Suite("The serializer")
struct SerializerTests {
  private static let names = ["a", "iq", "x-y_z.1", "é", "你好"]
  private static let namespaces = [
    "jabber:client", "", "u", "http://a.test/?b&c='<\">", "vcard-temp",
    Namespace.xml,
  ]
  private static let texts = [
    "x", " ", "\t", "\r", "\n", "\r\n", "<", ">", "&", "\"", "'", "]]>", "&amp;", "你", "😀",
    "\u{85}", "\u{2028}", "e\u{301}",
  ]

  private func node(depth: Int, using generator: inout SeededGenerator) -> XMPPElement {
    func pick(_ list: [String]) -> String {
      list[Int.random(in: 0..<list.count, using: &generator)]
    }
    func text() -> String {
      (0..<Int.random(in: 1...5, using: &generator)).map { _ in pick(Self.texts) }.joined()
    }
    let name = XMLName(pick(Self.names), in: pick(Self.namespaces))
    var attributes: [XMLAttribute] = []
    var content: [XMPPElement.Content] = []
    for _ in 0..<Int.random(in: 0...3, using: &generator) {
      let name = XMLName(pick(Self.names), in: pick(Self.namespaces))
      guard !attributes.contains(where: { $0.name == name }) else { continue }
      attributes.append(XMLAttribute(name, text()))
    }
    guard depth > 0 else { return XMPPElement(name, attributes: attributes) }
    var lastIsText = false
    for _ in 0..<Int.random(in: 0...4, using: &generator) {
      if !lastIsText, Bool.random(using: &generator) {
        content.append(.text(text()))
        lastIsText = true
      } else {
        content.append(.element(self.node(depth: depth - 1, using: &generator)))
        lastIsText = false
      }
    }
    return XMPPElement(name, attributes: attributes, content: content)
  }

  @Test("Parsing the serialized form gives an equal element")
  func parsingWhatWasWrittenGivesTheSame() {
    for seed in UInt64(0)..<3000 {
      var generator = SeededGenerator(seed: seed)
      let node = node(depth: 4, using: &generator)
      let outcome = parse(node.serialized())
      #expect(outcome.error == nil, "seed \(seed)")
      #expect(outcome.elements == [node], "seed \(seed)")
    }
  }
}
