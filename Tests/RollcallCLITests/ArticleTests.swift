import Foundation
import TestSupport
import Testing

/// What the texts show of the program is what it prints.
@Suite("What the texts show of the program") struct ArticleTests {
  /// The texts, with how many commands each shows.
  static let texts = [
    ("Sources/Rollcall/Rollcall.docc/FindingARosterBug.md", 11), ("README.md", 6),
  ]

  private static let root = CaptureCase.fixtures.deletingLastPathComponent()
    .deletingLastPathComponent()
  /// Where the texts say that the commands run.
  private static let captures = CaptureCase.fixtures.appending(path: "captures").path(
    percentEncoded: false)

  /// A command that a text shows, with the output that it shows below it.
  private struct Shown {
    let command: String
    var output: [String] = []
  }

  /// The code blocks that begin with `$ rollcall`, without their indentation. A block reaches to
  /// the next line that is not indented.
  private func shown(in text: String) -> [Shown] {
    var found: [Shown] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("    $ rollcall ") {
        found.append(Shown(command: String(line.dropFirst("    $ ".count))))
        isInside = true
      } else if !line.isEmpty, !line.hasPrefix("    ") {
        isInside = false
      } else if isInside {
        found[found.count - 1].output.append(String(line.dropFirst(4)))
      }
    }
    for index in found.indices {
      while found[index].output.last?.isEmpty == true { found[index].output.removeLast() }
    }
    return found
  }

  @Test("Each command that a text shows prints what the text shows", arguments: texts)
  func outputs(_ path: String, _ count: Int) throws {
    let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    let shown = shown(in: text)
    #expect(shown.count == count)
    for example in shown {
      let arguments = example.command.dropFirst("rollcall".count)
      let run = try Program(shell: "\"$ROLLCALL\"\(arguments)", in: Self.captures)
      #expect(run.code < 2, "\(example.command): \(run.errors)")
      var lines = run.output.split(separator: "\n", omittingEmptySubsequences: false).map(
        String.init)
      while lines.last?.isEmpty == true { lines.removeLast() }
      #expect(lines == example.output, "\(example.command)")
      #expect(!lines.isEmpty, "\(example.command)")
    }
  }
}
