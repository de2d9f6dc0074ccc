import Testing
import XMPPStanza
import XMPPStream

@Suite("Streams that are refused")
struct RefusalTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let text: String
    let error: StreamError.Kind
    var root = StreamRoot.records

    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(name: "comment inside", text: "<a><!-- x --></a>", error: .restrictedXML(.comment)),
    Case(name: "comment between", text: "<a/><!-- x --><b/>", error: .restrictedXML(.comment)),
    Case(
      name: "instruction inside", text: "<a><?php 1 ?></a>",
      error: .restrictedXML(.processingInstruction)),
    Case(
      name: "instruction between", text: "<a/><?php 1 ?>",
      error: .restrictedXML(.processingInstruction)),
    Case(
      name: "stylesheet", text: "<?xml-stylesheet href='a'?><a/>",
      error: .restrictedXML(.processingInstruction)),
    Case(
      name: "declaration inside", text: "<a><?xml version='1.0'?></a>",
      error: .restrictedXML(.processingInstruction)),
    Case(
      name: "document type", text: "<!DOCTYPE a><a/>", error: .restrictedXML(.documentType)),
    Case(
      name: "document type before a header", text: "<?xml version='1.0'?><!DOCTYPE a>\(header)",
      error: .restrictedXML(.documentType), root: .wire),
    Case(
      name: "billion laughs",
      text: "<!DOCTYPE l [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]><l>&b;</l>",
      error: .restrictedXML(.documentType)),
    Case(
      name: "entity in text", text: "<a>&nbsp;</a>", error: .restrictedXML(.entityReference)),
    Case(
      name: "entity in an attribute", text: "<a b='&nbsp;'/>",
      error: .restrictedXML(.entityReference)),
    Case(name: "prefix of an element", text: "<x:a/>", error: .undeclaredPrefix),
    Case(name: "prefix of an inner element", text: "<a><x:b/></a>", error: .undeclaredPrefix),
    Case(name: "prefix of an attribute", text: "<a x:b=''/>", error: .undeclaredPrefix),
    Case(name: "text between", text: "<a/>text<b/>", error: .textBetweenElements),
    Case(name: "reference between", text: "<a/>&#32;<b/>", error: .textBetweenElements),
    Case(name: "section between", text: "<a/><![CDATA[ ]]><b/>", error: .textBetweenElements),
    Case(name: "tag mismatch", text: "<a></b>", error: .notWellFormed(code: 76)),
    Case(name: "attribute twice", text: "<a b='' b=''/>", error: .notWellFormed(code: 42)),
    Case(
      name: "attribute twice by namespace",
      text: "<a xmlns:x='u' xmlns:y='u' x:b='' y:b=''/>", error: .notWellFormed(code: 203)),
    Case(name: "section end in text", text: "<a>]]></a>", error: .notWellFormed(code: 62)),
    Case(name: "control character", text: "<a>\u{1}</a>", error: .notWellFormed(code: 9)),
    Case(name: "control reference", text: "<a>&#1;</a>", error: .notWellFormed(code: 9)),
    Case(name: "end of nothing", text: "<a/></b>", error: .notWellFormed(code: 76)),
    Case(name: "cut off", text: "<a><b/>", error: .truncated),
    Case(name: "cut off in a tag", text: "<a", error: .truncated),
    Case(name: "cut off at the start", text: "<", error: .truncated),
    Case(
      name: "encoding", text: "<?xml version='1.0' encoding='ISO-8859-1'?>\(header)",
      error: .unsupportedEncoding, root: .wire),
    Case(
      name: "byte order mark", text: "\u{FEFF}\(header)", error: .unsupportedEncoding, root: .wire),
    Case(name: "stanza for a header", text: "<iq/>", error: .badRoot, root: .wire),
    Case(
      name: "stream without its namespace", text: "<stream/>", error: .badRoot, root: .wire),
    Case(
      name: "declaration before a stanza", text: "<?xml version='1.0'?><iq/>", error: .badRoot),
    Case(
      name: "declaration without a version", text: "<?xml encoding='UTF-8'?>\(header)",
      error: .notWellFormed(code: 0), root: .wire),
    Case(
      name: "declaration without an end",
      text: "<?xml version='1.0'\(String(repeating: " ", count: 300))?>\(header)",
      error: .notWellFormed(code: 0), root: .wire),
  ]

  @Test(
    "What RFC 6120 forbids is refused in chunks of any size",
    arguments: cases)
  func isRefused(_ test: Case) {
    for pieces in [[], [1], [2, 3]] {
      let outcome = parse(test.text, as: test.root, pieces: pieces)
      #expect(outcome.error == test.error, "in pieces of \(pieces)")
    }
  }

  /// Bytes that are not UTF-8: stray, overlong (which libxml2 accepts), a surrogate, too large, and
  /// UTF-16 with and without a byte order mark.
  @Test(
    "Encodings other than UTF-8 are refused",
    arguments: [
      [0x3C, 0x61, 0x3E, 0xFF, 0x3C, 0x2F, 0x61, 0x3E],
      [0x3C, 0x61, 0x3E, 0xC1, 0xA1, 0x3C, 0x2F, 0x61, 0x3E],
      [0x3C, 0x61, 0x3E, 0xE0, 0x81, 0xA1, 0x3C, 0x2F, 0x61, 0x3E],
      [0x3C, 0x61, 0x3E, 0xED, 0xA0, 0x80, 0x3C, 0x2F, 0x61, 0x3E],
      [0x3C, 0x61, 0x3E, 0xF4, 0x90, 0x80, 0x80, 0x3C, 0x2F, 0x61, 0x3E],
      [0x3C, 0x61, 0x20, 0x62, 0x3D, 0x27, 0xC1, 0xA1, 0x27, 0x2F, 0x3E],
      [0xFF, 0xFE, 0x3C, 0x00, 0x61, 0x00, 0x2F, 0x00, 0x3E, 0x00],
      [0xFE, 0xFF, 0x00, 0x3C, 0x00, 0x61, 0x00, 0x2F, 0x00, 0x3E],
      [0x3C, 0x00, 0x61, 0x00, 0x2F, 0x00, 0x3E, 0x00],
      [0x00, 0x3C, 0x00, 0x61, 0x00, 0x2F, 0x00, 0x3E],
    ])
  func otherEncodingsAreRefused(_ bytes: [UInt8]) {
    for pieces in [[], [1]] {
      let outcome = parse(bytes, pieces: pieces)
      #expect(outcome.elements.isEmpty)
      switch outcome.error {
      case .unsupportedEncoding, .notWellFormed: break
      default: Issue.record("\(String(describing: outcome.error)) in pieces of \(pieces)")
      }
    }
  }

  @Test("Elements before an error are delivered")
  func whatCameBeforeAnErrorIsGiven() {
    let outcome = parse("<a/><b></c>")
    #expect(outcome.elements == [client("a")])
    #expect(outcome.error == .notWellFormed(code: 76))
  }

  @Test("An error persists until the parser is reset")
  func anErrorStaysUntilReset() throws {
    let parser = StreamParser(root: .records, limits: .live)
    var count = 0
    for _ in 0..<2 {
      #expect(throws: StreamError(.restrictedXML(.comment), offset: 4)) {
        try parser.feed(Array("<a/><!-- -->".utf8)) { _ in count += 1 }
      }
    }
    #expect(count == 1)
    #expect(throws: StreamError.self) { try parser.finish() }
    parser.reset()
    try parser.feed(Array("<a/>".utf8)) { _ in count += 1 }
    try parser.finish()
    #expect(count == 2)
  }

  @Test("The offset of an error is that of its element")
  func theOffsetIsThatOfTheElement() {
    let parser = StreamParser(root: .records, limits: .live)
    #expect(throws: StreamError(.undeclaredPrefix, offset: 10)) {
      try parser.feed(Array("<a>é</a>\n<b><x:c/></b>".utf8)) { _ in }
    }
  }
}
