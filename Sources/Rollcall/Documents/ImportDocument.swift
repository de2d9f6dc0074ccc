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
    self = .object([
      "capture": .string(path), "format": .string(summary.format.id),
      "account": JSONValue(summary.account?.text), "records": .integer(Int64(summary.records)),
      "new": .integer(Int64(summary.records - summary.known)),
      "known": .integer(Int64(summary.known)),
      "problems": .integer(Int64(summary.problemCount)),
    ])
  }
}
