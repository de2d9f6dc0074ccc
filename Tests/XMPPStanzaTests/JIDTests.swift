import TestSupport
import Testing
import XMPPStanza

@Suite("Addresses by RFC 7622")
struct JIDTests {
  struct Parsed: CustomTestStringConvertible, Sendable {
    let text: String
    let local: String?
    let domain: String
    let resource: String?

    init(_ text: String, _ local: String?, _ domain: String, _ resource: String? = nil) {
      self.text = text
      self.local = local
      self.domain = domain
      self.resource = resource
    }

    var testDescription: String { text }
  }

  static let parsed: [Parsed] = [
    Parsed("bob@a.test", "bob", "a.test"),
    Parsed("a.test", nil, "a.test"),
    Parsed("localhost", nil, "localhost"),
    Parsed("bob@a.test/phone", "bob", "a.test", "phone"),
    Parsed("a.test/phone", nil, "a.test", "phone"),
    // §3.1: the first `/` ends the bare part, whatever follows.
    Parsed("bob@a.test/a/b@c/d", "bob", "a.test", "a/b@c/d"),
    Parsed("a.test/bob@b.test", nil, "a.test", "bob@b.test"),
    // §3.4: the resource keeps its case and its spaces.
    Parsed("Bob@A.Test/PhOne 7 ", "bob", "a.test", "PhOne 7 "),
    Parsed("bob@a.test/Ｐ", "bob", "a.test", "Ｐ"),
    Parsed("BOB@A.TEST", "bob", "a.test"),
    Parsed("ÀÉ@a.test", "àé", "a.test"),
    // Width: RFC 8265 §3.3.1.
    Parsed("ｂｏｂ＠a.test".replacing("＠", with: "@"), "bob", "a.test"),
    Parsed("ｶ@a.test", "カ", "a.test"),
    // A letter and its accent are one character in form C.
    Parsed("e\u{301}@a.test", "\u{E9}", "a.test"),
    Parsed("u\u{308}@e\u{301}.test", "\u{FC}", "\u{E9}.test"),
    // Case folding unifies the two sigmas, and ß with ss; a domain is only lowercased.
    Parsed("ΣΑΣ@a.test", "σασ", "a.test"),
    Parsed("σας@a.test", "σασ", "a.test"),
    Parsed("Straße@a.test", "strasse", "a.test"),
    Parsed("bob@straße.test", "bob", "straße.test"),
    Parsed("\u{131}@a.test", "\u{131}", "a.test"),
    // §3.2: the final dot is removed.
    Parsed("bob@a.test.", "bob", "a.test"),
    Parsed("a.test./x", nil, "a.test", "x"),
    Parsed("bob@a。test", "bob", "a.test"),
    Parsed("bob@a｡test．", "bob", "a.test"),
    Parsed("bob@xn--fiqs8s.test", "bob", "中国.test"),
    Parsed("bob@XN--FIQS8S.test", "bob", "中国.test"),
    Parsed("bob@中国.test", "bob", "中国.test"),
    Parsed("bob@xn--strae-oqa.test", "bob", "straße.test"),
    Parsed("bob@xn--mnchen-3ya.test", "bob", "münchen.test"),
    // Not U-labels: plain ASCII, an empty text, undecodable text, and text that preparation would
    // change.
    Parsed("bob@xn--abc-.test", "bob", "xn--abc-.test"),
    Parsed("bob@xn--.test", "bob", "xn--.test"),
    Parsed("xn--NxnAx-n%-Nxn-NxAx", nil, "xn--nxnax-n%-nxn-nxax"),
    Parsed("bob@[::1]", "bob", "[::1]"),
    Parsed("bob@127.0.0.1", "bob", "127.0.0.1"),
    Parsed("a+b=c%d.e_f@a.test", "a+b=c%d.e_f", "a.test"),
    Parsed("a..b@a.test", "a..b", "a.test"),
    Parsed("张三@a.test", "张三", "a.test"),
  ]

  @Test(
    "An address is parsed into its prepared parts",
    arguments: parsed)
  func isParsed(_ test: Parsed) throws {
    let jid = try JID(parsing: test.text)
    #expect(jid.bare.local.map(scalars) == test.local.map(scalars))
    #expect(scalars(jid.bare.domain) == scalars(test.domain))
    #expect(jid.resource.map(scalars) == test.resource.map(scalars))
  }

