import Foundation
import TestSupport
import Testing

/// The README shows what the program prints.
@Suite struct ReadmeTests {
  private let readme: String
  private let capture = CaptureCase.fixtures
    .appending(path: "captures/raw-pending-both/capture.log").path()

  init() throws {
    let root = CaptureCase.fixtures.deletingLastPathComponent().deletingLastPathComponent()
    readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
  }

  /// The output as the README sets it: four spaces in front of each line that is not empty.
  private func set(_ output: String) -> String {
    output.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n")
  }

  @Test("The replay in the README is the program's", arguments: [["replay"], ["state", "--json"]])
  func output(_ command: [String]) throws {
    let run = try Program([command[0], capture] + command.dropFirst())
    #expect(run.code == 0)
    #expect(!run.output.isEmpty)
    #expect(readme.contains(set(run.output)))
  }
}
