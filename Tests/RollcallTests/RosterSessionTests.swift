import Captures
import EventStore
import Foundation
@testable import Rollcall
import TestSupport
import Testing

@Suite("Recording a session") struct RosterSessionTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("alice.rollcall") }

  init() throws { folder = try TemporaryFolder() }

  private func fetch(_ session: RosterSession) throws {
    try session.opened(as: JID(parsing: "alice@example.test/phone"), at: 1000)
    try session.sent("<iq type='get' id='1'><query xmlns='jabber:iq:roster'/></iq>".utf8, at: 1001)
    try session.received(
      """
      <iq type='result' id='1'><query xmlns='jabber:iq:roster'>\
      <item jid='bob@example.test' name='Bob' subscription='both'/></query></iq>
      """.utf8, at: 1002)
  }

  @Test("What is passed changes the roster, and the step reports the changes")
  func outcome() throws {
    let session = RosterSession()
    try fetch(session)
    #expect(session.roster.sortedItems.map(\.name) == ["Bob"])
    let steps = try session.received(
      "<presence from='bob@example.test/pc'><show>away</show></presence>".utf8, at: 1003)
    let change = try #require(steps.first?.outcome.changes.first)
    #expect(change.record == 4)
    #expect(change.contact?.text == "bob@example.test")
    let message = try session.received("<message><body>hi</body></message>".utf8, at: 1)
    #expect(message.map(\.outcome) == [RosterOutcome()])
    #expect(session.roster.position == 5)
    try session.closed(at: 1004)
    #expect(!session.roster.isConnected)
    try session.resumed(at: 1005)
    let bob = try BareJID(parsing: "bob@example.test")
    #expect(session.roster.presence(of: bob).best?.presence.availability.show == .away)
  }

  @Test("A session that was closed continues in the same state as one in memory")
  func goesOn() throws {
    let memory = RosterSession()
    try fetch(memory)
    try memory.closed(at: 1003)
    let first = try RosterSession(recordingTo: path)
    try fetch(first)
    try first.closed(at: 1003)
    try first.close()
    let again = try RosterSession(recordingTo: path)
    #expect(again.roster == memory.roster)
    let push = """
      <iq type='set' id='p'><query xmlns='jabber:iq:roster'>\
      <item jid='bob@example.test' subscription='remove'/></query></iq>
      """
    // The source's clock runs backwards; the log's does not, and the roster uses the log's.
    let steps = try again.received(push.utf8, at: 5)
    #expect(steps.flatMap(\.outcome.changes).map(\.record) == [5])
    #expect(again.roster.sortedItems.isEmpty)
    try again.flush()
    #expect(try loggedRoster == again.roster)
  }

  @Test("If the last recorder ended without closing, no contact is online, and the log says so")
  func goesOnAfterCrash() throws {
    do {
      let session = try RosterSession(recordingTo: path)
      try fetch(session)
      try session.received("<presence from='bob@example.test/pc'/>".utf8, at: 1003)
    }
    let bob = bare("bob@example.test")
    let memory = RosterSession()
    try fetch(memory)
    try memory.received("<presence from='bob@example.test/pc'/>".utf8, at: 1003)
    #expect(memory.roster.presence(of: bob).best != nil)
    try memory.closed(at: 2000)
    let again = try RosterSession(recordingTo: path)
    #expect(!again.roster.isConnected)
    #expect(again.roster.presence(of: bob).best == nil)
    #expect(
      Screen(RosterSections(again.roster).index) == Screen(RosterSections(memory.roster).index))
    // Reading a log does not change it.
    #expect(try again.received("<mess".utf8, at: 1999).isEmpty)
    #expect(again.roster.position == 4)
    try again.flush()
    #expect(try log.read { try $0.lastSequence } == 4)
    let steps = try again.received("age/>".utf8, at: 2000)
    #expect(steps.map(\.part).first == .session && steps.count == 2)
    #expect(steps.map(\.stamp.record) == [5, 6])
    #expect(steps.first?.outcome.changes.first?.values == .connected(before: true, after: false))
    try memory.received("<message/>".utf8, at: 2000)
    #expect(again.roster == memory.roster)
    #expect(try again.received("<message/>".utf8, at: 2000).count == 1, "it is said once")
    try again.close()
    try memory.received("<message/>".utf8, at: 2000)
    #expect(try loggedRoster == memory.roster)
  }

  @Test(
    "Unreadable bytes are reported and recorded, and the session continues",
    arguments: ["<a></b>", "text", "<!-- -->", "&amp;", "\u{1}", "<a b='1' b='2'/>", "<x:a/>"])
  func refused(_ xml: String) throws {
    let session = try RosterSession(recordingTo: path)
    try fetch(session)
    let before = session.roster.sortedItems
    let steps = try session.received(xml.utf8, at: 2000)
    guard case .unreadable(let reason)? = steps.first?.part, steps.count == 1 else {
      Issue.record("\(steps)")
      return
    }
    #expect(!reason.isEmpty)
    #expect(session.roster.position == 4)
    try session.received("<presence/>".utf8, at: nil)
    #expect(session.roster.position == 5)
    #expect(session.roster.sortedItems == before)
    try session.flush()
    let unreadable = try #require(try self.unreadable().first)
    #expect(unreadable.kept == Array(xml.utf8))
    #expect(unreadable.count == xml.utf8.count)
    #expect(unreadable.direction == .inbound)
    #expect(unreadable.reason == reason)
    #expect(try loggedRoster == session.roster)
  }

  @Test("Elements before and after unreadable bytes are not lost")
  func around() throws {
    let session = try RosterSession(recordingTo: path)
    try fetch(session)
    let steps = try session.received("<presence/><a></b><presence/>".utf8, at: 2000)
    #expect(steps.count == 2)
    guard case .element = steps.first?.part, case .unreadable = steps.last?.part else {
      Issue.record("\(steps)")
      return
    }
    try session.flush()
    #expect(try unreadable().map(\.kept) == [Array("<a></b><presence/>".utf8)])
  }

  @Test("An incomplete element is recorded when the connection is lost")
  func cut() throws {
    let session = try RosterSession(recordingTo: path)
    try fetch(session)
    #expect(try session.received("<message><body>hal".utf8, at: 2000).isEmpty)
    let steps = try session.closed(at: 2001)
    #expect(steps.count == 2 && steps.last?.part == .session)
    try session.flush()
    #expect(try unreadable().map(\.kept) == [Array("<message><body>hal".utf8)])
  }

  @Test("A lifecycle event from the application divides no element")
  func openedInBetween() throws {
    let session = try RosterSession(recordingTo: path)
    try session.received("<message><body>hal".utf8, at: 1)
    try session.opened(as: JID(parsing: "alice@example.test/phone"), at: 2)
    try session.resumed(at: 3)
    let steps = try session.received("f</body></message>".utf8, at: 4)
    guard case .element? = steps.first?.part, steps.count == 1 else {
      Issue.record("\(steps)")
      return
    }
  }

  @Test("A closed session accepts nothing more, and makes no caller wait")
  func afterClose() async throws {
    let session = try RosterSession(recordingTo: path)
    try fetch(session)
    try session.close()
    let before = session.roster
    let error = #expect(throws: RollcallError.self) {
      try session.received("<presence/>".utf8, at: 1)
    }
    #expect(error?.reason == .closed)
    #expect(session.roster == before)
    try session.flush()
    try await session.durable()
    try session.close()
    #expect(try loggedRoster == before)
  }

  @Test("Observers end with the session, and one in memory accepts nothing more either")
  func closeInMemory() async throws {
    for session in [RosterSession(), try RosterSession(recordingTo: path)] {
      var updates = session.updates().makeAsyncIterator()
      var screens = session.screens().makeAsyncIterator()
      try fetch(session)
      try session.close()
      while await updates.next() != nil {}
      while await screens.next() != nil {}
      #expect(throws: RollcallError.self) { try session.received("<presence/>".utf8, at: 1) }
      #expect(throws: RollcallError.self) { try session.opened(as: JID(parsing: "a@b/c"), at: 1) }
      #expect(throws: RollcallError.self) { try session.annotate(.requestsSeen([]), at: 1) }
      #expect(session.roster.position == 3)
    }
  }

  @Test("A log is released with the session, so that another can take its place")
  func closeLetsGo() throws {
    let session = try RosterSession(recordingTo: path)
    try fetch(session)
    try session.close()
    for name in [path, path + "-lock"] where FileManager.default.fileExists(atPath: name) {
      try FileManager.default.removeItem(atPath: name)
    }
    let other = try RosterSession(recordingTo: path)
    #expect(other.roster.position == 0)
    try fetch(other)
    try other.close()
    #expect(session.roster == other.roster)
  }

  @Test("Nothing is recorded if nothing was passed")
  func nothing() throws {
    let session = try RosterSession(recordingTo: path)
    #expect(try session.received("".utf8, at: nil).isEmpty)
    #expect(try session.received(" \n ".utf8, at: nil).isEmpty)
    #expect(session.roster.position == 0)
  }

  @Test("Of unreadable bytes that may contain credentials, only the length is kept")
  func unreadableCredentials() throws {
    let secret = "hunter2"
    let session = try RosterSession(recordingTo: path)
    try session.sent("<iq>\(secret)<".utf8, at: nil)
    try session.closed(at: nil)
    try fetch(session)
    for xml in [
      "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(secret)",
      "<iq><query xmlns='jabber:iq:register'><PassWord>\(secret)</b>", "<x token='\(secret)'",
      "<resume xmlns='urn:xmpp:sm:3' previd='\(secret)'", "<db:result>\(secret)",
      "<s:response>\(secret)", "<x><api-key>\(secret)", "<next xmlns='urn:xmpp:sasl:1'>\(secret)",
      "<a href='https://a.test/?preauth=\(secret)", "<x><key xmlns='urn:xmpp:esfs:0'>\(secret)",
    ] {
      // It ends in the middle, or is refused before.
      try session.sent(xml.utf8, at: nil)
      try session.closed(at: nil)
      try fetch(session)
    }
    try session.flush()
    let found = try unreadable()
    #expect(found.count == 11)
    #expect(found.allSatisfy { $0.kept == nil && $0.count > 0 && $0.direction == .outbound })
    let file = try Data(contentsOf: URL(filePath: path))
    #expect(file.firstRange(of: Data(secret.utf8)) == nil)
    #expect(file.firstRange(of: Data(Data(secret.utf8).base64EncodedString().utf8)) == nil)
  }

  @Test("An earlier open session of the log does not cause credentials to be kept")
  func unreadableAfterImport() throws {
    do { try fetch(try RosterSession(recordingTo: path)) }
    let session = try RosterSession(recordingTo: path)
    try session.sent("<iq>hunter2<".utf8, at: nil)
    try session.closed(at: nil)
    try session.opened(as: JID(parsing: "alice@example.test/phone"), at: nil)
    try session.sent("<iq>plain<".utf8, at: nil)
    try session.closed(at: nil)
    try session.resumed(at: nil)
    try session.sent("<iq>plain<".utf8, at: nil)
    // A new stream is not authenticated.
    try session.received("</iq>".utf8, at: nil)
    try session.closed(at: nil)
    try session.opened(as: JID(parsing: "eve@example.test/phone"), at: nil)
    try session.sent("<iq>hunter2<".utf8, at: nil)
    try session.closed(at: nil)
    try session.flush()
    #expect(try unreadable().map { $0.kept != nil } == [false, true, true, true, false])
  }

  @Test("Of many unreadable bytes, the first ones are kept")
  func manyUnreadableBytes() throws {
    let session = try RosterSession(recordingTo: path)
    try fetch(session)
    let xml = "<message><body>" + String(repeating: "x", count: 200_000)
    try session.received(xml.utf8, at: nil)
    try session.closed(at: nil)
    try session.flush()
    let unreadable = try #require(try self.unreadable().first)
    #expect(unreadable.kept == Array(xml.utf8.prefix(UnreadableBytes.limit)))
    #expect(unreadable.count == xml.utf8.count)
  }

  @Test("Unreadable bytes are exported, and redacted to their length")
  func unreadableExport() throws {
    let session = try RosterSession(recordingTo: path)
    try fetch(session)
    try session.received("<a>hi bob</b>".utf8, at: 1003)
    try session.flush()
    let before = try unreadable()
    for isRedacted in [false, true] {
      let log = try EventLog.open(
        at: path, access: .readOnly, eventVersion: RecordReader.version)
      var lines: [UInt8] = []
      if isRedacted {
        _ = try LogExport(log).writeRedacted { lines += $0 }
      } else {
        _ = try LogExport(log).writeNative { lines += $0 }
      }
      let copy = folder.file("copy-\(isRedacted).jsonl")
      try Data(lines).write(to: URL(filePath: copy))
      let again = try importedLog(of: copy, nil, in: folder)
      let expected = isRedacted ? before.map(\.withheld) : before
      #expect(try unreadable(in: again) == expected)
      if isRedacted { #expect(!String(decoding: lines, as: UTF8.self).contains("bob")) }
    }
  }

  @Test("Unreadable bytes in another account's capture are examined too")
  func unreadableImport() throws {
    let secret = Data("<auth>hunter2".utf8).base64EncodedString()
    let plain = Data("<a>hi</b>".utf8).base64EncodedString()
    let path = folder.file("other.jsonl")
    let lines = """
      {"rollcall-capture":1,"account":"alice@example.test"}
      {"dir":"out","unreadable":"\(secret)","bytes":13,"reason":"bob said so"}
      {"dir":"in","unreadable":"\(plain)","bytes":9,"reason":"bob said so"}
      """
    try Data(lines.utf8).write(to: URL(filePath: path))
    let log = try importedLog(of: path, nil, in: folder)
    #expect(try unreadable(in: log).map(\.kept) == [nil, Array("<a>hi</b>".utf8)])
    var redacted: [UInt8] = []
    _ = try LogExport(log).writeRedacted { redacted += $0 }
    #expect(!String(decoding: redacted, as: UTF8.self).contains("bob"))
  }

  private func unreadable() throws -> [UnreadableBytes] {
    try unreadable(
      in: EventLog.open(at: path, access: .readOnly, eventVersion: RecordReader.version))
  }

  private func unreadable(in log: EventLog) throws -> [UnreadableBytes] {
    var found: [UnreadableBytes] = []
    try log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      guard header.kind == .unreadable else { return }
      found.append(
        try #require(UnreadableBytes(line: bytes.withUnsafeBytes { Array($0) })))
    }
    return found
  }

  @Test("A password that is passed is not in the log")
  func credentials() throws {
    let session = try RosterSession(recordingTo: path)
    try session.sent(
      "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>AHNlY3JldHNlY3JldA==</auth>"
        .utf8, at: nil)
    try session.close()
    let bytes = try Data(contentsOf: URL(filePath: path))
    #expect(bytes.range(of: Data("AHNlY3JldHNlY3JldA".utf8)) == nil)
    #expect(bytes.range(of: Data("mechanism=\"PLAIN\"".utf8)) != nil)
  }

  @Test("A file that is not a log is refused by name")
  func noLog() throws {
    try "no log at all".write(toFile: path, atomically: true, encoding: .utf8)
    let error = #expect(throws: RollcallError.self) { try RosterSession(recordingTo: path) }
    #expect(error?.reason == .damaged)
    #expect((error as (any Error)?)?.localizedDescription == error?.description)
    #expect(error?.description.contains("alice.rollcall") == true)
  }

  /// Appends a push like another program.
  private func pushFromElsewhere(of jid: String) throws {
    let xml = """
      <iq type='set' id='p'><query xmlns='jabber:iq:roster'><item jid='\(jid)'/></query></iq>
      """
    let bytes = Array(xml.utf8)
    let other = try EventLog.open(
      at: path, access: .readWrite, eventVersion: RecordReader.version)
    try other.append([
      RecordDraft(
        time: 1003, direction: .inbound, kind: .element, bytes: bytes,
        decoded: RecordReader().decode(.element, .inbound, bytes))
    ])
  }

  @Test("What others append to the log meanwhile is part of the roster, in a step of its own")
  func shared() throws {
    let session = try RosterSession(recordingTo: path)
    try fetch(session)
    try session.flush()
    var screen = RosterSections(session.roster, policy: SectionPolicy(friends: .all))
    try pushFromElsewhere(of: "carol@example.test")
    let steps = try session.received("<presence from='bob@example.test/pc'/>".utf8, at: 1004)
    #expect(steps.map(\.part).first == .others && steps.count == 2)
    #expect(steps.map(\.stamp.record) == [4, 5] && steps.map(\.stamp.time) == [1003, 1004])
    #expect(steps.map { $0.outcome.changes.map(\.record) } == [[4], [5]])
    for row in screen.rows(touchedBy: steps.flatMap(\.outcome.changes)) {
      screen.update(row, from: session.roster)
    }
    let anew = RosterSections(session.roster, policy: SectionPolicy(friends: .all))
    #expect(Screen(screen.index) == Screen(anew.index))
    try session.flush()
    #expect(
      session.roster.sortedItems.map(\.jid.text) == ["bob@example.test", "carol@example.test"])
    #expect(try loggedRoster == session.roster)
  }

  @Test("The log notes its account once it is known, so that no other's capture is added")
  func account() throws {
    let session = try RosterSession(recordingTo: path)
    try session.received("<message/>".utf8, at: nil)
    try session.flush()
    #expect(try log.meta.account == nil)
    try fetch(session)
    try session.flush()
    #expect(try log.meta.account == "alice@example.test")
    #expect(try log.read { try $0.lastSequence } == session.roster.position)
  }

  @Test("The account is noted once: as soon as it is known, and again only if that failed")
  func accountOnce() throws {
    let alice = bare("alice@example.test")
    var note = AccountNote(isDone: false)
    var noted: [String?] = []
    note.note(nil) { noted.append($0.account) }
    #expect(noted.isEmpty)
    #expect(throws: RollcallError.self) {
      try note.note(alice) { _ in throw RollcallError(.log, "the disk is full") }
    }
    // The writer receives it once, and tries again with whatever is written next.
    for _ in 0..<3 { note.note(nil) { noted.append($0.account) } }
    #expect(noted == ["alice@example.test"])
    var known = AccountNote(isDone: true)
    known.note(alice) { noted.append($0.account) }
    #expect(noted.count == 1, "the log has it already")
  }

  @Test("An application can distinguish the errors of a log")
  func errorReasons() {
    let reasons: [(EventLogError, RollcallError.Reason)] = [
      (.diskFull(path: "a"), .diskFull), (.fileSizeLimit(path: "a"), .diskFull),
      (.outcomeUnknown(path: "a", cause: "b"), .outcomeUnknown), (.closed(path: "a"), .closed),
      (.newerFormat(path: "a", format: 9, supported: 1), .newerFormat),
      (.truncated(path: "a", bytes: 1, expected: 2), .damaged),
      (.corrupt(sequence: 1, what: "b"), .damaged), (.notAFile(path: "a"), .log),
    ]
    for (error, reason) in reasons {
      #expect(RollcallError(error).reason == reason)
      #expect(RollcallError(error).description == error.description)
    }
  }

  @Test("A log that cannot be created is an error of the log")
  func reasons() throws {
    let missing = #expect(throws: RollcallError.self) {
      try RosterSession(recordingTo: folder.file("none/alice.rollcall"))
    }
    #expect(missing?.reason == .log)
  }

  @Test("Any time can be passed", arguments: [Int64.min, -1, 0, .max])
  func anyTime(_ time: Int64) throws {
    let session = try RosterSession(recordingTo: path)
    try session.opened(as: JID(parsing: "alice@example.test/phone"), at: 0)
    try session.received("<presence from='bob@example.test/pc'/>".utf8, at: time)
    try session.received("<presence from='bob@example.test/pc'/>".utf8, at: 1)
    try session.flush()
    #expect(try loggedRoster == session.roster)
  }

  /// The state at the end of the log.
  private var loggedRoster: Roster {
    get throws { try Timeline(log).state(at: .head(minus: 0)).roster }
  }

  private var log: EventLog {
    get throws {
      try EventLog.open(at: path, access: .readOnly, eventVersion: RecordReader.version)
    }
  }
}
