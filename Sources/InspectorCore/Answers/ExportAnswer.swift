import Captures
import EventStore
import Foundation
import Rollcall
import RosterCore

/// The forms in which a log can be taken along.
private enum ExportKind: String, CaseIterable {
  case native, redacted, report, json
}

/// A file that is made of a log, after the log has been asked what it takes.
struct LogFile: Sendable {
  fileprivate let kind: ExportKind
  fileprivate let timeline: Timeline
  fileprivate let title: String
  /// The point up to which a report goes.
  fileprivate let at: UInt64
  /// The records of the list that `json` is of.
  fileprivate let records: [UInt64]

  /// The file.
  ///
  /// Complexity: linear in the records; the whole answer is held in memory.
  func answer() throws -> InspectorAnswer {
    var body: [UInt8] = []
    let name = Self.fileName(title)
    switch kind {
    case .native:
      _ = try LogExport(timeline.log, narrowedTo: timeline.connection).writeNative { body += $0 }
      return Self.file(body, "application/jsonl", "\(name).jsonl")
    case .redacted:
      _ = try LogExport(timeline.log, narrowedTo: timeline.connection).writeRedacted { body += $0 }
      // The name of the file may identify a person, too.
      return Self.file(body, "application/jsonl", "redacted.jsonl")
    case .report:
      let report = try Report(of: timeline, upTo: .record(at), name: title, zone: .utc)
      try report.write { body += $0 }
      return Self.file(body, "text/html; charset=utf-8", "\(name).html")
    case .json:
      try timeline.moments(of: records) { moment, _ in
        JSONValue(moment).write(to: &body)
        body.append(UInt8(ascii: "\n"))
      }
      return Self.file(body, "application/jsonl", "\(name).story.jsonl")
    }
  }

  private static func file(_ body: [UInt8], _ type: String, _ name: String) -> InspectorAnswer {
    InspectorAnswer(contentType: type, body: body, fileName: name)
  }

  /// A title as the name of a file: letters, digits and a few signs of ASCII.
  private static func fileName(_ title: String) -> String {
    let name = title.prefix { $0 != " " }.map { character in
      character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
        ? character : "_"
    }
    return name.isEmpty ? "log" : String(name.prefix(80))
  }
}

extension OpenLog {
  /// `/api/export`: the log as a native capture, the same with stand-ins, a report, or the records
  /// of a list as JSON Lines. The file is made afterward, while the log answers other requests.
  mutating func export(_ request: InspectorRequest) throws -> LogFile {
    let kind: ExportKind = try request.choice("kind") ?? .native
    try requireAll()
    return LogFile(
      kind: kind, timeline: timeline, title: title, at: try record("at", of: request),
      records: kind == .json ? try records(ofView: request.query["view"] ?? "story") : [])
  }

  /// The records of a list, those inside folds included.
  private mutating func records(ofView name: String) throws -> [UInt64] {
    let view = try view(name)
    return (0..<view.count(in: index)).flatMap { number in
      let entry = view.entry(number, in: index)
      return entry.isFold ? (entry.first...entry.last).filter(index.tells) : [entry.first]
    }
  }
}
