import Captures
import ConversationCore
import Foundation
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@testable import EventStore
@testable import Rollcall

@Suite("What a recorder keeps") struct RecordingPolicyTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("alice.rollcall") }
  private let idle = RecordingPolicy(messages: .all)

  init() throws { folder = try TemporaryFolder() }

  /// A short stream: `a` and `r` of both sides, of which 2 and 3 say nothing new.
  private func pass(to session: RosterSession) throws -> [SessionStep] {
    let management = "xmlns='urn:xmpp:sm:3'"
    var steps = try session.opened(as: address("alice@example.test/phone"), at: 1000)
    steps += try session.received("<presence from='bob@example.test/pc'/>".utf8, at: 1001)
    steps += try session.received("<r \(management)/>".utf8, at: 1002)
    steps += try session.sent("<r \(management)/>".utf8, at: 1003)
    steps += try session.sent("<a \(management) h='1'/>".utf8, at: 1004)
    return steps
  }

  private func records(_ log: EventLog) throws -> [String] {
    let last = try log.read { try $0.lastSequence }
    return try (1...max(1, last)).compactMap { number in
      try log.read { try $0.record(at: number) }.map { String(decoding: $0.bytes, as: UTF8.self) }
    }
  }

  private func log() throws -> EventLog {
    try EventLog.open(at: path, access: .readOnly, eventVersion: RecordReader.version)
  }

  @Test("Acknowledgements without news are left out, and the log says so")
  func leftOut() throws {
    let session = try RosterSession(recordingTo: path, keeping: idle)
    let steps = try pass(to: session)
    #expect(steps.map(\.isRecorded) == [true, true, false, false, true])
    #expect(steps.map(\.stamp.record) == [2, 3, 3, 3, 4])
    guard case .element(let request) = steps[2].part else {
      Issue.record("\(steps[2].part)")
      return
    }
    #expect(request.name.local == "r", "the application sees what the log lacks")
    #expect(session.roster.presence(of: bare("bob@example.test")).best != nil)
    try session.close()
    #expect(
      try records(log()) == [
        #"{"acknowledgements":"news","messages":"all","stream":"recorded"}"#,
        #"{"jid":"alice@example.test/phone","stream":"opened"}"#,
        "<presence from='bob@example.test/pc'/>",
        "<a xmlns='urn:xmpp:sm:3' h='1'/>",
      ])
    #expect(try log().meta.formatVersion == 4)
  }

  @Test("A log of a recorder that keeps everything says nothing of it, and has the old format")
  func everything() throws {
    let session = try RosterSession(recordingTo: path)
    #expect(try pass(to: session).allSatisfy(\.isRecorded))
    try session.close()
    #expect(try records(log()).count == 5)
    #expect(try log().meta.formatVersion == 3)
  }

  @Test("A recorder that keeps everything says so in a log that has a policy")
  func changed() throws {
    let first = try RosterSession(recordingTo: path, keeping: idle)
    try first.opened(as: address("alice@example.test/phone"), at: 1000)
    try first.closed(at: 1001)
    try first.close()
    let second = try RosterSession(recordingTo: path)
    try second.received("<presence from='bob@example.test/pc'/>".utf8, at: 1002)
    #expect(second.roster.position == 5)
    try second.close()
    #expect(
      try records(log())[3] == #"{"acknowledgements":"all","messages":"all","stream":"recorded"}"#)
    #expect(try Timeline(log()).state(at: .head).roster.position == 5)
  }

  @Test("The last sign of a connection is kept, whether the connection ends or the recording")
  func lastSign() throws {
    let request = "<r xmlns='urn:xmpp:sm:3'/>"
    let session = try RosterSession(recordingTo: path, keeping: idle)
    try session.opened(as: address("alice@example.test/phone"), at: 1000)
    for time in 1001...1003 { try session.received(request.utf8, at: Int64(time)) }
    #expect(try session.closed(at: 2000).map(\.stamp.record) == [4])
    try session.opened(as: address("alice@example.test/phone"), at: 3000)
    try session.received(request.utf8, at: 3001)
    try session.close()
    let log = try log()
    #expect(try records(log).map { $0 == request } == [false, false, true, false, false, true])
    #expect(try log.read { try $0.header(at: 3)?.time } == 1003)
    #expect(try log.read { try $0.header(at: 6)?.time } == 3001)
  }

  @Test("A policy survives an export and an import")
  func exported() throws {
    let session = try RosterSession(recordingTo: path, keeping: idle)
    _ = try pass(to: session)
    try session.close()
    var capture: [UInt8] = []
    _ = try LogExport(log()).writeNative { capture += $0 }
    let file = folder.file("alice.jsonl")
    try Data(capture).write(to: URL(filePath: file))
    let copy = try importedLog(of: file, nil, in: folder)
    #expect(try copy.meta.formatVersion == 4)
    #expect(try records(copy).dropFirst().elementsEqual(records(log())))
  }

  @Test(
    "A policy that is not one is a problem of its line",
    arguments: [("acknowledgements", "heads"), ("messages", "news"), ("messages", "")])
  func unknownWord(_ key: String, _ word: String) {
    let line = #"{"stream":"recorded","\#(key)":"\#(word)"}"#
    #expect(Lifecycle(Array(line.utf8)) == nil)
    #expect(Lifecycle(Array(#"{"stream":"recorded"}"#.utf8)) == .recorded(.everything))
  }

  @Test("Conversations, roster and findings are the same with and without what is left out")
  func sameAnswers() throws {
    var leftOut = 0
    for seed in Seeds.chosen(or: 0...399) {
      let stream = RandomStream(seed: seed, steps: 20 + Int(seed % 60))
      let (full, kept) = (Derived(stream.parts), Derived(stream.parts, keeping: idle))
      leftOut += full.count - kept.count
      #expect(full.text == kept.text, "ROLLCALL_SEEDS=\(seed)-\(seed)")
    }
    #expect(leftOut > 0, "the streams have something to leave out")
  }
}

