import Captures
import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A draft log with the contents of a capture, all of which must be readable.
func importedLog(
  of path: String, _ account: String?, in folder: TemporaryFolder
) throws -> EventLog {
  let log = try EventLog.draft(
    for: folder.file("\(UUID()).rollcall"), eventVersion: RecordReader.version)
  var reading = CaptureImport(ImportOptions(account: try account.map { try BareJID(parsing: $0) }))
  let file = try FileHandle(forReadingFrom: URL(filePath: path))
  let summary = try reading.run(file, into: log)
  #expect(summary.problemCount == 0)
  return log
}

/// A dialogue of random lines.
func randomScenario(seed: UInt64, lines: Int) -> Scenario {
  var scenario = Scenario()
  var fuzzer = StanzaFuzzer(seed: seed)
  for _ in 0..<lines { fuzzer.step(&scenario) }
  return scenario
}

/// A log of the lines of a dialogue.
func log(of scenario: Scenario, in folder: TemporaryFolder) throws -> EventLog {
  let log = try EventLog.create(
    at: folder.file("\(UUID()).rollcall"), eventVersion: RecordReader.version)
  try log.append(scenario.wire.map(RecordDraft.init))
  return log
}

extension RecordDraft {
  /// The record of a line.
  init(_ line: Scenario.WireLine) {
    let (kind, direction, bytes): (RecordKind, RecordDirection, [UInt8])
    switch line.content {
    case .element(let side, let xml):
      (kind, direction, bytes) =
        element(xml).is("stream", in: Namespace.streams)
        ? (.streamHeader, RecordDirection(side), Array(xml.utf8))
        : (.element, RecordDirection(side), Array(xml.utf8))
    case .session(.captureBegan(let account, let inboundOnly)):
      let line = Lifecycle.header(account: account, inboundOnly: inboundOnly)
      (kind, direction, bytes) = (.lifecycle, .none, line.bytes)
    case .session(.opened(let jid, _, _)):
      (kind, direction, bytes) = (.lifecycle, .none, Lifecycle.opened(jid).bytes)
    case .session(.resumed(let jid, _)):
      (kind, direction, bytes) = (.lifecycle, .none, Lifecycle.resumed(jid).bytes)
    case .session(.closed(isLost: true)):
      (kind, direction, bytes) = (.lifecycle, .none, Lifecycle.closed(reason: nil).bytes)
    case .session(.ended(let side)):
      (kind, direction, bytes) =
        (.streamEnd, RecordDirection(side), Array("</stream:stream>".utf8))
    case .annotation(let annotation):
      (kind, direction, bytes) = (.annotation, .none, AnnotationLine(annotation).bytes)
    case .session(let event):
      preconditionFailure("no line of a dialogue makes \(event)")
    }
    self.init(
      time: line.time, direction: direction, kind: kind, connection: line.connection.number,
      bytes: bytes,
      decoded: RecordReader().decode(kind, direction, bytes))
  }
}

/// Expects that each transition of conditions on the log's contacts that a replay shows is found.
func expectEveryTurn(in timeline: Timeline) throws {
  var rosters: [Roster] = [Roster()]
  try timeline.replay(upTo: .head(minus: 0)) { _, roster in rosters.append(roster) }
  let last = try timeline.record(at: .head(minus: 0))
  let contacts = Set(rosters.flatMap { $0.entries.map(\.key) + Array($0.incoming.keys) })
  let conditions =
    contacts.sorted().prefix(6).flatMap { contact in
      [RosterCondition.missing(contact), .friend(contact), .pending(contact)]
    } + [.friendCount(.atLeast, 1), .friendCount(.equal, 2)]
  for condition in conditions {
    let course = try timeline.course(of: condition, after: 0, upTo: last)
    let held = rosters.map { condition.holds(in: $0, mayBePartial: course.isPartial) }
    let expected = zip(rosters.dropFirst(), zip(held, held.dropFirst()))
      .filter { $0.1.0 != $0.1.1 }.map(\.0.position)
    #expect(course.transitions.map(\.record) == expected, "\(condition.clause)")
  }
}
