import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// The findings of real captures, with our judgement of each.
@Suite("Findings of real captures") struct JudgedFindingsTests {
  private static let fixtures = CaptureCase.fixtures

  /// Every capture of the fixtures that can be read by itself.
  private static let files: [String] = {
    let all =
      FileManager.default.enumerator(
        at: fixtures, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    let parts = fixtures.pathComponents.count
    return all.map { $0.pathComponents.dropFirst(parts).joined(separator: "/") }
      .filter { path in
        let name = path.split(separator: "/").last ?? ""
        let isCapture = path.hasPrefix("captures/") && name.hasSuffix(".log")
        let isDevices =
          path.hasPrefix("devices/") && (name == "server.log" || name == "merged.jsonl")
        let isLog =
          path.hasPrefix("logs/") && name.contains(".") && !name.hasSuffix(".json")
          && !name.hasSuffix(".md")
        return isCapture || isDevices || isLog
      }
      .sorted()
  }()

  private func judged() throws -> [[String]] {
    try String(contentsOf: Self.fixtures.appending(path: "findings/judged.tsv"), encoding: .utf8)
      .split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
  }

  @Test("Each finding was judged", arguments: files)
  func each(_ path: String) throws {
    let expected = try judged().filter { $0[0] == path }.map { $0.prefix(5).joined(separator: " ") }
    #expect(try found(path).sorted() == expected.sorted())
  }

  @Test("The list has only existing captures and the four judgements")
  func list() throws {
    let lines = try judged()
    #expect(lines.count > 75)
    #expect(Self.files.count > 40)
    #expect(Set(lines.map { $0[0] }).isSubset(of: Self.files))
    for line in lines {
      let severity = try #require(Finding.Code(rawValue: line[3])).severity
      #expect(line.count == 6)
      #expect(["useful", "true", "noise"].contains(line[5]))
      if line[5] == "noise" { #expect(severity == .info, "\(line)") }
    }
  }

  private func found(_ path: String) throws -> [String] {
    let folder = try TemporaryFolder()
    let url = Self.fixtures.appending(path: path)
    func findings(_ account: BareJID?) throws -> [String] {
      let log = try EventLog.create(
        at: folder.file("\(UUID()).rollcall"), eventVersion: RecordReader.version)
      var reading = CaptureImport(ImportOptions(account: account))
      let summary = try reading.run(try FileHandle(forReadingFrom: url), into: log)
      let replay = try CaptureReplay(of: log)
      return replay.findings.map { finding in
        let words = [
          path, summary.account?.text ?? "-", "\(finding.record)", finding.code.rawValue,
          finding.contact?.text ?? "-",
        ]
        return words.joined(separator: " ")
      }
    }
    do {
      return try findings(nil)
    } catch ImportError.severalAccounts(let accounts) {
      return try accounts.flatMap { try findings($0) }
    } catch is ImportError {
      // A file that cannot be read by itself has no findings.
      return []
    }
  }
}
