import Captures
import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// Every captured session gives the roster of its server, however it is read.
@Suite("Captured sessions") struct CapturedSessionTests {
  @Test("A capture becomes the roster that the server reports", arguments: CaptureCase.all)
  func truth(_ test: CaptureCase) throws {
    let roster = try straight(test)
    #expect(roster.account?.text == test.account)
    #expect(roster.sortedItems.map(Item.init) == test.expected.items.map(Item.init))
    #expect(roster.incoming.keys.map(\.text).sorted() == test.expected.incoming_requests)
    #expect(roster.outgoing.keys.map(\.text).sorted() == test.expected.outgoing_requests)
    #expect(roster.completeness == .complete)
  }

  @Test(
    "Direct, through the log, reopened and from raw bytes: one state",
    arguments: CaptureCase.all)
  func sameState(_ test: CaptureCase) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("alice.rollcall")
    let expected = try straight(test)
    do {
      let log = try EventLog.draft(for: path, eventVersion: RecordReader.version)
      try run(test, into: log)
      #expect(try state(log) == expected)
      try log.publish()
    }
    do {
      let log = try EventLog.open(
        at: path, access: .readOnly, eventVersion: RecordReader.version)
      #expect(try log.derivedIsCurrent)
      #expect(try state(log) == expected)
    }
    // A program of another version finds stored events that it must not read.
    let other = try EventLog.open(
      at: path, access: .readWrite, eventVersion: RecordReader.version + 1)
    try other.rebuildDerived { _, _ in DerivedParts(event: [0xFF], contacts: []) }
    #expect(try state(other) == expected)
    let log = try EventLog.open(
      at: path, access: .readWrite, eventVersion: RecordReader.version)
    try log.bringUpToDate()
    #expect(try log.derivedIsCurrent)
    #expect(try state(log) == expected)
  }

  private func timeline(_ test: CaptureCase, in folder: TemporaryFolder) throws -> Timeline {
    let log = try EventLog.draft(
      for: folder.file("alice.rollcall"), eventVersion: RecordReader.version)
    try run(test, into: log)
    return Timeline(log)
  }

  @Test(
    "A replay gives at each point the same state as a replay up to that point",
    arguments: CaptureCase.all)
  func points(_ test: CaptureCase) throws {
    let folder = try TemporaryFolder()
    let timeline = try timeline(test, in: folder)
    var states: [UInt64: Roster] = [:]
    try timeline.replay(upTo: .head(minus: 0)) { moment, roster in
      states[moment.stamp.record] = roster
    }
    for (record, roster) in states {
      #expect(try timeline.state(at: .record(record)).roster == roster)
    }
  }

  @Test("Every transition of a condition that a replay shows is found", arguments: CaptureCase.all)
  func turns(_ test: CaptureCase) throws {
    let folder = try TemporaryFolder()
    try expectEveryTurn(in: timeline(test, in: folder))
  }

  @Test("No byte of a log contains a password of its capture", arguments: CaptureCase.all)
  func credentials(_ test: CaptureCase) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("alice.rollcall")
    let log = try EventLog.draft(for: path, eventVersion: RecordReader.version)
    try run(test, into: log)
    try log.publish()
    let bytes = try Data(contentsOf: URL(filePath: path))
    let capture = try String(decoding: Data(contentsOf: URL(filePath: test.path)), as: UTF8.self)
    // The SASL payloads and passwords as they are written in the capture, with any quoting.
    let secrets = capture.matches(of: /(?:-sasl\\?["'][^>]*>|<password>)([^<]+)</)
      .map { String($0.output.1) }
    for secret in secrets {
      #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) is in the log")
    }
    #expect(bytes.range(of: Data("qing-chun-7".utf8)) == nil)
    #expect(!secrets.isEmpty, "the capture of a login has a secret to look for")
  }

  // MARK: Ways of reading

  /// From the reader to the reducer, without a log.
  private func straight(_ test: CaptureCase) throws -> Roster {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: test.path)))
    let format = try #require(CaptureFormat.detect(Array(bytes.prefix(64 << 10))))
    #expect(format.id == test.format)
    var capture = CaptureReader(format: format, options: ReaderOptions())
    var filter = AccountFilter(account: try BareJID(parsing: test.account))
    var roster = Roster()
    var record: UInt64 = 0
    let reader = RecordReader()
    // Connections are numbered in the order of their appearance.
    var names: [String] = []
    func take(_ captured: CapturedRecord) throws {
      record += 1
      if !names.contains(captured.connection) { names.append(captured.connection) }
      let number = captured.connectionNumber.map { Int($0) - 1 }
      let place = try #require(number ?? names.firstIndex(of: captured.connection))
      let draft = RecordDraft(captured)
      let event = reader.decode(draft.kind, draft.direction, draft.bytes).event
      if let event {
        _ = RosterReducer.reduce(
          &roster, event, at: RecordStamp(record: record, time: captured.time),
          on: ConnectionID(number: UInt32(place + 1)))
      } else {
        roster.move(to: record)
      }
    }
    func pass(_ output: CaptureOutput) throws {
      switch output {
      case .record(let captured): try filter.take(captured, take)
      case .problem(let problem): Issue.record("line \(problem.line): \(problem.message)")
      }
    }
    try capture.read(bytes, pass)
    try capture.finish(pass)
    try filter.finish(take)
    return roster
  }

  private func run(_ test: CaptureCase, into log: EventLog) throws {
    var reading = CaptureImport(ImportOptions(account: try BareJID(parsing: test.account)))
    let file = try FileHandle(forReadingFrom: URL(filePath: test.path))
    let summary = try reading.run(file, into: log)
    #expect(summary.problemCount == 0)
    #expect(summary.records > 0)
  }

  private func state(_ log: EventLog) throws -> Roster {
    try Timeline(log).state(at: .head(minus: 0)).roster
  }

  /// An item in the form of the expectation.
  private struct Item: Hashable {
    let jid: String
    let name: String?
    let subscription: String
    let ask: String?
    let approved: Bool
    let groups: [String]

    init(_ item: RosterItem) {
      jid = item.jid.text
      name = item.name
      subscription = item.subscription.rawValue
      ask = item.isPending ? "subscribe" : nil
      approved = item.isApproved
      groups = item.groups
    }

    init(_ item: CaptureCase.Expected.Item) {
      jid = item.jid
      name = item.name
      subscription = item.subscription
      ask = item.ask
      approved = item.approved
      groups = item.groups
    }
  }
}
