import Foundation
import TestSupport
import Testing

/// A log that each format version has written is kept, and read for ever.
@Suite("Logs of every format version") struct FormatTests {
  @Test("A log of every format version is read as the capture it was made of", arguments: [1])
  func read(_ version: Int) throws {
    let folder = try TemporaryFolder()
    let kept = CaptureCase.fixtures.appending(path: "formats/\(version).rollcall")
    try FileManager.default.copyItem(
      at: kept, to: URL(filePath: folder.file("kept.rollcall")))
    let capture = CaptureCase.fixtures.appending(path: "captures/raw-pending-both/capture.log")
    // The last record of the log is a bookmark, which the capture does not have.
    let records =
      try Program("log", capture.path(percentEncoded: false), "--json").document["records"]
      as? [Any]
    let end = try #require(records).count
    for command in ["state", "requests", "findings", "replay"] {
      let log = try Program(
        command, "kept.rollcall", "--at", "\(end)", "--json", in: folder.path)
      #expect(log.code == 0, "\(log.errors)")
      #expect(
        log.output == (try Program(command, capture.path(percentEncoded: false), "--json").output))
    }
    let marked = try Program(
      "requests", "kept.rollcall", "--at", "denied", "--json", in: folder.path)
    #expect(try marked.document["at"] as? Int == 17)
    let verified = try Program("verify", "kept.rollcall", in: folder.path)
    #expect(verified.code == 0, "\(verified.output)\(verified.errors)")
  }
}
