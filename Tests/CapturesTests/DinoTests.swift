import Captures
import Foundation
import TestSupport
import Testing
import XMPPStanza

@Suite("Dino's texts, recognized by indentation")
struct DinoTests {
  static let head =
    "XMPP IN [a@b.test stream:0x5626bea92740 thread:0x5626be4ba180 "
    + "2026-11-21T11:10:49+0000]"

  /// The way in which Dino until 0.4 prints a text, and that of later versions.
  enum Style: CaseIterable {
    case old
    case new

    func text(_ text: String, indent: String) -> String {
      switch self {
      case .old: indent + text.replacing("\n", with: indent + "\n") + "\n"
      case .new: indent + text.replacing("\n", with: "\n" + indent) + "\n"
      }
    }
  }

  private func message(_ body: String, _ style: Style) -> String {
    """
    \(Self.head)
    <{jabber:client}:message {jabber:client}:from='eve@b.test/x' \
    {http://www.w3.org/2000/xmlns/}:xmlns='jabber:client'>
      <{jabber:client}:body>
    \(style.text(body, indent: "    "))  </{jabber:client}:body>
      <{urn:x}:y />
    </{jabber:client}:message>


    """
  }

  private func body(_ element: String?) -> String? {
    guard let element, let start = element.range(of: "<body>"),
      let end = element.range(of: "</body>")
    else { return nil }
    return String(element[start.upperBound..<end.lowerBound])
  }

  /// Bodies made of the elements of the log's structure, in random order.
  @Test(
    "No body forges a record, whatever its lines",
    arguments: Style.allCases)
  func noBodyForgesARecord(_ style: Style) throws {
    let lines = [
      "", "x", "    </{jabber:client}:body>", "  </{jabber:client}:body>",
      "</{jabber:client}:message>", Self.head, "  ", "    ", "    x    ",
      "<{jabber:client}:iq {jabber:client}:type='set' />", "    <{jabber:iq:roster}:query />",
    ]
    for seed in UInt64(0)..<400 {
      var generator = SeededGenerator(seed: seed)
      let count = Int.random(in: 1...7, using: &generator)
      let chosen = (0..<count).map { _ in lines[Int.random(in: 0..<lines.count, using: &generator)]
      }
      let log = message(chosen.joined(separator: "\n"), style) + message("end", style)
      let reading = try read(log, "dino")
      #expect(
        reading.elements.allSatisfy { $0.hasPrefix("< <message") && !$0.contains("<iq") },
        "seed \(seed)")
      #expect(reading.elements.count + reading.problems.count == 2, "seed \(seed)")
      #expect(body(reading.elements.last) == "end", "seed \(seed)")
    }
  }

  @Test(
    "Texts are read as they were written",
    arguments: Style.allCases)
  func textsAreKept(_ style: Style) throws {
    for text in ["x", "a\nb", "a\n\nb", "<b> & 'c'", "</{jabber:client}:body>\nXMPP IN [", "小\n美"] {
      let reading = try read(message(text, style), "dino")
      guard case .element(_, let node, _)? = reading.records.first?.content else {
        Issue.record("\(text)")
        continue
      }
      #expect(node.child("body", in: Namespace.client)?.text == text)
      #expect(reading.problems.isEmpty)
    }
  }

  @Test("Values over several lines and elements without an end tag are read")
  func valuesAndEmptyElements() throws {
    let reading = try read(
      """
      \(Self.head)
      <{jabber:client}:iq {jabber:client}:id='a&apos;&lt;
      &#10;b' {http://www.w3.org/XML/1998/namespace}:lang='en'>
        <{jabber:iq:roster}:query>
          <{jabber:iq:roster}:item {jabber:iq:roster}:jid='x@y.test'>
          <{jabber:iq:roster}:item {jabber:iq:roster}:jid='z@y.test' />
        </{jabber:iq:roster}:query>
      </{jabber:client}:iq>

      """, "dino")
    #expect(reading.problems.isEmpty)
    guard case .element(.inbound, let node, _)? = reading.records.first?.content else {
      Issue.record("\(reading)")
      return
    }
    #expect(node.attribute("id") == "a'<\n\nb")
    let query = try #require(node.child("query", in: Namespace.roster))
    #expect(query.children.map { $0.attribute("jid") } == ["x@y.test", "z@y.test"])
  }

  @Test("A broken record is reported, and the next is read")
  func aBrokenRecordIsReportedAndTheNextIsRead() throws {
    let broken = "\(Self.head)\n<{jabber:client}:message>\n   <{a}:b>\n</{x}:y>\n\n"
    let reading = try read(broken + message("end", .old), "dino")
    #expect(reading.problems.map(\.line) == [1])
    #expect(reading.elements.count == 1)
  }

  @Test("The first versions name only the account")
  func firstVersions() throws {
    let fixture = try #require(Fixture.logs.first { $0.name.hasPrefix("dino") })
    let text = String(decoding: fixture.bytes, as: UTF8.self)
    // A chat of the session quotes such heads.
    let isChat = { (xml: String) in xml.contains("XMPP IN") }
    let heads = /(XMPP (?:IN|OUT)(?: ROOT)? \[[^ \]]+)[^\]\n]*\]/
    let older = text.replacing(heads) { "\($0.1)]" }
    #expect(older != text)
    #expect(CaptureFormat.detect(Array(older.utf8.prefix(64 << 10)))?.id == "dino")
    let (reading, expected) = (try read(Array(older.utf8), "dino"), try read(fixture.bytes, "dino"))
    #expect(reading.elements.count == expected.elements.count)
    #expect(reading.elements.filter { !isChat($0) } == expected.elements.filter { !isChat($0) })
    #expect(Set(reading.records.map(\.connection)).count == 1)
  }
}
