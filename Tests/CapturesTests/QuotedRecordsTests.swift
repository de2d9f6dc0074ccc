import Testing
import XMPPStanza

@testable import Captures

@Suite("Lines of received texts that look like records")
struct QuotedRecordsTests {
  private func message(_ body: String) -> XMPPElement {
    let body = XMPPElement(XMLName("body", in: Namespace.client), content: [.text(body)])
    return XMPPElement(XMLName("message", in: Namespace.client), content: [.element(body)])
  }

  private func isKnown(_ line: String, _ quoted: QuotedRecords, suffix: String = "") -> Bool {
    quoted.contains(Array(line.utf8)[...], suffix: Array(suffix.utf8))
  }

  @Test("Only a line of a text is recognized, with or without the program's suffix")
  func lines() {
    var quoted = QuotedRecords()
    #expect(quoted.isEmpty)
    quoted.note(message("x\nRECV: <a/>\ny")) { $0.starts(with: "RECV: ".utf8) }
    #expect(isKnown("RECV: <a/>", quoted))
    #expect(isKnown("RECV: <a/>'", quoted, suffix: "'"))
    #expect(!isKnown("RECV: <a/>'", quoted))
    #expect(!isKnown("RECV: <a/><b/>", quoted, suffix: "'"))
    #expect(!isKnown("x", quoted))
  }

  @Test("An escaped line is recognized unescaped")
  func escaped() {
    var quoted = QuotedRecords()
    quoted.note(line: Array("RECV: &lt;a b=&apos;&amp;lt;&apos;/&gt;".utf8)[...]) { _ in true }
    #expect(isKnown("RECV: <a b='&lt;'/>", quoted))
  }

  @Test("Many such lines take no more memory than the latest of them")
  func isBounded() {
    var quoted = QuotedRecords()
    let count = 3 * QuotedRecords.maximumLines
    for number in 0..<count { quoted.note(message("RECV: <a\(number)/>")) { _ in true } }
    let known = (0..<count).filter { isKnown("RECV: <a\($0)/>", quoted) }
    #expect(known == Array((count - QuotedRecords.maximumLines)..<count))
    // The same lines in a single text.
    let text = (0..<count).map { "RECV: <b\($0)/>" }.joined(separator: "\n")
    quoted.note(message(text)) { _ in true }
    #expect((0..<count).count { isKnown("RECV: <b\($0)/>", quoted) } == known.count)
    #expect(!isKnown("RECV: <a\(count - 1)/>", quoted))
  }
}
