import TestSupport
import Testing
import XMPPStanza

@testable import XMPPStream

@Suite("Elements of which only some parts are built")
struct InterestTests {
  /// Wants children named `k`, and everything where there is an `all`.
  private static let interest = ElementInterest(
    keepingChildren: { $0.local == "k" }, allWith: { $0.local == "all" })

  private func node(_ xml: String) throws -> XMLNode {
    let outcome = parse(xml, interest: Self.interest)
    #expect(outcome.error == nil)
    #expect(outcome.texts == [xml])
    return try #require(outcome.elements.first)
  }

  @Test("What is wanted is built whole")
  func whatIsWantedIsBuiltWhole() throws {
    let xml = "<a x='1'>t<k y='2'>u<b><c/>v</b></k><k/></a>"
    #expect(try node(xml) == parse(xml).elements.first)
  }

  @Test("Of what is not wanted the first leaves its name")
  func ofTheRestTheFirstLeavesItsName() throws {
    let sparse = try node("<a x='1'>s<b y='2'>t<k/></b>u<c/>v<k z='3'/><b/>w</a>")
    let kept = client("k", [("z", "3")])
    #expect(
      sparse
        == client(
          "a", [("x", "1")],
          [.text("s"), .element(client("b")), .text("uv"), .element(kept), .text("w")]))
  }

  @Test(
    "One name asks for everything in its element",
    arguments: [
      "<a><b/><all/></a>", "<a><b all=''/></a>", "<a><b><c><all/></c></b></a>",
      "<a all=''><b/></a>",
      "<a><b x='1'>t<c/></b><k><d all='2'>u</d></k></a>", "<all><b>t</b></all>",
    ])
  func oneNameAsksForAll(_ xml: String) throws {
    #expect(try node(xml) == parse(xml).elements.first)
    // It asks for its own element only.
    let outcome = parse("<a><b>t</b></a>" + xml + "<a><b>t</b></a>", interest: Self.interest)
    let sparse = client("a", [], [.element(client("b"))])
    #expect(outcome.elements == [sparse, try node(xml), sparse])
  }

  /// The element needs what its stream's header declares.
  @Test("Everything is built also where a stream's header declares prefixes")
  func allIsBuiltAlsoInAStream() {
    let stream = "<stream:stream xmlns:p='urn:p' xmlns:stream='\(Namespace.streams)'>"
    let xml = stream + "<a><b x='1'/><p:all/></a>"
    let outcome = parse(xml, as: .wire, interest: Self.interest)
    #expect(outcome.elements == parse(xml, as: .wire).elements)
    #expect(outcome.elements.count == 1)
  }

  @Test(
    "What is left out is checked all the same",
    arguments: [
      "<a><b></a>", "<a><b><!-- --></b></a>", "<a><b>&e;</b></a>", "<a><b p:c=''/></a>",
      "<a><b>]]></b></a>", "<a><b x='1' x='2'/></a>",
    ])
  func whatIsLeftOutIsCheckedAllTheSame(_ xml: String) {
    let outcome = parse(xml, interest: Self.interest)
    #expect(outcome == parse(xml))
    #expect(outcome.error != nil)
  }

  @Test("The limits hold for what is left out")
  func limitsHoldForWhatIsLeftOut() {
    let limits = StreamLimits(
      depth: 3, attributesPerElement: 1, elementsPerStanza: 3, bytesPerElement: 100)
    for xml in [
      "<a><b><c><d/></c></b></a>", "<a><b x='' y=''/></a>", "<a><b/><b/><b/></a>",
      "<a><b>\(String(repeating: "x", count: 100))</b></a>",
    ] {
      let outcome = parse(xml, limits: limits, interest: Self.interest)
      #expect(outcome == parse(xml, limits: limits))
      #expect(outcome.error != nil)
    }
    #expect(parse("<a><b><c/></b></a>", limits: limits, interest: Self.interest).error == nil)
  }

  @Test(
    "Any way to cut the bytes gives the same parts",
    arguments: 0..<UInt64(20))
  func anyCutGivesTheSame(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let parts = ["<k x='1'>你</k>", "<b><k/>é</b>", "t", "<all/>", "<c y='&amp;'/>", "&lt;"]
    let xml = (0..<20).map { _ in
      let inside = (0..<Int.random(in: 0..<5, using: &random)).map { _ in
        parts[Int.random(in: 0..<parts.count, using: &random)]
      }
      return "<a z='2'>\(inside.joined())</a>"
    }.joined()
    let whole = parse(xml, interest: Self.interest)
    let pieces = (0..<10).map { _ in Int.random(in: 1..<9, using: &random) }
    #expect(whole.error == nil && whole.events.count == 20)
    #expect(
      parse(Array(xml.utf8), pieces: pieces, interest: Self.interest) == whole, "seed \(seed)")
  }
}

@Suite("What is UTF-8, compared with the standard library")
struct UTF8Tests {
  private func agrees(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes(\.isUTF8) == (String(validating: bytes, as: UTF8.self) != nil)
  }

  @Test("Every two bytes are judged as by the standard library")
  func everyTwoBytes() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        #expect(agrees([first, second]), "\(first) \(second)")
      }
    }
  }

  /// Bytes at the edges of the ranges, in sequences that may end anywhere.
  @Test(
    "Sequences at the edges of the ranges are judged as by the standard library",
    arguments: 0..<UInt64(4))
  func sequences(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let edges: [UInt8] = [
      0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
      0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ]
    for _ in 0..<20_000 {
      let front = Array(repeating: UInt8(0x41), count: Int.random(in: 0..<10, using: &random))
      let bytes =
        front
        + (0..<Int.random(in: 0..<7, using: &random)).map { _ in
          edges[Int.random(in: 0..<edges.count, using: &random)]
        }
      #expect(agrees(bytes), "seed \(seed): \(bytes)")
    }
  }

  @Test("Every character is UTF-8")
  func everyCharacter() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      guard agrees(Array(String(scalar).utf8)) else {
        Issue.record("\(value)")
        return
      }
    }
  }
}
