import Foundation
import TestSupport
import Testing

@Suite("The help") struct HelpTests {
  private static let root = CaptureCase.fixtures.deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test("Every command has a summary, a discussion and examples")
  func isWhole() throws {
    let commands = try CommandDump.commands()
    #expect(commands.count > 20)
    for command in commands {
      let name = command.commandName
      #expect(command.abstract.hasSuffix("."), "\(name)")
      #expect(!command.prose.isEmpty, "\(name)")
      #expect(!command.examples.isEmpty, "\(name)")
      for argument in command.arguments {
        #expect(argument.abstract?.isEmpty == false, "\(name): \(argument)")
      }
      let own = command.examples.filter { $0.contains("rollcall \(name)") }
      #expect(own.count * 2 > command.examples.count, "\(name)")
      for example in command.examples {
        #expect(example.count < 78, "a terminal of 80 columns breaks it: \(example)")
      }
    }
  }

  @Test("rollcall help COMMAND prints the command's help with unchanged examples")
  func ofCommand() throws {
    let command = try #require(try CommandDump.commands().first { $0.commandName == "import" })
    let help = try Program("help", "import")
    #expect(help.code == 0)
    #expect(help.output == (try Program("import", "--help")).output)
    for example in command.examples {
      #expect(help.output.contains("\n  \(example)\n"), "\(example)")
    }
  }

  @Test("The overview lists every command once, in groups")
  func overview() throws {
    let help = try Program("help")
    #expect(help.code == 0)
    #expect(help.output == (try Program("--help")).output)
    let lines = help.output.split(separator: "\n")
    let commands = try CommandDump.commands().map(\.commandName)
    for name in commands {
      #expect(lines.count { $0.hasPrefix("  \(name) ") } == 1, "\(name)")
    }
    #expect(lines.filter { $0.hasSuffix(":") && $0 == $0.uppercased() }.count > 4)
    #expect(!help.output.contains("SUBCOMMANDS"))
    #expect(!help.output.contains("verify-worker"))
  }

  @Test("The README has one row for every command")
  func rows() throws {
    let commands = try CommandDump.commands()
    let known = Set(commands.map(\.commandName))
    var rows: [String] = []
    for line in try Self.text("README.md").split(separator: "\n") {
      guard line.hasPrefix("| `rollcall ") else { continue }
      let name = line.dropFirst("| `rollcall ".count).prefix { $0.isLetter || $0 == "-" }
      // Its program, which is built with a trait only, describes it.
      guard name != CommandDump.inspector else { continue }
      rows.append(String(name))
      let options = commands.first { $0.commandName == name }?.options ?? []
      for mention in MentionedOption.all(in: String(line), of: String(name), commands: known)
      where mention.command == name {
        #expect(options.contains(mention.option), "\(name): \(mention.option)")
      }
    }
    #expect(rows.sorted() == known.sorted())
  }

  /// The options that a text names and that their command does not have.
  private func unknown(in text: String, of owner: String? = nil) throws -> [MentionedOption] {
    let program = try CommandDump.program()
    let commands = Dictionary(
      uniqueKeysWithValues: program.subcommands.map { ($0.commandName, $0.options) })
    return MentionedOption.all(in: text, of: owner, commands: Set(commands.keys))
      .filter { commands[$0.command]?.contains($0.option) != true }
  }

  @Test("The help names only options that its command has")
  func ownOptions() throws {
    for command in try CommandDump.commands() {
      let texts = [command.abstract, command.discussion] + command.arguments.compactMap(\.abstract)
      #expect(
        try unknown(in: texts.joined(separator: "\n"), of: command.commandName) == [],
        "\(command.commandName)")
    }
  }

  @Test(
    "The texts name only options that their command has",
    arguments: [
      ("README.md", 5), (".github/ARCHITECTURE.md", 0), (".github/CONTRIBUTING.md", 0),
      (".github/PERFORMANCE.md", 0), (".github/SECURITY.md", 0), ("Sources", 10),
    ])
  func texts(_ path: String, _ minimum: Int) throws {
    let url = Self.root.appending(path: path)
    let walk = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
    let files = [url] + (walk?.compactMap { $0 as? URL } ?? [])
    let texts = try files.filter {
      ["md", "swift"].contains($0.pathExtension) && !$0.pathComponents.contains("Generated")
    }.map { try String(contentsOf: $0, encoding: .utf8) }
    #expect(!texts.isEmpty)
    let text = texts.joined(separator: "\n")
    #expect(try unknown(in: text) == [])
    let commands = Set(try CommandDump.commands().map(\.commandName))
    #expect(MentionedOption.all(in: text, commands: commands).count >= minimum)
  }

  @Test("The list of formats names only existing commands and options")
  func formats() throws {
    let commands = Set(try CommandDump.commands().map(\.commandName))
    let list = try Program("formats").output
    #expect(try unknown(in: list) == [])
    let words = list.split { $0 == " " || $0 == "\n" }
    for (word, next) in zip(words, words.dropFirst()) where word == "rollcall" {
      #expect(commands.contains(String(next.prefix { $0.isLetter || $0 == "-" })), "\(next)")
    }
    #expect(words.contains("rollcall"))
  }

  @Test(
    "The check finds a nonexistent option",
    arguments: [
      ("see `rollcall log --kinds iq`", ["--kinds"]), ("rollcall verify --json=x, or", []),
      ("`rollcall log`, as git does with --oneline", []), ("swift test --filter X", []),
      ("tools/rollcall state x --atop 3", ["--atop"]),
    ])
  func check(_ text: String, _ expected: [String]) throws {
    #expect(try unknown(in: text).map(\.option) == expected)
  }
}
