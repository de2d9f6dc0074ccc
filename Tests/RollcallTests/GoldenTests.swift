import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing

/// The digests that every process must compute: of the chain of records, and of the canonical final
/// state.
@Suite("The encoding of states and events is stable") struct GoldenTests {
  private static let path = CaptureCase.fixtures.appending(path: "golden/digests.txt").path(
    percentEncoded: false)

  /// The versions of all code that the digest of a state depends on.
  private static let versions =
    "events \(RecordReader.version), reducer \(RosterReducer.version), "
    + "codec \(Roster.codecVersion)"

  private func lines() throws -> [String] {
    let folder = try TemporaryFolder()
    return try CaptureCase.all.map { test in
      let log = try importedLog(of: test.path, test.account, in: folder)
      let chain = try log.read { try $0.record(at: $0.lastSequence)?.pack.digest.description }
      let state = try Timeline(log).state(at: .head(minus: 0)).roster.canonicalBytes
      return "\(test.name) \(test.account) \(chain ?? "") \(LogDigest(of: state.span.bytes))"
    }
  }

  @Test("Real sessions have the stored digests")
  func digests() throws {
    let kept = try String(contentsOfFile: Self.path, encoding: .utf8)
      .split(separator: "\n").map(String.init)
    let now = [Self.versions] + (try lines())
    guard kept != now else { return }
    let text = now.joined(separator: "\n")
    if kept.first == now.first {
      Issue.record(
        """
        The digests have moved, and no version has: raise RosterReducer.version, \
        Roster.codecVersion or EventEncoder.version. New records or captures alone need a \
        new table:
        \(text)
        """)
    } else {
      Issue.record("The versions have moved. If that is meant, the table is now:\n\(text)")
    }
  }
}
