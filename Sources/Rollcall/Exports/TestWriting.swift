import EventStore
package import Foundation
import RosterCore

/// A test made from a log: a capture, its expected results, and a Swift Testing file that checks
/// them.
package struct GeneratedTest: Sendable {
  /// The name of the suite's type, without `Tests`; the files are named after it.
  package let name: String
  /// The contents of the files, by name.
  package let files: [String: Data]
  /// The number of lines of the capture besides its header.
  package let records: Int
  /// The number of expected findings.
  package let findings: Int

  /// Makes a test from a log up to a point.
  ///
  /// The expected results are those of the written capture, not those of the log, because a
  /// redacted capture has other names.
  /// - Parameters:
  ///   - name: Any text; characters that cannot be part of a type's name are left out.
  ///   - redacts: Whether stand-ins replace addresses, names and texts.
  ///   - directory: The directory for temporary files.
  package init(
    of timeline: Timeline, upTo point: LogPoint, name: String, redacts: Bool, in directory: URL
  ) throws {
    let part = try EventLog.unnamed(
      in: directory.path(percentEncoded: false), eventVersion: RecordReader.version)
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

  /// The letters and digits of a text, with each word capitalized: `forged-push` is `ForgedPush`.
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

    /// Checks the results of the \(records) records of \(name).jsonl.
    ///
    /// Written by `rollcall test-from`. The two JSON files next to it have the results that
    /// Rollcall gave then. If these results are the bug, correct the files: the test then fails
    /// until the bug is fixed.
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
