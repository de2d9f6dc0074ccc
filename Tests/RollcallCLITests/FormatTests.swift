import Foundation
import TestSupport
import Testing

/// A log of each format version is kept: those that a release wrote must stay readable forever.
@Suite("Logs of every format version") struct FormatTests {
  @Test(
    "A log of an unreleased format is refused by every command, with advice",
    arguments: [1, 2])
  func refused(format: Int) throws {
    let folder = try TemporaryFolder()
    let kept = CaptureCase.fixtures.appending(path: "formats/\(format).rollcall")
    try FileManager.default.copyItem(at: kept, to: URL(filePath: folder.file("kept.rollcall")))
    for command in ["state", "requests", "findings", "replay", "export", "bookmark"] {
      let log = try Program(command, "kept.rollcall", in: folder.path)
      #expect(log.code == 2, "\(command)")
      #expect(log.output.isEmpty, "\(command)")
      #expect(
        log.errors.contains("kept.rollcall: this log is of format \(format)"),
        "\(command): \(log.errors)")
      #expect(log.errors.contains("import its capture again"), "\(command): \(log.errors)")
    }
    let capture = CaptureCase.fixtures.appending(path: "captures/raw-presence-first/capture.log")
    let added = try Program(
      "import", capture.path(percentEncoded: false), "-o", "kept.rollcall", in: folder.path)
    #expect(added.code == 2)
    #expect(
      added.errors.contains("kept.rollcall: this log is of format \(format)"), "\(added.errors)")
  }

  @Test(
    "A log of a format that is read answers as its capture does",
    arguments: [(3, "captures/raw-pending-both/capture.log"), (4, "formats/4.jsonl")])
  func read(format: Int, captured: String) throws {
    let folder = try TemporaryFolder()
    let kept = CaptureCase.fixtures.appending(path: "formats/\(format).rollcall")
    try FileManager.default.copyItem(at: kept, to: URL(filePath: folder.file("kept.rollcall")))
    let capture = CaptureCase.fixtures.appending(path: captured).path(percentEncoded: false)
    for arguments in [["state", "--json"], ["findings", "--json"], ["log", "--jsonl"]] {
      let (command, options) = (arguments[0], Array(arguments.dropFirst()))
      let log = try Program([command, "kept.rollcall"] + options, in: folder.path)
      let direct = try Program([command, capture] + options, in: folder.path)
      #expect(log.code == 0 && log.output == direct.output, "\(command): \(log.errors)")
    }
    let again = try Program(["import", capture, "-o", "kept.rollcall"], in: folder.path)
    #expect(again.code == 0, "\(again.errors)")
    let verified = try Program(["verify", "kept.rollcall"], in: folder.path)
    #expect(verified.code == 0, "\(verified.errors)")
  }
}
