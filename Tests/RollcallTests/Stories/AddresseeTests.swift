import Captures
import EventStore
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// The story names the other side where it is not our own server, because only what that one sends
/// and receives counts.
@Suite("Who was asked, and who pushed") struct AddresseeTests {
  /// The clause of the last record, alone and after the contact's name.
  private func clauses(_ scenario: Scenario) throws -> (full: String, subject: SubjectClause) {
    let folder = try TemporaryFolder()
    let timeline = Timeline(try log(of: scenario, in: folder))
    let moment = try #require(try timeline.moment(of: scenario.record))
    return (moment.clause, moment.subjectClause)
  }

  private func set(to address: String) throws -> (full: String, subject: SubjectClause) {
    var scenario = Scenario.alice()
    scenario.sent(
      "<iq type='set' id='s'\(address)><query xmlns='jabber:iq:roster'>"
        + "<item jid='bob@example.test' name='Bob'/></query></iq>")
    return try clauses(scenario)
  }

  @Test("A set to another address names it")
  func setToDevice() throws {
    let told = try set(to: " to='alice@example.test/pc'")
    #expect(told.full == "we ask alice@example.test/pc to set bob@example.test “Bob”")
    #expect(told.subject.text.hasPrefix("we ask alice@example.test/pc to set it"))
  }

  @Test("A set without an address is for the server")
  func setToServer() throws {
    let told = try set(to: "")
    #expect(told.full == "we ask the server to set bob@example.test “Bob”")
    #expect(told.subject.who == bare("bob@example.test"))
  }

  private func block(
    from address: String, _ name: String = "block"
  ) throws -> (full: String, subject: SubjectClause) {
    var scenario = Scenario.alice()
    scenario.received(
      "<iq type='set' id='b'\(address)><\(name) xmlns='urn:xmpp:blocking'>"
        + "<item jid='bob@example.test'/></\(name)></iq>")
    return try clauses(scenario)
  }

  @Test("A push about blocking names its sender", arguments: ["block", "unblock"])
  func blockFromStranger(_ name: String) throws {
    let told = try block(from: " from='mob@evil.test'", name)
    #expect(told.full == "mob@evil.test pushes: \(name)ed: bob@example.test")
    #expect(told.subject.who == nil)
  }

  @Test("The server's own push needs no sender")
  func blockFromServer() throws {
    let told = try block(from: "")
    #expect(told.full == "blocked: bob@example.test")
    #expect(told.subject.who == bare("bob@example.test"))
  }

  @Test("A lost connection says why, if the source does")
  func endReason() throws {
    var scenario = Scenario.alice()
    scenario.lost()
    #expect(try clauses(scenario).full == "the connection is lost")
    let folder = try TemporaryFolder()
    let log = try log(of: Scenario.alice(), in: folder)
    let bytes = Lifecycle.closed(reason: "timed out").bytes
    try log.append([
      RecordDraft(
        time: nil, direction: .none, kind: .lifecycle, connection: 1, bytes: bytes,
        decoded: RecordReader().decode(.lifecycle, .none, bytes))
    ])
    let timeline = Timeline(log)
    #expect(try timeline.moment(of: 4)?.clause == "the connection is lost (timed out)")
    let connection = try #require(try timeline.connections(upTo: .head(minus: 0)).first)
    #expect(connection.end == .lost && connection.endClause == "lost: timed out")
  }
}
