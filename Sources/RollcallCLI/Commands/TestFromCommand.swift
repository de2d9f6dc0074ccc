import ArgumentParser
import Captures
import Foundation
import Rollcall

struct TestFromCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "test-from",
    abstract:
      "Writes a test: the redacted capture, its expected results, and Swift code that checks them.",
    discussion: """
      The folder gets a native capture, its state and findings as JSON, and a Swift Testing suite \
      that is named after the folder. Put it into a test target that depends on the product \
      Rollcall. The capture has stand-ins for addresses, names, groups and texts, so that it is \
      safe to share.

      Examples:
        rollcall test-from debug.log -o Tests/AppTests/ForgedPush
        rollcall test-from alice.rollcall --at 120 -o Tests/AppTests/LostContact
        rollcall test-from debug.log --no-redact -o Tests/AppTests/Renamed
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: OutputOptions

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "The folder to write to; it is created if it does not exist.", valueName: "folder"),
    completion: .directory)
  var folder = "RosterReplay"

  @Flag(
    inversion: .prefixedNo, exclusivity: .exclusive,
    help: "Replace addresses, names, groups and texts with stand-ins.")
  var redact = true

  func run() throws {
    let opened = try source.open()
    let target = URL(filePath: folder, directoryHint: .isDirectory)
    let test = try opened.naming {
      try GeneratedTest(
        of: opened.timeline, upTo: source.point, name: target.lastPathComponent,
        redacts: redact, in: FileManager.default.temporaryDirectory)
    }
    let paths = try write(test, to: target)
    guard !output.json else {
      return try Terminal.say(
        .object([
          "files": JSONValue(paths), "records": .integer(Int64(test.records)),
          "findings": .integer(Int64(test.findings)), "redacted": .bool(redact),
        ]))
    }
    try Terminal.say(paths.map(\.visible))
    try Terminal.say(
      "\(test.records) records and \(test.findings) findings; put the folder into a test target "
        + "that depends on Rollcall")
    if !redact { Terminal.note("the capture has the real addresses, names and texts") }
  }

  /// Writes all files or none.
  private func write(_ test: GeneratedTest, to target: URL) throws -> [String] {
    let files = test.files.sorted { $0.key < $1.key }
    for (name, _) in files {
      let path = target.appending(path: name).path(percentEncoded: false)
      guard !FileManager.default.fileExists(atPath: path) else {
        throw Failure("\(path) exists already")
      }
    }
    var written: [URL] = []
    do {
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
      for (name, content) in files {
        let file = target.appending(path: name)
        written.append(file)
        try content.write(to: file)
      }
    } catch {
      for file in written { try? FileManager.default.removeItem(at: file) }
      throw Failure(error, in: folder)
    }
    return written.map { $0.relativePath }
  }
}
