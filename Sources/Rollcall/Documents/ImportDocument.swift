package import Captures
import XMPPStanza

extension JSONValue {
  /// A format of captures as `rollcall formats --json` lists it.
  package init(_ format: CaptureFormat) {
    self = .object([
      "format": .string(format.id), "writtenBy": .string(format.title),
      "howTo": .string(format.howTo), "tested": .bool(format.isTested),
    ])
  }

  /// What came of a capture, as `rollcall import --json` lists it.
  package init(_ summary: ImportSummary, path: String) {
    var members: [String: JSONValue] = [
      "capture": .string(path), "format": .string(summary.format.id),
      "account": JSONValue(summary.account?.text), "records": .integer(Int64(summary.records)),
      "new": .integer(Int64(summary.records - summary.known)),
      "known": .integer(Int64(summary.known)),
      "problems": .integer(Int64(summary.problemCount)),
    ]
    members["unread"] = JSONValue(unreadIn: [(path, summary)])
    self = .object(members)
  }

  /// How many lines of captures hold the beginning of a stanza and are no part of any record, and
  /// the first of them; nil if there are none.
  package init?(unreadIn files: [(path: String, summary: ImportSummary)]) {
    let found = files.filter { $0.summary.unread.count > 0 }
    guard let first = found.first, let line = first.summary.unread.first else { return nil }
    self = .object([
      "count": .integer(Int64(found.reduce(0) { $0 + $1.summary.unread.count })),
      "first": .string("\(first.path):\(line)"),
    ])
  }
}
