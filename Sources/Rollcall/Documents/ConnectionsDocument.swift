package import Captures
package import XMPPStanza

extension JSONValue {
  /// An account, its connections, and the captures that they were found in, as
  /// `rollcall connections --json` lists them.
  ///
  /// - Parameter log: The path of the log; nil if captures were read.
  package init(
    _ connections: [ConnectionStory], of account: BareJID?,
    in files: [(path: String, summary: ImportSummary)], log: String?
  ) {
    let found = files.map { path, summary in
      JSONValue.object([
        "capture": .string(path), "format": .string(summary.format.id),
        "records": .integer(Int64(summary.records)),
        "problems": .integer(Int64(summary.problemCount)),
      ])
    }
    self = .object([
      "account": JSONValue(account?.text), "connections": .array(connections.map { JSONValue($0) }),
      "captures": .array(found), "log": JSONValue(log),
    ])
  }

  /// What an error says.
  package init(_ report: ErrorReport) {
    self = .object(["condition": JSONValue(report.condition), "text": JSONValue(report.text)])
  }

  private init(_ story: ConnectionStory) {
    self = .object([
      "id": .integer(Int64(story.id.number)), "name": JSONValue(story.name),
      "resource": JSONValue(story.resources.last), "resources": JSONValue(story.resources),
      "first": JSONValue(story.first.record), "firstTime": JSONValue(time: story.first.time),
      "last": JSONValue(story.last.record), "lastTime": JSONValue(time: story.last.time),
      "end": .string(story.end.rawValue),
      "error": story.failure.map { JSONValue($0) } ?? .null,
      "reason": JSONValue(story.reason),
    ])
  }
}
