import Foundation
import Rollcall
import TestSupport
import Testing

/// The time machine used by an application, through the public API only.
@Suite("Time travel in an application") struct SessionTimelineTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("alice.rollcall") }
  private let bob: BareJID

  init() throws {
    folder = try TemporaryFolder()
    bob = try BareJID(parsing: "bob@example.test")
  }

  private func push(_ item: String, _ id: Int) -> String.UTF8View {
    """
    <iq type='set' id='p\(id)'><query xmlns='jabber:iq:roster'>\
    <item jid='bob@example.test' \(item)/></query></iq>
    """.utf8
  }

  /// Bob is added at record 2, renamed at 3, sends a request at 4, and is removed at 6.
  private func recorded() throws -> RosterSession {
    let session = try RosterSession(recordingTo: path)
    try session.opened(as: JID(parsing: "alice@example.test/phone"), at: 1000)
    try session.received(push("subscription='to'", 1), at: 2000)
    try session.received(push("subscription='to' name='Bob'", 2), at: 3000)
    try session.received("<presence type='subscribe' from='bob@example.test'/>".utf8, at: 4000)
    try session.received(push("subscription='both' name='Eve'", 3), at: 5000)
    try session.received(push("subscription='remove'", 4), at: 6000)
    return session
  }

  @Test("A session's own log shows the past, without being closed")
  func travel() throws {
    let session = try recorded()
    let timeline = try #require(try session.timeline())
    #expect(try timeline.state(at: .record(3)).roster.item(bob)?.name == "Bob")
    #expect(try timeline.state(at: LogPoint(parsing: "head~2")).roster.incoming[bob] != nil)
    #expect(try timeline.state(at: .time(2500)).time == 2000)
    let diff = try timeline.diff(from: .record(2), to: .record(3))
    #expect(diff.differences.map(\.difference.field) == [.name])
    #expect(diff.differences.first?.cause?.record == 3)
    #expect(throws: RollcallError(PointError.beyondHead(7, head: 6))) {
      try timeline.state(at: .record(7))
    }
    // The same timeline finds later records.
    try session.received("<presence/>".utf8, at: 7000)
    try session.flush()
    #expect(try timeline.record(at: .head(minus: 0)) == 7)
    #expect(try RosterSession().timeline() == nil)
  }

  @Test("What happened to a contact, and why its state is as it is")
  func contact() throws {
    let timeline = try #require(try recorded().timeline())
    var told: [UInt64: [String]] = [:]
    _ = try timeline.history(of: bob, upTo: .head(minus: 0)) { entry, _ in
      told[entry.moment.stamp.record] = entry.changes.map { "\($0.mark) \($0.clause)" }
    }
    #expect(told[3] == ["~ bob@example.test name none → “Bob”"])
    #expect(told[6]?.first == "- contact bob@example.test “Eve” both")
    let (explanation, _) = try #require(try timeline.explanation(of: bob))
    #expect(explanation[.friend]?.verdict == .no)
    #expect(explanation.state == .none)
    let isMissing = try timeline.first(after: 2, upTo: 6) { state in state.roster.item(bob) == nil }
    #expect(isMissing.transition == .at(6))
    #expect(try timeline.bytes(ofRecord: 3) == Array(push("subscription='to' name='Bob'", 2)))
    #expect(try timeline.bytes(ofRecord: 9) == nil)
  }

  @Test("A log can be read without a session")
  func readOnly() throws {
    try recorded().close()
    let timeline = try Timeline(ofLogAt: path)
    #expect(try timeline.state(at: .head(minus: 0)).account?.text == "alice@example.test")
    let sent = try timeline.moment(of: 4)
    #expect(sent?.way == .inbound)
    #expect(sent?.clause == "bob@example.test asks to see our presence")
    #expect(try timeline.findings(upTo: .record(1)).isEmpty)
    #expect(throws: RollcallError.self) { try Timeline(ofLogAt: folder.file("none.rollcall")) }
  }

  // MARK: Numbers that no log has

  @Test("A search covers only existing records")
  func searchedRecords() throws {
    let timeline = try #require(try recorded().timeline())
    let head = try timeline.record(at: .head(minus: 0))
    for (start, end) in [(UInt64(0), UInt64.max), (.max, .max), (0, head + 1)] {
      #expect(throws: RollcallError(PointError.beyondHead(end, head: head))) {
        try timeline.first(after: start, upTo: end) { _ in true }
      }
    }
    #expect(throws: RollcallError(PointError.reversed(from: 3, to: 2))) {
      try timeline.first(after: 3, upTo: 2) { _ in true }
    }
    #expect(try timeline.first(after: 0, upTo: 0) { _ in true }.transition == .holdsFromStart)
  }

  @Test("There is no moment for a record that is not in the log")
  func noMoment() throws {
    let timeline = try #require(try recorded().timeline())
    let head = try timeline.record(at: .head(minus: 0))
    for record in [0, head + 1, .max] { #expect(try timeline.moment(of: record) == nil) }
    #expect(try timeline.moment(of: 1) != nil)
  }

  @Test(
    "A time of day is on one day, in a log with any times", arguments: [Int64.min, -1, 0, 1, .max])
  func clocks(_ newest: Int64) throws {
    let session = try RosterSession(recordingTo: folder.file("clocks.rollcall"))
    try session.opened(as: JID(parsing: "alice@example.test/phone"), at: newest)
    let timeline = try #require(try session.timeline())
    let day: Int64 = 86_400_000
    for clock in [Int64.min, -1, day, .max] {
      #expect(throws: RollcallError(PointError.noTimeOfDay(clock))) {
        try timeline.record(at: .clock(milliseconds: clock))
      }
    }
    // The one record has the time itself, and is not at or before an earlier one.
    let now = newest - (newest / day) * day
    for clock in [0, 1, day - 1] {
      #expect(
        try timeline.record(at: .clock(milliseconds: clock)) == (clock == (now + day) % day ? 1 : 0)
      )
    }
  }
}
