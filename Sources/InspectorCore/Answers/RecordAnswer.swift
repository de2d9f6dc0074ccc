import Captures
import EventStore
import Rollcall
import RosterCore
import XMPPStanza

extension OpenLog {
  /// The most bytes of a record that one answer has.
  private static let byteLimit = 64 << 10

  /// `/api/records/N`.
  mutating func recordAnswer(_ number: String, _ request: InspectorRequest) throws -> JSONValue {
    guard let record = UInt64(number) else { throw Refusal.malformed("“\(number)” is no record") }
    let bytes = try request.rows("bytes", atMost: Self.byteLimit)
    guard let document = try self.document(ofRecord: record, bytes: bytes) else {
      throw Refusal.noRecord(record, head: head)
    }
    return document
  }

  /// A record with what it did; nil if there is none.
  ///
  /// - Parameter range: The bytes to show; nil for the first ones.
  mutating func document(ofRecord record: UInt64, bytes range: Range<Int>? = nil) throws
    -> JSONValue?
  {
    guard record > 0, record <= head,
      let stored = try timeline.log.read({ try $0.record(at: record) })
    else { return nil }
    let stop = try stretches.stop(at: record)
    let header = stored.header
    var people = People()
    let clause =
      stop?.moment.subjectClause
      ?? SubjectClause(
        header, stored.bytes, element: element(stored), account: index.state.account)
    let outcome = stop?.moment.outcome ?? RosterOutcome()
    let roster = stop?.roster ?? Roster()
    people.add(outcome.changes.compactMap(\.contact))
    return content(stored, range).adding([
      "n": JSONValue(record), "t": Self.number(header.time),
      "sourceT": Self.number(header.sourceTime), "way": .string(header.direction.name),
      "kind": .string(index.flags[record].content.name),
      "c": .integer(Int64(header.connection)), "device": label(header.connection),
      "clause": document(clause, &people), "means": .bool(stop != nil),
      "changes": .array(outcome.changes.forPeople.map { JSONValue($0) }),
      "lines": .array(outcome.changes.digest.map { document($0, &people) }),
      "origins": documents(of: outcome.toldOrigins, roster, &people),
      "findings": .array(outcome.findings.map { document($0, &people) }),
      "guides": Self.guides(outcome.findings.map(\.code)),
      "entry": entry(of: record), "digest": .string("\(stored.pack.digest)"),
      "people": people.document(index.names),
    ])
  }

  private func element(_ stored: StoredRecord) -> XMPPElement? {
    stored.header.kind == .element ? RecordReader().element(stored.bytes) : nil
  }

  /// The bytes of a record, as XML or as the line of a native capture.
  private func content(_ stored: StoredRecord, _ range: Range<Int>?) -> JSONValue {
    let count = stored.bytes.count
    let start = min(range?.lowerBound ?? 0, count)
    let limit = min(range?.upperBound ?? Self.byteLimit, start + Self.byteLimit, count)
    var end = limit
    // A character of UTF-8, which has at most four bytes, is not cut, so that the parts make up the
    // whole. A record that cannot be read may have any bytes.
    let least = max(start + 1, limit - 3)
    while end < count, end > least, stored.bytes[end] & 0xC0 == 0x80 { end -= 1 }
    let isWhole = start == 0 && end == count
    let document = JSONValue(stored.header, Array(stored.bytes[start..<end]), kind: "")
    guard case .object(let members) = document else { return document }
    return .object([
      "xml": members["xml"] ?? .null, "line": members["line"] ?? .null,
      "bytes": .integer(Int64(count)), "from": .integer(Int64(start)), "cut": .bool(!isWhole),
    ])
  }

  /// The number of the entry of the plain story that has a record, or null.
  private func entry(of record: UInt64) -> JSONValue {
    guard let number = index.entry(atOrBefore: record), index.entry(number).last >= record,
      index.tells(record)
    else { return .null }
    return .integer(Int64(number))
  }
}
