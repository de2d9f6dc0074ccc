import Testing
import XMPPStanza
import XMPPStream

@Suite("Each limit accepts its maximum and refuses one more")
struct LimitTests {
  private static let limits = StreamLimits(
    depth: 5, attributesPerElement: 4, elementsPerStanza: 10, bytesPerElement: 1000)

  private func nested(_ depth: Int) -> String {
    String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
  }

  @Test("Depth is limited")
  func depth() {
    #expect(parse(nested(5), limits: Self.limits).error == nil)
    #expect(parse(nested(6), limits: Self.limits).error == .limit(.depth))
    #expect(parse(nested(128)).error == nil)
    #expect(parse(nested(129)).error == .limit(.depth))
    #expect(parse(nested(50_000), limits: .capture).error == .limit(.depth))
  }

  @Test("Attributes and declarations are limited")
  func attributes() {
    func element(_ count: Int) -> String {
      "<a " + (0..<count).map { "b\($0)=''" }.joined(separator: " ") + "/>"
    }
    #expect(parse(element(4), limits: Self.limits).error == nil)
    #expect(parse(element(5), limits: Self.limits).error == .limit(.attributesPerElement))
    #expect(
      parse("<a xmlns='u' b='' c='' d='' e=''/>", limits: Self.limits).error
        == .limit(.attributesPerElement))
    #expect(parse(element(20_000)).error == .limit(.attributesPerElement))
  }

  /// libxml2 would compare all attributes with each other once the tag ends, in quadratic time.
  @Test("Attributes are counted while they arrive", arguments: ["'", "\""], [[], [1], [7]])
  func attributesInUnfinishedTag(quote: String, pieces: [Int]) {
    func tag(_ count: Int) -> String {
      let attributes = (0..<count).map { "b\($0)=\(quote)/>\(quote)" }.joined(separator: " ")
      return "<a>]]&gt; b='' <c " + attributes
    }
    let exceeds = parse(tag(5), limits: Self.limits, pieces: pieces)
    #expect(exceeds.error == .limit(.attributesPerElement))
    #expect(parse(tag(4), limits: Self.limits, pieces: pieces).error == .truncated)
    let declarations = (0..<300).map { "xmlns:n\($0)='u'" }.joined(separator: " ")
    #expect(parse("<a " + declarations).error == .limit(.attributesPerElement))
  }

  @Test("What only looks like attributes is not counted")
  func noAttributes() {
    let quotes = String(repeating: "b='' ", count: 9)
    for text in [
      "<a>\(quotes)</a>", "<a><![CDATA[<b \(quotes)>]]></a>",
      "<a><![CDATA[]]]]><b c='\"\"\"\"\"\"'/></a>", "<a b=\"''''''''\"><c/>\(quotes)<d/></a>",
      "<a b='&gt;' c='>' d='>' e='>'></a >\n<e f='' g=''/>",
    ] {
      #expect(parse(text, limits: Self.limits).error == nil, "\(text)")
    }
  }

  /// The limit is libxml2's own and not one of `StreamLimits`.
  @Test(
    "A name too long for libxml2 exceeds a limit and is not malformed", arguments: [[], [7000]])
  func names(pieces: [Int]) {
    for text in [
      "<a><\(String(repeating: "b", count: 60_000))/></a>",
      "<a \(String(repeating: "b", count: 60_000))=''/>",
    ] {
      #expect(parse(text, pieces: pieces).error == .limit(.bytesPerName))
    }
    #expect(
      parse("<a><\(String(repeating: "b", count: 40_000))/></a>", pieces: pieces).error == nil)
  }

  @Test("Elements of a stanza are limited")
  func elements() {
    func element(_ count: Int) -> String {
      "<a>" + String(repeating: "<b/>", count: count - 1) + "</a>"
    }
    #expect(parse(element(10) + element(10), limits: Self.limits).error == nil)
    #expect(parse(element(11), limits: Self.limits).error == .limit(.elementsPerStanza))
  }

  @Test("Bytes of an element are limited")
  func bytes() {
    func element(_ count: Int) -> String {
      "<a>" + String(repeating: "x", count: count - 7) + "</a>"
    }
    for pieces in [[], [1], [999], [1000]] {
      let fits = parse("\n" + element(1000) + element(1000), limits: Self.limits, pieces: pieces)
      #expect(fits.error == nil)
      #expect(fits.elements.count == 2)
      let exceeds = parse(element(1001), limits: Self.limits, pieces: pieces)
      #expect(exceeds.error == .limit(.bytesPerElement))
    }
  }

  @Test(
    "Bytes are counted while they arrive",
    arguments: ["<a>", "<a b='", "<a b='' ", "<a><![CDATA[", "<", "<a>&", "<!-- "])
  func bytesAreCountedWhileTheyArrive(_ head: String) throws {
    let parser = StreamParser(root: .records, limits: Self.limits)
    let error = #expect(throws: StreamError.self) {
      try parser.feed(Array(head.utf8)) { _ in }
      for _ in 0..<1001 { try parser.feed([UInt8(ascii: "x")]) { _ in } }
    }
    switch error?.kind {
    case .limit(.bytesPerElement), .restrictedXML, .notWellFormed: break
    default: Issue.record("\(String(describing: error))")
    }
  }

  @Test("Ten megabytes of text are read if the limit allows it")
  func tenMegabytesOfText() {
    let text = String(repeating: "0123456789", count: 1_100_000)
    let outcome = parse("<a><b>\(text)</b></a>", limits: .capture)
    #expect(outcome.error == nil)
    #expect(outcome.elements.first?.children.first { _ in true }?.text == text)
    #expect(parse("<a>\(text)</a>").error == .limit(.bytesPerElement))
  }

  @Test("An attribute of a megabyte is read in small pieces")
  func aMegabyteOfAttributeInSmallPieces() {
    let value = String(repeating: "v", count: 1_000_000)
    let outcome = parse("<a b='\(value)'/>", pieces: [100])
    #expect(outcome.elements == [client("a", [("b", value)])])
  }
}
