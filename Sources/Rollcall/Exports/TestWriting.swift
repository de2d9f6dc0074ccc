import EventStore
package import Foundation
import RosterCore

/// A test made of a log: a capture, what it comes to, and a Swift Testing file that checks it.
package struct GeneratedTest: Sendable {
  /// The name of the suite's type, without `Tests`; the files are named after it.
  package let name: String
  /// The files by their names.
  package let files: [String: Data]
  /// How many lines the capture has beside its header.
  package let records: Int
  /// How many findings are expected.
  package let findings: Int

  /// Makes a test of what a log holds up to a point.
  ///
  /// The expectation is what the written capture comes to, not what the log does: a redacted one
  /// names other people.
  /// - Parameters:
  ///   - name: any text; what cannot be part of a type's name is left out of it.
  ///   - redacts: whether stand-ins take the place of addresses, names and texts.
  ///   - directory: where temporary files may be made.
  package init(
    of timeline: Timeline, upTo point: LogPoint, name: String, redacts: Bool, in directory: URL
  ) throws {
    let part = try EventLog.unnamed(
      in: directory.path(percentEncoded: false), eventVersion: DecodedRecord.version)
    let whole = try Branch(of: timeline, upTo: point, edits: BranchEdits(), policy: .strict)
    try whole.write(to: part)
    let export = LogExport(part, narrowedTo: timeline.connection)
    let capture = try Self.capture(export, redacts: redacts)
    let name = Self.typeName(name)
    let file = directory.appending(path: "\(name)-\(UUID()).jsonl")
    defer { try? FileManager.default.removeItem(at: file) }
    try capture.write(to: file)
    let replay = try CaptureReplay(file, directory: directory)
    self.name = name
    records = Int(clamping: replay.roster.position)
    findings = replay.findings.count
    files = [
      "\(name).jsonl": capture,
      "\(name).state.json": Data((replay.stateDocument + "\n").utf8),
      "\(name).findings.json": Data((replay.findingsDocument + "\n").utf8),
      "\(name)Tests.swift": Data(Self.source(name, records: records).utf8),
    ]
  }

  private static func capture(_ export: LogExport, redacts: Bool) throws -> Data {
    var capture = Data()
    if redacts {
      _ = try export.writeRedacted { capture.append(contentsOf: $0) }
    } else {
      _ = try export.writeNative { capture.append(contentsOf: $0) }
    }
    return capture
  }

  /// Letters and digits, each word with a capital: `forged-push` is `ForgedPush`.
  static func typeName(_ text: String) -> String {
    let words = text.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
    let name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    guard let first = name.first else { return "RosterReplay" }
    return first.isNumber ? "Replay" + name : name
  }

  private static func source(_ name: String, records: Int) -> String {
    """
    import Foundation
    import Rollcall
    import Testing

    /// What the \(records) records of \(name).jsonl come to.
    ///
    /// Written by `rollcall test-from`. The two JSON files beside it hold what Rollcall made of
    /// the capture then. Where that is the bug, correct them to what is right: the test fails
    /// until it is.
    @Suite struct \(name)Tests {
      private func file(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: name)
      }

      @Test("The capture gives the expected contacts, requests, presence and blocking")
      func state() throws {
        let replay = try CaptureReplay(file("\(name).jsonl"))
        #expect(try replay.stateDifferences(from: file("\(name).state.json")) == [])
      }

      @Test("The capture gives the expected findings")
      func findings() throws {
        let replay = try CaptureReplay(file("\(name).jsonl"))
        #expect(try replay.findingDifferences(from: file("\(name).findings.json")) == [])
      }
    }

    """
  }
}