/// What the records of a stream mean, all of them or those that a policy keeps.
private struct Derived {
  private(set) var count = 0
  private var conversations = Conversations()
  private var roster = Roster()
  private var outcomes: [RosterOutcome] = []
  private var encoder = EventEncoder()
  private let reader = RecordReader()

  /// - Parameter policy: Nil for all records. They keep the numbers that they have among all.
  init(_ parts: [RandomStream.Part], keeping policy: RecordingPolicy? = nil) {
    var filter = policy.map { RecordingFilter($0) }
    var lastSign = 0
    for (index, part) in parts.enumerated() {
      guard filter != nil else {
        reduce(part, UInt64(index + 1))
        continue
      }
      if let sign = filter?.owed(before: part.content) { reduce(sign, UInt64(lastSign + 1)) }
      if let content = filter?.kept(of: part) {
        reduce((content, part.time), UInt64(index + 1))
      } else {
        lastSign = index
      }
    }
    if let sign = filter?.owed(before: nil) { reduce(sign, UInt64(lastSign + 1)) }
  }

  private mutating func reduce(_ part: RandomStream.Part, _ number: UInt64) {
    count += 1
    let draft = RecordDraft(part.content, time: part.time, on: 1, encodedBy: &encoder)
    let header = RecordHeader(
      sequence: number, direction: draft.direction, kind: draft.kind, connection: 1,
      timeIsKnown: part.time != nil, clock: part.time, sourceTime: nil)
    if let event = reader.conversationEvent(header, draft.bytes.span.bytes) {
      conversations.reduce(event, at: RecordPosition(header))
    }
    guard let event = draft.event else { return }
    let stamp = RecordStamp(record: number, time: part.time)
    if let outcome = try? RosterReducer.reduce(&roster, event.span.bytes, at: stamp) {
      outcomes.append(outcome)
    }
  }

  /// Everything that is shown, as text.
  var text: String {
    let orders = conversations.all.map { "\($0.key) \($0.order) \($0.readTo as Any)" }
    return """
      \(conversations.messages)
      \(orders)
      \(conversations.findings + conversations.findingsAtEnd)
      \(conversations.isComplete) \(conversations.unread)
      \(outcomes)
      \(roster.isConnected) \(roster.sortedItems)
      """
  }
}
