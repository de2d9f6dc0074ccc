import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// What is found at the end of a log reaches everyone who asks about the log.
@Suite struct EndingTests {
  /// A set that only stream management follows, which is no event.
  private static let lines = [
    #"{"rollcall-capture":1,"account":"alice@example.test/phone"}"#,
    #"{"t":1000,"dir":"out","xml":"<iq type='set' id='s'><query xmlns='jabber:iq:roster'><item jid='bob@example.test' name='Bob'/></query></iq>"}"#,
    #"{"t":5000,"dir":"out","xml":"<r xmlns='urn:xmpp:sm:3'/>"}"#,
    #"{"t":69000,"dir":"in","xml":"<a xmlns='urn:xmpp:sm:3' h='1'/>"}"#,
  ]

  private func log(_ lines: [String]) throws -> EventLog {
    let folder = try TemporaryFolder()
    let file = folder.file("capture.jsonl")
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
    let log = try EventLog.create(
      at: folder.file("log.rollcall"), eventVersion: RecordReader.version)
    var reading = CaptureImport(ImportOptions())
    _ = try reading.run(try #require(FileHandle(forReadingAtPath: file)), into: log)
    return log
  }

  @Test("A set is never answered, although no event follows it")
  func neverAnswered() throws {
    let log = try log(Self.lines)
    let timeline = Timeline(log)
    let findings = try timeline.findings()
    #expect(findings.map(\.code) == [.unansweredEdit])
    #expect(findings.first?.cause == 2 && findings.first?.record == 4)
    #expect(try CaptureReplay(of: log).findings == findings)
    #expect(try timeline.findings(upTo: .record(3)).isEmpty)
    let bob = bare("bob@example.test")
    let explanation = try #require(try timeline.explanation(of: bob)?.explanation)
    #expect(explanation.findings == findings)
    let page = try ReportPage(of: timeline).source
    #expect(page.contains("unanswered-edit") && page.contains("at the end"))
  }

  @Test("A log that has nothing of the server says nothing of its answers")
  func outboundOnly() throws {
    let timeline = Timeline(
      try log(
        Array(Self.lines.dropLast()) + [
          #"{"t":99000,"dir":"out","xml":"<r xmlns='urn:xmpp:sm:3'/>"}"#
        ]))
    #expect(try timeline.findings().isEmpty)
  }
}
