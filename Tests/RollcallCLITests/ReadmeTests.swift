import Foundation
import TestSupport
import Testing

/// Checks that the program prints what the README shows.
@Suite("Program output in the README") struct ReadmeTests {
  private let readme: String
  private let capture = CaptureCase.fixtures
    .appending(path: "captures/raw-pending-both/capture.log").path(percentEncoded: false)

  init() throws {
    let root = CaptureCase.fixtures.deletingLastPathComponent().deletingLastPathComponent()
    readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
  }

  /// The output as the README formats it: nonempty lines are indented by four spaces.
  private func set(_ output: String) -> String {
    output.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n")
  }

  @Test("The contacts screen and the readings in the README are the program's")
  func contacts() throws {
    let capture = CaptureCase.fixtures.appending(path: "captures/raw-presence-first/capture.log")
    let names = ["曾国藩", "曾经沧海", "单雄信", "单车", "重庆", "重要", "长孙无忌", "區楚良", "Ærø"]
    for command in [
      ["sections", capture.path(percentEncoded: false), "--at", "17"], ["pinyin"] + names,
    ] {
      let run = try Program(command)
      #expect(run.code == 0)
      #expect(readme.contains(set(run.output)), "\(command[0])")
    }
    #expect(readme.contains("rollcall pinyin \(names.joined(separator: " "))"))
  }

  @Test("The readings in the library's documentation are the program's")
  func article() throws {
    let article = CaptureCase.fixtures.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Sources/Rollcall/Rollcall.docc/ContactsScreen.md")
    let names = ["曾国藩", "曾经沧海", "单雄信", "单车"]
    let run = try Program(["pinyin"] + names)
    let text = try String(contentsOf: article, encoding: .utf8)
    #expect(
      text.contains("    $ rollcall pinyin \(names.joined(separator: " "))\n\(set(run.output))"))
  }

  @Test("The replay in the README is the program's", arguments: [["replay"], ["state", "--json"]])
  func output(_ command: [String]) throws {
    let run = try Program([command[0], capture] + command.dropFirst())
    #expect(run.code == 0)
    #expect(!run.output.isEmpty)
    #expect(readme.contains(set(run.output)))
  }
}
