import Captures
import ContactSections
import EventStore
import Foundation
@testable import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// The user's annotations, from a session to its log, to other logs, and back in time.
@Suite("Annotations of a log") struct AnnotationTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("alice.rollcall") }
  private static let bob = bare("bob@example.test")
  private static let carol = bare("carol@example.test")

  init() throws { folder = try TemporaryFolder() }

  /// Bob is a friend whose name 单一 is read `zhong` from #5 on and who is starred at #4. Carol and
  /// Dave send requests at #6 and #7, and Carol's request is seen at #8.
  private func record(_ session: RosterSession) throws {
    try session.opened(as: JID(parsing: "alice@example.test/phone"), at: 1000)
    try session.sent("<iq type='get' id='1'><query xmlns='jabber:iq:roster'/></iq>".utf8, at: 1001)
    try session.received(
      """
      <iq type='result' id='1'><query xmlns='jabber:iq:roster'>\
      <item jid='bob@example.test' name='单一' subscription='both'/></query></iq>
      """.utf8, at: 1002)
    try session.annotate(.starred(Self.bob, true), at: 1003)
    let outcome = try #require(
      session.annotate(.reading(Self.bob, "zhong"), at: 1004).last?.outcome)
    #expect(outcome.changes.map(\.record) == [5] && outcome.findings.isEmpty)
    for name in ["carol", "dave"] {
      try session.received(
        "<presence from='\(name)@example.test' type='subscribe'/>".utf8, at: 1005)
    }
    try session.annotate(.requestsSeen([Self.carol]), at: 1006)
    try session.annotate(.note(Self.carol, "from the chess club"), at: nil)
  }

  private func recorded() throws -> EventLog {
    try record(try RosterSession(recordingTo: path))
    return try EventLog.open(
      at: path, access: .readWrite, eventVersion: RecordReader.version)
  }

  @Test("Annotations survive a restart and equal those of a session in memory")
  func restart() throws {
    let memory = RosterSession()
    try record(memory)
    try record(try RosterSession(recordingTo: path))
    let again = try RosterSession(recordingTo: path)
    // The previous session has not been closed.
    try memory.closed(at: 2000)
    for session in [memory, again] { try session.received("<message/>".utf8, at: 2000) }
    #expect(again.roster == memory.roster)
    #expect(again.roster.annotations[Self.bob]?.reading == "zhong")
    #expect(again.roster.annotations[Self.carol]?.note == "from the chess club")
    #expect(again.roster.unseenRequests == [bare("dave@example.test")])
  }

  @Test("The screen of an earlier point has the stars and readings of that time")
  func timeMachine() throws {
    let timeline = Timeline(try recorded())
    let titles = try (UInt64(3)...9).map { record in
      let roster = try timeline.state(at: .record(record)).roster
      return RosterSections(roster, policy: SectionPolicy(showsStarred: true)).index.indexTitles
        .map(\.title).joined()
    }
    #expect(titles == ["D", "☆D", "☆Z", "☆Z", "☆Z", "☆Z", "☆Z"])
    let unseen = try (UInt64(5)...9).map {
      try timeline.state(at: .record($0)).roster.unseenRequests.count
    }
    #expect(unseen == [0, 1, 2, 1, 1])
  }

  @Test("Replay, history, diff and why report annotations, with their record")
  func told() throws {
    let timeline = Timeline(try recorded())
    var story: [String] = []
    try timeline.replay(upTo: .head(minus: 0)) { moment, _ in
      guard case .annotation = moment.event else { return }
      story.append("#\(moment.stamp.record) \(moment.event.clause)")
      story += moment.outcome.changes.map { "\($0.mark) \($0.clause)" }
    }
    #expect(
      story == [
        "#4 the user stars bob@example.test", "+ bob@example.test starred",
        "#5 the user has bob@example.test read as “zhong”",
        "+ bob@example.test read as none → “zhong”",
        "#8 the user has seen the requests of carol@example.test",
        "~ request of carol@example.test of record 6: seen",
        "#9 the user notes about carol@example.test: “from the chess club”",
        "+ carol@example.test note none → “from the chess club”",
      ])
    var history: [UInt64] = []
    var handshakes: [UInt64?] = []
    _ = try timeline.history(of: Self.carol, upTo: .head(minus: 0)) { entry, _ in
      history.append(entry.moment.stamp.record)
      handshakes.append(entry.handshake?.since)
    }
    #expect(history == [6, 8, 9] && handshakes == [6, 6, nil])
    let diff = try timeline.diff(from: .record(3), to: .head(minus: 0))
    let lines = diff.differences.map { "\($0.difference.mark) \($0.difference.clause)" }
    #expect(
      lines == [
        "+ starred", "+ read as none → “zhong”", "+ its request for our presence, seen",
        "+ note none → “from the chess club”", "+ its request for our presence",
      ])
    #expect(diff.differences.map { $0.cause?.record } == [4, 5, 6, 9, 7])
    let why = try timeline.explanation(of: Self.bob, at: .head(minus: 0), friends: .mutual)
    let reasons = try #require(why?.explanation[.section]).reasons.map(\.sentence)
    #expect(reasons.first == "It is a friend, listed under “Z”.")
    #expect(reasons.last == "The user set at #5 that it is read so.")
  }

  @Test("An export keeps all annotations, and is read into an equal roster")
  func exported() throws {
    let log = try recorded()
    let before = try Timeline(log).state(at: .head(minus: 0)).roster
    var bytes: [UInt8] = []
    #expect(try LogExport(log).writeNative { bytes += $0 } == .addedHeader)
    let capture = folder.file("alice.jsonl")
    try Data(bytes).write(to: URL(filePath: capture))
    let copy = try importedLog(of: capture, nil, in: folder)
    var again: [UInt8] = []
    #expect(try LogExport(copy).writeNative { again += $0 } == .none)
    #expect(again == bytes)
    let after = try Timeline(copy).state(at: .head(minus: 0)).roster
    #expect(after.annotations.keys == before.annotations.keys)
    #expect(after.annotations[Self.bob]?.readingRecord == 6)
    #expect(after.unseenRequests == before.unseenRequests)
    // Rebuilt events equal those in the log.
    #expect(try events(copy) == events(log))
    try copy.rebuild()
    #expect(try Timeline(copy).state(at: .head(minus: 0)).roster == after)
  }

  private func events(_ log: EventLog) throws -> [RosterEvent] {
    var events: [RosterEvent] = []
    try Timeline(log).replay(upTo: .head(minus: 0)) { moment, _ in
      if case .annotation = moment.event { events.append(moment.event) }
    }
    return events
  }

  @Test("The log of one connection has the annotations too, and two devices do not differ by them")
  func devices() throws {
    let log = try recorded()
    let narrowed = try Timeline(log, narrowedTo: ConnectionID(number: 7))
      .state(at: .head(minus: 0)).roster
    #expect(narrowed.annotations.keys == [Self.bob, Self.carol])
    let whole = try Timeline(log).state(at: .head(minus: 0)).roster
    let early = try Timeline(log).state(at: .record(7)).roster
    var other = early
    _ = RosterReducer.reduce(
      &other, .annotation(.starred(Self.carol, true)), at: RecordStamp(record: 8))
    #expect(!whole.differences(to: other).isEmpty)
    #expect(try SourceDifference.all(whole, other, of: log).isEmpty)
  }

  @Test("A merge by time keeps annotations, whatever records come in between")
  func merged() throws {
    let header = #"{"account":"alice@example.test","rollcall-capture":1}"#
    func element(_ time: Int, _ xml: String) -> String {
      #"{"t":\#(time),"dir":"in","xml":"\#(xml)"}"#
    }
    let phone = [
      header, element(10, "<presence from='carol@example.test' type='subscribe'/>"),
      #"{"t":30,"requestsSeen":["carol@example.test"]}"#,
      #"{"t":31,"jid":"bob@example.test","starred":true}"#, element(50, "<message/>"),
    ]
    let desk = [header, element(20, "<message/>"), element(40, "<message/>")]
    var parts: [CaptureMerge.Part] = []
    for (name, lines) in [("phone", phone), ("desk", desk)] {
      let file = folder.file("\(name).jsonl")
      try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: file))
      let log = try importedLog(of: file, nil, in: folder)
      let last = try log.read { try $0.lastSequence }
      let capture = StagedCapture(prints: [], records: 1...last, connections: [:])
      parts.append(CaptureMerge.Part(log: log, name: name, source: name, capture: capture))
    }
    let target = try EventLog.draft(
      for: folder.file("merged.rollcall"), eventVersion: RecordReader.version)
    _ = try CaptureMerge(parts).run(into: target)
    let roster = try Timeline(target).state(at: .head(minus: 0)).roster
    #expect(roster.position == 8 && roster.incoming.count == 1)
    #expect(roster.unseenRequests.isEmpty)
    #expect(roster.annotations.keys == [Self.bob])
  }

  @Test("Annotations from the time of a capture do not prevent its import")
  func importedLater() throws {
    let session = try RosterSession(recordingTo: path)
    try session.received("<presence from='bob@example.test/x'/>".utf8, at: 50)
    try session.annotate(.starred(Self.bob, true), at: 100)
    try session.flush()
    let lines = [
      #"{"account":"alice@example.test","rollcall-capture":1}"#,
      #"{"t":90,"dir":"in","xml":"<presence from='carol@example.test' type='subscribe'/>"}"#,
      #"{"t":150,"dir":"in","xml":"<presence from='dave@example.test' type='subscribe'/>"}"#,
    ]
    let file = folder.file("later.jsonl")
    try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: file))
    let capture = StagedCapture(prints: [], records: 1...3, connections: ["": 1])
    let staged = StagedImport(try importedLog(of: file, nil, in: folder), [capture])
    let log = try EventLog.open(
      at: path, access: .readWrite, eventVersion: RecordReader.version)
    _ = try staged.append(to: log, takingAll: false)
    let roster = try Timeline(log).state(at: .head(minus: 0)).roster
    #expect(roster.unseenRequests.count == 2 && roster.annotations.keys == [Self.bob])
  }

  @Test("A damaged record is distinguished from an intact one")
  func recovery() throws {
    let reader = RecordReader()
    let header = try #require(try recorded().read { try $0.header(at: 4) })
    let line = AnnotationLine.starred(Self.bob, true).bytes
    #expect(reader.reads(header, line))
    #expect(!reader.reads(header, Array(line.dropLast())))
    #expect(!reader.reads(header, AnnotationLine.bookmark(name: "head", back: 1).bytes))
    #expect(reader.decode(.annotation, .none, line).contacts == ["bob@example.test"])
  }
}
