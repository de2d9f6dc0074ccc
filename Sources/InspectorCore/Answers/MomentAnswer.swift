import Captures
import Rollcall

extension OpenLog {
  /// `/api/moment`: everything that a step on the page needs, in one answer.
  mutating func momentAnswer(_ request: InspectorRequest) throws -> JSONValue {
    let at = try record("at", of: request)
    let parts = (request.query["parts"] ?? "record,roster").split(separator: ",")
    var members: [String: JSONValue] = [
      "at": JSONValue(at), "head": JSONValue(head), "t": Self.number(time(of: at)),
      "complete": .bool(isComplete),
    ]
    for part in parts {
      switch part {
      case "record": members["record"] = try document(ofRecord: at) ?? .null
      case "roster":
        let rows = try request.rows("roster", atMost: Self.rowLimit) ?? 0..<60
        members["roster"] = try roster(at: at, rows, request)
      case "screen":
        let rows = try request.rows("screen", atMost: Self.rowLimit) ?? 0..<40
        members["screen"] = try screen(at: at, rows, request)
      case "diff":
        guard request.query["pin"] != nil else { continue }
        let rows = try request.rows("diff", atMost: Self.rowLimit) ?? 0..<100
        members["diff"] = try difference(from: record("pin", of: request), to: at, rows)
      default: throw Refusal.malformed("“\(part)” is no part: use record, roster, screen, diff")
      }
    }
    return .object(members)
  }

  /// The most rows that one answer has.
  static let rowLimit = 1000

  /// The rows that a request of its own asks for.
  func rows(_ request: InspectorRequest, first: Int) throws -> Range<Int> {
    let from = try request.number("from", in: 0...Int(UInt32.max)) ?? 0
    let count = try request.number("count", in: 0...Self.rowLimit) ?? first
    return from..<from + count
  }

  /// `/api/point`: the record that a text names.
  func pointAnswer(_ request: InspectorRequest) throws -> JSONValue {
    guard let text = request.query["text"], !text.isEmpty else {
      throw Refusal.malformed("text is missing")
    }
    let record = try record("text", of: request)
    return .object(["n": JSONValue(record), "t": Self.number(time(of: record))])
  }
}