  static let refused: [(String, JIDError)] = [
    ("", .emptyDomain), ("@a.test", .emptyLocal), ("bob@", .emptyDomain), ("/x", .emptyDomain),
    ("bob@/x", .emptyDomain), ("bob@a.test/", .emptyResource), ("a.test/", .emptyResource),
    (".", .emptyDomain), ("bob@.", .emptyDomain), ("bob@a..test", .emptyDomain),
    ("bob@.a.test", .emptyDomain), ("a.test..", .emptyDomain), ("bob@a。。test", .emptyDomain),
    ("bob@b@c", .forbidden("@", .domain)),
    // A character that folds to a separator must not make an address look like another.
    ("bob＠a.test@b.test", .forbidden("@", .local)), ("bob@a＠b", .forbidden("@", .domain)),
    ("a／b@c", .forbidden("/", .local)),
    ("a b@c", .forbidden(" ", .local)), ("a\"b@c", .forbidden("\"", .local)),
    ("a&b@c", .forbidden("&", .local)), ("a'b@c", .forbidden("'", .local)),
    ("a:b@c", .forbidden(":", .local)), ("a<b@c", .forbidden("<", .local)),
    ("a>b@c", .forbidden(">", .local)), ("a\u{0}b@c", .forbidden("\u{0}", .local)),
    ("a\u{200B}b@c", .forbidden("\u{200B}", .local)), ("a@b c", .forbidden(" ", .domain)),
    ("a@b\nc", .forbidden("\n", .domain)), ("a@b\u{AD}c", .forbidden("\u{AD}", .domain)),
  ]

  @Test(
    "An invalid address is refused, and the error names the wrong part",
    arguments: refused)
  func isRefused(_ text: String, _ error: JIDError) {
    #expect(throws: error) { try JID(parsing: text) }
  }

  @Test("Each part has at most 1023 bytes")
  func eachPartHas1023Bytes() throws {
    let longest = String(repeating: "x", count: 1023)
    let wide = String(repeating: "é", count: 511) + "x"
    for part in [longest, wide] {
      let jid = try JID(parsing: "\(part)@\(part)/\(part)")
      #expect(jid.description == "\(part)@\(part)/\(part)")
      #expect(throws: JIDError.tooLong(.local)) { try JID(parsing: "\(part)x@a") }
      #expect(throws: JIDError.tooLong(.domain)) { try JID(parsing: "a@\(part)x") }
      #expect(throws: JIDError.tooLong(.resource)) { try JID(parsing: "a@b/\(part)x") }
    }
    // The limit applies to the prepared form: U+0149, of two bytes, folds to three bytes.
    let folding = String(repeating: "ŉ", count: 400)
    #expect(throws: JIDError.tooLong(.local)) { try JID(parsing: "\(folding)@a") }
  }

  @Test("Different spellings of an address are equal")
  func equalAddressesAreEqual() throws {
    #expect(try JID(parsing: "Bob@A.test./x") == JID(parsing: "bob@a.test/x"))
    #expect(try JID(parsing: "bob@a.test/x") != JID(parsing: "bob@a.test/X"))
    #expect(try BareJID(parsing: "bob@xn--fiqs8s") == BareJID(parsing: "BOB@中国"))
    #expect(throws: JIDError.self) { try BareJID(parsing: "bob@a.test/x") }
  }

  @Test("Addresses are ordered by their bytes")
  func theOrderIsThatOfTheBytes() throws {
    let texts = ["a.test", "a@b", "a@b/", "a@b/A", "a@b/a", "a@c", "é@b", "张@b", "😀@b"]
    let jids = texts.compactMap { try? JID(parsing: $0) }
    #expect(jids.count == 8)
    #expect(jids.shuffled().sorted() == jids)
  }

  @Test("Preparing a prepared address changes nothing, and printing loses nothing")
  func preparingTwiceIsPreparingOnce() {
    let pieces = [
      "a", "B", "ß", "ẞ", "ς", "Σ", "İ", "ı", "ŉ", "ΐ", "ﬁ", "Ａ", "ｶ", "ﾞ", "\u{301}", "\u{345}",
      "e\u{301}", "中", "。", ".", "-", "xn--", "@", "/", "한", "\u{1100}", "\u{1161}", "ǅ", "😀",
      "＠", "fiqs8s", "0", " ", "\u{FDFA}", "\u{3164}",
    ]
    var kept = 0
    for seed in UInt64(0)..<20_000 {
      var generator = SeededGenerator(seed: seed)
      let text = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &generator)]
      }.joined()
      guard let jid = try? JID(parsing: text) else { continue }
      kept += 1
      let again = try? JID(parsing: jid.description)
      #expect(again.map { scalars($0.description) } == scalars(jid.description), "seed \(seed)")
    }
    #expect(kept > 2000)
  }

  /// Strings compare by canonical equivalence, which would hide differences that matter here.
  private func scalars(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }
}
