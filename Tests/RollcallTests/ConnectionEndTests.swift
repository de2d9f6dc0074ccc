import EventStore
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("How connections end") struct ConnectionEndTests {
  private typealias Ending = @Sendable (inout Scenario) -> Void

  private static let refusal =
    "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/>"
    + "<text>Wrong password</text></failure>"

  private static let endings: [(Ending, ConnectionStory.End, ErrorReport?, String)] = [
    (
      {
        $0.failed(.inbound, "conflict", "Replaced by new connection")
        $0.ended(.inbound)
        $0.lost()
      }, .failed, ErrorReport(condition: "conflict", text: "Replaced by new connection"),
      "stream error: conflict: “Replaced by new connection”"
    ),
    (
      { $0.failed(.outbound, "not-well-formed") }, .failed,
      ErrorReport(condition: "not-well-formed"), "stream error: not-well-formed"
    ),
    // What follows an orderly end is no reason for it.
    (
      {
        $0.ended(.inbound)
        $0.failed(.inbound, "reset")
      }, .closed, nil, "closed"
    ),
    ({ $0.lost() }, .lost, nil, "lost"),
    (
      {
        $0.failed(.inbound, "reset")
        $0.opened("alice@example.test/phone")
      }, .open, nil, "open"
    ),
  ]

  private func story(_ scenario: Scenario) throws -> ConnectionStory {
    let log = try log(of: scenario, in: TemporaryFolder())
    return try #require(try Timeline(log).connections(upTo: .head(minus: 0)).first)
  }

  @Test("An error is the reason for the end of its connection", arguments: endings.indices)
  func ends(_ index: Int) throws {
    let (ending, end, failure, clause) = Self.endings[index]
    var scenario = Scenario.alice()
    ending(&scenario)
    let story = try story(scenario)
    #expect(story.end == end && story.failure == failure)
    #expect(story.endClause == clause)
  }

  @Test("A refused login is the end of its connection, unless a session follows")
  func logins() throws {
    for line in [Self.refusal, "<iq type='error' id='b'>\(stanzaError("conflict"))</iq>"] {
      var scenario = Scenario()
      scenario.received("<stream:stream from='example.test'/>")
      scenario.received(line)
      scenario.ended(.inbound)
      var story = try story(scenario)
      #expect(story.end == .refused)
      #expect(story.failure?.condition == (line == Self.refusal ? "not-authorized" : "conflict"))

      scenario.opened("alice@example.test/phone")
      story = try self.story(scenario)
      #expect(story.end == .open && story.failure == nil)
    }
  }

  @Test("An error in a log that begins in the middle of a session refuses no login")
  func fragment() throws {
    var scenario = Scenario()
    scenario.received("<iq type='error' id='b'>\(stanzaError("conflict"))</iq>")
    scenario.receives(from: "bob@example.test/pc")
    let story = try story(scenario)
    #expect(story.end == .open && story.failure == nil)
  }

  @Test("Why no presence is known is said with the error that ended the session")
  func why() throws {
    var scenario = Scenario.alice(item("bob@example.test", "subscription='both'"))
    scenario.failed(.inbound, "conflict", "Replaced by new connection")
    let log = try log(of: scenario, in: TemporaryFolder())
    let explanation = try Timeline(log).explanation(of: bare("bob@example.test"))?.explanation
    #expect(
      explanation?[.online]?.reasons.map(\.sentence) == [
        "Our session ended at #4 (conflict: “Replaced by new connection”); without a session, no "
          + "contact's presence is known."
      ])
  }
}
