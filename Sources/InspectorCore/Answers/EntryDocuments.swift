import Captures
import EventStore
import RawBytes
import Rollcall
import RosterCore
import XMPPStanza

extension OpenLog {
  /// Entries of a list, with the words of their records.
  ///
  /// Complexity: linear in the events from the snapshot before the first one to the last one,
  /// unless they lie far apart.
  func documents(of entries: [StoryIndex.Entry], _ people: inout People) throws -> [JSONValue] {
    let records = entries.flatMap { entry in
      entry.isFold ? (entry.first...entry.last).filter(index.tells) : [entry.first]
    }
    var told: [UInt64: Timeline.Moment] = [:]
    try timeline.moments(of: records) { moment, _ in told[moment.stamp.record] = moment }
    let plain = entries.filter { !$0.isFold && told[$0.first] == nil }.map(\.first)
    let clauses = try self.clauses(ofPlain: plain)
    return entries.map { entry in
      if entry.isFold { return fold(entry, told, &people) }
      let record = entry.first
      if let moment = told[record] { return document(moment, &people) }
      return common(record, record, 1, clauses[record]?.time).adding([
        "lastT": Self.number(clauses[record]?.time),
        "clause": document(clauses[record]?.clause ?? SubjectClause(""), &people),
      ])
    }
  }

  /// What records are that mean nothing to the roster.
  private func clauses(
    ofPlain records: [UInt64]
  ) throws -> [UInt64: (clause: SubjectClause, time: Int64?)] {
    let reader = RecordReader()
    var clauses: [UInt64: (clause: SubjectClause, time: Int64?)] = [:]
    try timeline.log.read { transaction in
      try transaction.forEachRecord(of: records) { header, span in
        let bytes = [UInt8](span)
        let element = header.kind == .element ? reader.element(bytes) : nil
        clauses[header.sequence] = (
          SubjectClause(header, bytes, element: element, account: index.state.account), header.time
        )
      }
    }
    return clauses
  }

  /// One record that means something to the roster.
  private func document(_ moment: Timeline.Moment, _ people: inout People) -> JSONValue {
    let record = moment.stamp.record
    let findings = moment.outcome.findings.map { finding in
      JSONValue.object([
        "code": .string(finding.code.rawValue), "severity": .string(finding.severity.rawValue),
        "title": .string(finding.code.title), "record": JSONValue(finding.record),
      ])
    }
    return common(record, record, 1, moment.stamp.time).adding([
      "lastT": Self.number(moment.stamp.time),
      "clause": document(moment.subjectClause, &people),
      "lines": .array(moment.tells ? moment.shownLines.map { document($0, &people) } : []),
      "findings": .array(findings),
    ])
  }

  private func fold(
    _ entry: StoryIndex.Entry, _ told: [UInt64: Timeline.Moment], _ people: inout People
  ) -> JSONValue {
    let moments = (entry.first...entry.last).compactMap { told[$0] }
    let burst = PresenceBurst(moments)
    return common(entry.first, entry.last, entry.records, moments.first?.stamp.time).adding([
      "lastT": Self.number(moments.last?.stamp.time),
      "clause": document(SubjectClause(burst?.clause ?? ""), &people),
      "fold": .object([
        "contacts": .integer(Int64(burst?.contacts.count ?? 0)),
        "came": .integer(Int64(burst?.came ?? 0)), "went": .integer(Int64(burst?.went ?? 0)),
        "changed": .integer(Int64(burst?.changed ?? 0)),
        "own": .integer(Int64(burst?.ownChanges ?? 0)),
      ]),
    ])
  }

  /// What every entry has.
  private func common(
    _ first: UInt64, _ last: UInt64, _ records: Int, _ time: Int64?
  ) -> JSONValue {
    let flags = index.flags[first]
    let connection = index.flags.connection(of: first)
    return .object([
      "n": JSONValue(first), "last": JSONValue(last), "records": .integer(Int64(records)),
      "t": Self.number(time), "way": .string(flags.direction.name),
      "c": .integer(Int64(connection)), "device": label(connection),
      "kind": .string(flags.content.name), "lasting": .bool(flags.isLasting),
      "lines": .array([]), "more": .integer(0), "findings": .array([]), "fold": .null,
    ])
  }
}
