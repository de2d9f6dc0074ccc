import Foundation
import Testing

@Suite("The reading tables")
struct GeneratorTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static let hasInput =
    FileManager.default.fileExists(atPath: "/usr/share/unicode/Unihan_Readings.txt.bz2")
    && FileManager.default.isExecutableFile(atPath: "/usr/bin/env")
    && run(["python3", "-c", "pass"])

  private static func run(_ arguments: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  @Test(
    "Generating them again gives the same bytes",
    .enabled(if: hasInput, "needs Debian's package unicode-data, and Python 3"))
  func regenerates() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "readings-\(ProcessInfo.processInfo.processIdentifier)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try #require(
      Self.run([
        Self.root.appending(path: "tools/generate-readings").path(percentEncoded: false),
        folder.path(percentEncoded: false),
      ]))
    for name in ["HanTable.swift", "FoldTable.swift", "WordTable.swift"] {
      let kept = Self.root.appending(path: "Sources/ContactSections/Generated/\(name)")
      #expect(
        try Data(contentsOf: folder.appending(path: name)) == Data(contentsOf: kept), "\(name)")
    }
  }
}
