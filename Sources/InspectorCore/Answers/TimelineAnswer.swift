import Captures
import Rollcall

extension OpenLog {
  private static let columnLimit = 4096

  /// `/api/timeline`: how many records fall into each column of a picture; `/api/timeline/at`: the
  /// record at a time.
  func timelineAnswer(_ rest: [String], _ request: InspectorRequest) throws -> JSONValue {
    if rest == ["at"] { return try recordAtTime(request) }
    guard rest.isEmpty else { throw Refusal.noSuchPath }
    let columns = try request.number("columns", in: 1...Self.columnLimit) ?? 335
    let isOfTime = index.flags.hasTimes && request.query["axis"] != "record"
    if let axis = request.query["axis"], axis != "time", axis != "record" {
      throw Refusal.malformed("axis is time or record")
    }
    let limits = isOfTime ? timeLimits : (1, Int64(max(head, 1)))
    let from = try request.number("from", in: -(1 << 53)...1 << 53).map { Int64($0) } ?? limits.0
    let to = try request.number("to", in: -(1 << 53)...1 << 53).map { Int64($0) } ?? limits.1
    guard from <= to else { throw Refusal.malformed("from is after to") }
    let starts = (0...columns).map { column in
      // Multiplied first, so that the columns differ by one at most.
      let offset = (to - from + 1).multipliedFullWidth(by: Int64(column))
      let edge = from + Int64(columns).dividingFullWidth(offset).quotient
      return isOfTime ? index.flags.firstRecord(atOrAfter: edge) : record(atOrAfter: edge)
    }
    return counts(starts).adding([
      "axis": .string(isOfTime ? "time" : "record"), "from": .integer(from), "to": .integer(to),
      "columns": .integer(Int64(columns)), "complete": .bool(isComplete), "upTo": JSONValue(head),
    ])
  }

  private var timeLimits: (Int64, Int64) {
    guard head > 0, let first = index.flags.clock(of: 1), let last = index.flags.clock(of: head)
    else { return (0, 0) }
    return (first, last)
  }

  private func record(atOrAfter number: Int64) -> UInt64 {
    number < 1 ? 1 : min(UInt64(number), head + 1)
  }

  /// - Parameter starts: The first record of each column, and the one after the last column.
  private func counts(_ starts: [UInt64]) -> JSONValue {
    var (all, lasting, worst) = ([JSONValue](), [JSONValue](), [JSONValue]())
    var findings = index.findings[...]
    for (start, end) in zip(starts, starts.dropFirst()) {
      findings = findings.drop { $0.record < start }
      let here = findings.prefix { $0.record < end }
      all.append(.integer(Int64(end - start)))
      lasting.append(.integer(Int64(index.flags.lasting(in: start..<end))))
      worst.append(.integer(Int64(here.map { $0.finding.severity.weight + 1 }.max() ?? 0)))
    }
    return .object([
      "all": .array(all), "lasting": .array(lasting), "worst": .array(worst),
      "first": .array(starts.dropLast().map { JSONValue($0) }),
    ])
  }

  private func recordAtTime(_ request: InspectorRequest) throws -> JSONValue {
    guard let time = try request.number("t", in: -(1 << 53)...1 << 53) else {
      throw Refusal.malformed("t is missing")
    }
    guard index.flags.hasTimes else {
      throw Refusal(400, "no-such-point", "the records have no times")
    }
    return .object(["n": JSONValue(index.flags.firstRecord(atOrAfter: Int64(time) + 1) - 1)])
  }
}
