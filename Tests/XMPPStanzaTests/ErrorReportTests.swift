import TestSupport
import Testing
import XMPPStanza

@Suite("The texts of errors") struct ErrorReportTests {
  private static let condition = "<not-acceptable xmlns='\(Namespace.stanzaErrors)'/>"

  private static func text(_ words: String, _ language: String? = nil) -> String {
    let attribute = language.map { " xml:lang='\($0)'" } ?? ""
    return "<text xmlns='\(Namespace.stanzaErrors)'\(attribute)>\(words)</text>"
  }

  private func text(of language: String?, _ texts: String...) throws -> String? {
    let attribute = language.map { " xml:lang='\($0)'" } ?? ""
    let stanza = element(
      "<iq type='error' id='a'\(attribute)>"
        + "<error type='modify'>\(Self.condition)\(texts.joined())</error></iq>")
    let error = try #require(stanza.child("error", in: Namespace.client))
    return ErrorReport(error, of: stanza, in: Namespace.stanzaErrors).text
  }

  @Test(
    "Of several texts, the one in the stanza's language counts, and otherwise the first",
    arguments: [
      ("en", "English"), ("EN", "English"), ("de", "Deutsch"), ("fr", "Deutsch"), (nil, "Deutsch"),
    ] as [(String?, String)])
  func language(_ language: String?, _ expected: String) throws {
    let (german, english) = (Self.text("Deutsch", "de"), Self.text("English", "en"))
    #expect(try text(of: language, german, english) == expected)
  }

  @Test("A text without a language has that of its stanza; a blank one says nothing")
  func inherited() throws {
    #expect(try text(of: "en", Self.text("Deutsch", "de"), Self.text("own")) == "own")
    #expect(try text(of: "en", Self.text(" ", "en"), Self.text("Deutsch", "de")) == "Deutsch")
    #expect(try text(of: "en", Self.text("only", "de")) == "only")
  }

  @Test("The element's own language comes before the stanza's, as in a stream error")
  func ofElement() {
    let error = element(
      "<error xmlns='\(Namespace.streams)' xml:lang='en'>"
        + "<conflict xmlns='\(Namespace.streamErrors)'/>"
        + "<text xmlns='\(Namespace.streamErrors)' xml:lang='de'>Deutsch</text>"
        + "<text xmlns='\(Namespace.streamErrors)' xml:lang='en'>English</text></error>")
    #expect(ErrorReport(error, in: Namespace.streamErrors).text == "English")
  }
}
