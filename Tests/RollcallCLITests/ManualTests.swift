import Foundation
import TestSupport
import Testing

@Suite("The manual pages") struct ManualTests {
  /// The pages by name, written once.
  private static let written = Result { try pages() }

  private static func pages() throws -> [String: String] {
    let folder = try TemporaryFolder()
    for program in ["rollcall", "rollcall-live"] {
      let run = try Program(beside: program, ["manual", folder.path])
      #expect(run.code == 0, "\(run.errors)")
    }
    return try Dictionary(
      uniqueKeysWithValues: folder.names.map {
        ($0, try String(contentsOfFile: folder.file($0), encoding: .utf8))
      })
  }

  /// The page as a reader sees it: without macros, fonts and character names.
  private func shown(_ page: String) -> String {
    let characters = [
      "\\-": "-", "\\(rs": "\\", "\\(aq": "'", "\\(ga": "`", "\\(ha": "^", "\\(ti": "~",
      "\\(dq": "\"", "\\fB": "", "\\fI": "", "\\fR": "", "\\&": "",
    ]
    let lines = page.split(separator: "\n").map { line in
      line.hasPrefix(".") ? line.drop { $0 != " " && $0 != "\n" } : line
    }
    return characters.reduce(lines.joined(separator: "\n")) {
      $0.replacing($1.key, with: $1.value)
    }
  }

  @Test("There is a page for the program and for each command, always with the same text")
  func names() throws {
    let first = try Self.written.get()
    let commands = try CommandDump.commands().map { "rollcall-\($0.commandName).1" }
    #expect(first.keys.sorted() == (commands + ["rollcall.1"]).sorted())
    #expect(try Self.pages() == first)
  }

  @Test("A page contains everything in the help")
  func content() throws {
    let pages = try Self.written.get()
    for command in try CommandDump.commands() {
      let name = "rollcall-\(command.commandName)"
      let page = shown(try #require(pages["\(name).1"]))
      #expect(page.contains("\(name) - \(command.abstract.dropLast())\n"), "\(name)")
      for line in command.prose.split(separator: "\n") {
        #expect(page.contains(line.drop { $0 == " " }), "\(name): \(line)")
      }
      for argument in command.arguments {
        #expect(page.contains(argument.abstract ?? ""), "\(name): \(argument)")
        for option in argument.names ?? [] {
          #expect(page.contains(option.written), "\(name): \(option)")
        }
      }
      let examples = command.examples.joined(separator: "\n")
      #expect(page.hasSuffix("\n\(examples)\n\n \"SEE ALSO\"\nrollcall(1)"), "\(name)")
    }
    let overview = shown(try #require(pages["rollcall.1"]))
    for command in try CommandDump.commands() {
      #expect(overview.contains("\nrollcall-\(command.commandName)(1)\n\(command.abstract)\n"))
    }
  }

  @Test("Each exit code has an entry with the text of the command's help")
  func exitCodes() throws {
    let pages = try Self.written.get()
    for (name, codes) in [
      ("diff", ["0": "no difference", "1": "there are differences"]),
      ("verify", ["0": "the log is intact", "1": "something is wrong", "2": "it is not a log"]),
      ("recover", ["1": "something was lost or nothing vouches for it"]),
      ("state", ["1": "the answer is no or nothing was found", "2": "bad usage or bad input"]),
    ] {
      let page = try #require(pages["rollcall-\(name).1"])
      for (code, meaning) in codes {
        #expect(page.contains("\n.TP\n\\fB\(code)\\fR\n\(meaning)\n"), "\(name) \(code)")
      }
    }
  }

  @Test("No help text contains requests to the formatter")
  func orders() throws {
    let known = Set([".TH", ".SH", ".SS", ".TP", ".PP", ".IP", ".EX", ".EE"])
    let plain = ["\\-", "\\(aq", "\\(ga", "\\(ha", "\\(ti"]
    let escapes = try Regex(#"\\(?!-|&|f[BIR]|\((rs|aq|ga|ha|ti|dq))"#)
    for (name, page) in try Self.written.get() {
      for line in page.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
        #expect(!line.isEmpty, "\(name)")
        if line.hasPrefix(".") {
          #expect(known.contains(String(line.prefix { $0 != " " })), "\(name): \(line)")
        }
        #expect(!line.hasPrefix("'"), "\(name): \(line)")
        #expect(line.firstMatch(of: escapes) == nil, "\(name): \(line)")
        // A formatter turns these into typographic characters.
        let rest = plain.reduce(String(line)) { $0.replacing($1, with: "") }
        #expect(!rest.contains { "-'`^~".contains($0) }, "\(name): \(line)")
      }
    }
  }

  @Test("A missing folder is refused and named")
  func noFolder() throws {
    let run = try Program("manual", "/nonexistent/folder")
    #expect(run.code == 2)
    #expect(run.errors.contains("/nonexistent/folder"))
  }
}
