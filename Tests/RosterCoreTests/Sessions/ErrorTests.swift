import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Errors of answers")
struct ErrorTests {
  private static let conditions = "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'"

  /// What is in an error, and what it says.
  private static let reports: [(String, ErrorReport)] = [
    ("<not-allowed \(conditions)/>", ErrorReport(condition: "not-allowed")),
    (
      "<text \(conditions)> The list\n\t is  full </text><not-allowed \(conditions)/>",
      ErrorReport(condition: "not-allowed", text: "The list is full")
    ),
    (
      "<not-allowed \(conditions)/><text \(conditions)> </text><text \(conditions)>满了</text>",
      ErrorReport(condition: "not-allowed", text: "满了")
    ),
    (
      "<conflict xmlns='urn:x'/><text xmlns='urn:x'>no</text><gone \(conditions)>xmpp:b</gone>",
      ErrorReport(condition: "gone")
    ),
    ("<text \(conditions)>no</text>", ErrorReport(text: "no")),
    // As before RFC 6120's predecessor, RFC 3920.
    ("Not Allowed", ErrorReport(text: "Not Allowed")), ("", ErrorReport()),
  ]

  @Test("The condition and the text of an error are read", arguments: reports)
  func reading(content: String, expected: ErrorReport) {
    let error = element("<error type='cancel' xmlns='jabber:client'>\(content)</error>")
    #expect(ErrorReport(error, in: Namespace.stanzaErrors) == expected)
  }

  @Test("A long text is cut after a character, and so is a long condition")
  func long() throws {
    for word in ["a", "é", "满", "👩‍👩‍👧"] {
      let text = String(repeating: word, count: 1000)
      let error = element(
        "<error xmlns='jabber:client'><a\(text.utf8.count > 4000 ? "" : text) "
          + "\(Self.conditions)/><text \(Self.conditions)>\(text)</text></error>")
      let report = ErrorReport(error, in: Namespace.stanzaErrors)
      let cut = try #require(report.text)
      #expect(cut.utf8.count <= ErrorReport.textLimit)
      #expect(cut.utf8.count > ErrorReport.textLimit - 3 - word.utf8.count)
      #expect(cut.hasSuffix("…") && text.hasPrefix(cut.dropLast()))
      #expect(try #require(report.condition).utf8.count <= ErrorReport.textLimit)
    }
  }

  @Test(
    "A report is a clause of what it has",
    arguments: [
      (ErrorReport(condition: "gone", text: "Moved"), "gone: “Moved”"),
      (ErrorReport(condition: "gone"), "gone"), (ErrorReport(text: "Moved"), "“Moved”"),
      (ErrorReport(), "no condition"),
    ])
  func clause(report: ErrorReport, clause: String) {
    #expect(report.clause == clause)
  }

  @Test("The refusal of a set and of a roster get says why in the server's words")
  func refusals() {
    let error = stanzaError("not-allowed", "Your list is full: 50 contacts of 50")
    var scenario = aliceWithBobAndCarol()
    scenario.sets(item("dave@example.test"), id: "s")
    scenario.received("<iq type='error' id='s'>\(error)</iq>")
    #expect(scenario.codes == [.refusedEdit])
    #expect(
      scenario.last.findings.first?.sentence
        == "The server refused our set of record 4 (not-allowed: “Your list is full: 50 contacts "
        + "of 50”); the contact stays as it was.")
    #expect(scenario.item("dave@example.test") == nil)

    scenario.gets(id: "g", version: "v1")
    scenario.received("<iq type='error' id='g'><error type='wait'/></iq>")
    #expect(scenario.codes == [.refusedQuery])
    #expect(
      scenario.last.findings.first?.sentence
        == "The roster get of record 6 was refused (no condition); the roster stays as it was.")
    #expect(scenario.contacts == ["bob@example.test", "carol@example.test"])
  }

  /// An answer, and whether the story has it; each answers a query of the client's own.
  private static let answers: [(String, Bool)] = [
    ("<iq type='error' id='q'>\(stanzaError("forbidden", "Ask the admin"))</iq>", true),
    ("<iq type='error' id='q'/>", true),
    ("<iq type='error' id='q' from='dave@far.test'>\(stanzaError("gone"))</iq>", true),
    ("<iq type='error' from='example.test'>\(stanzaError("bad-request"))</iq>", true),
    ("<iq type='error' id='q'>\(stanzaError("item-not-found"))</iq>", false),
    ("<iq type='error' id='q'>\(stanzaError("service-unavailable", "no"))</iq>", false),
    ("<iq type='error' id='q'>\(stanzaError("feature-not-implemented"))</iq>", false),
    ("<iq type='result' id='q'/>", false),
  ]

  @Test(
    "An error is part of the story, unless it says that something is not there",
    arguments: answers)
  func news(answer: String, isNews: Bool) {
    var scenario = aliceWithBobAndCarol()
    scenario.sent("<iq type='get' id='q'><query xmlns='jabber:iq:privacy'/></iq>")
    scenario.received(answer)
    #expect(scenario.last.changes.isEmpty && scenario.codes.isEmpty)
    #expect((scenario.last.news != nil) == isNews)
    #expect(scenario.last.isEmpty != isNews)
    #expect(scenario.last.news?.contact == (answer.contains("dave") ? bare("dave@far.test") : nil))
  }
}
