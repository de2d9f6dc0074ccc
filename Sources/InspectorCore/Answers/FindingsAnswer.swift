import Captures
import Rollcall
import RosterCore

extension OpenLog {
  /// The most findings of one answer.
  private static let findingLimit = 1000

  /// `/api/findings`: what is odd, by record.
  func findingsAnswer(_ request: InspectorRequest) throws -> JSONValue {
    let first = try request.query["from"].map { _ in try record("from", of: request) } ?? 0
    let last = try record("to", of: request)
    let severity: Finding.Severity? = try request.choice("severity")
    let code: Finding.Code? = try request.choice("code")
    let all =
      index.findings.map { (finding: $0.finding, isOfEnd: false) }
      + ending.map { (finding: $0, isOfEnd: true) }
    let chosen = all.filter { finding, _ in
      (first...max(first, last)).contains(finding.record)
        && (severity == nil || finding.severity == severity)
        && (code == nil || finding.code == code)
    }
    let shown = chosen.prefix(Self.findingLimit)
    var people = People()
    return .object([
      "total": .integer(Int64(chosen.count)), "counts": findingCounts,
      "findings": .array(shown.map { document($0.finding, isOfEnd: $0.isOfEnd, &people) }),
      "guides": Self.guides(shown.map(\.finding.code)),
      "people": people.document(index.names),
      "complete": .bool(isComplete), "upTo": JSONValue(head),
    ])
  }
}
