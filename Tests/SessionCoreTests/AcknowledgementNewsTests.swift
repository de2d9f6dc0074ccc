import SessionCore
import TestSupport
import Testing
import XMPPStanza

/// Elements in their order, and the indices of those that say nothing new.
struct NewsCase: Sendable {
  let name: String
  let elements: [String]
  let old: [Int]

  /// - Parameter elements: A `<` before an element from the server, a `>` before one of ours; `a5`
  ///   acknowledges five stanzas, `r` asks, `s` is a stanza, and other words are their elements.
  init(_ name: String, _ elements: String, old: Int...) {
    self.name = name
    self.elements = elements.split(separator: " ").map(String.init)
    self.old = old
  }
}

@Suite("Acknowledgements that say something new (XEP-0198 §4)")
struct AcknowledgementNewsTests {
  static let cases = [
    NewsCase("a request says nothing", "<s <r >r <r", old: 1, 2, 3),
    NewsCase("a new count is news", ">s <a1 >s <a2"),
    NewsCase("a count that is repeated is not", ">s <a1 <a1 <a1", old: 2, 3),
    NewsCase("a repeated count is, after a stanza that it does not cover", ">s <a1 >s <a1"),
    NewsCase("stanzas of the same side do not make it news", ">s <a1 <s <a1", old: 3),
    NewsCase("each side has its counts", ">s <s >a1 <a1 >a1 <a1", old: 4, 5),
    NewsCase("a smaller count is news", ">s <a1 <a0 <a1"),
    NewsCase("the first count is news, even 0", "<a0 >a0"),
    NewsCase(
      "stream management begins anew", ">s <a1 >enable <enabled <a1 <a1 <resumed <a1", old: 5),
    NewsCase("the first sign of life after a stanza of ours", ">s <r <r", old: 2),
    NewsCase("another sign of life came before", ">s <s <r", old: 2),
    NewsCase("our own request is no sign of the server", ">s >r <r", old: 1),
    NewsCase("a repeated count is a sign, too", ">s <a0 >s <s >s <a0"),
    NewsCase("a count that cannot be read is kept", "<a <a <a99999999999 <a4294967296"),
    NewsCase("an element that says more is kept", "<rx <rx <ax1 <ax1"),
  ]

  @Test("What is left out", arguments: cases)
  func news(_ sample: NewsCase) {
    var news = AcknowledgementNews()
    let old = sample.elements.indices.filter { index in
      let direction: Direction = sample.elements[index].first == "<" ? .inbound : .outbound
      return news.isOld(Self.element(sample.elements[index].dropFirst()), direction)
    }
    #expect(old == sample.old, "\(sample.name)")
  }

  private static func element(_ word: Substring) -> XMPPElement {
    let management = "xmlns='urn:xmpp:sm:3'"
    return switch word.first {
    case "s": TestSupport.element("<iq xmlns='jabber:client' type='get' id='1'><x/></iq>")
    case "a" where word.dropFirst().first == "x":
      TestSupport.element("<a \(management) h='\(word.dropFirst(2))'><x/></a>")
    case "a" where word.count > 1: TestSupport.element("<a \(management) h='\(word.dropFirst())'/>")
    case "r" where word == "rx": TestSupport.element("<r \(management)><x/></r>")
    default: TestSupport.element("<\(word) \(management)/>")
    }
  }
}
