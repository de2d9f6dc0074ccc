import Foundation
import TestSupport
import Testing

/// The program's description of its commands, for machines.
struct CommandDump: Decodable, Sendable, CustomTestStringConvertible {
  let commandName: String
  let abstract: String
  let discussion: String
  let shouldDisplay: Bool
  private(set) var subcommands: [CommandDump]
  let arguments: [Argument]

  struct Argument: Decodable, Sendable {
    struct Name: Decodable, Sendable {
      let kind: String
      let name: String

      var written: String { (kind == "long" ? "--" : "-") + name }
    }

    let names: [Name]?
    let valueName: String?
    let abstract: String?
  }

  /// Empty values are missing from the dump.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    commandName = try values.decode(String.self, forKey: .commandName)
    abstract = try values.decodeIfPresent(String.self, forKey: .abstract) ?? ""
    discussion = try values.decodeIfPresent(String.self, forKey: .discussion) ?? ""
    shouldDisplay = try values.decode(Bool.self, forKey: .shouldDisplay)
    subcommands = try values.decodeIfPresent([Self].self, forKey: .subcommands) ?? []
    arguments = try values.decodeIfPresent([Argument].self, forKey: .arguments) ?? []
  }

  private enum CodingKeys: CodingKey {
    case commandName, abstract, discussion, shouldDisplay, subcommands, arguments
  }

  var testDescription: String { commandName }

  /// The program's own dump, read once.
  static func program() throws -> CommandDump { try asked.get() }

  private static let asked = Result {
    var program = try dump(of: "rollcall")
    // Commands of another program are described by that program.
    program.subcommands.removeAll {
      companions.contains($0.commandName) || $0.commandName == inspector
    }
    let own = Set(program.subcommands.map(\.commandName))
    program.subcommands += try dump(of: "rollcall-live").subcommands
      .filter { !own.contains($0.commandName) }
    return program
  }

  /// The commands of `rollcall-live`.
  static let companions = ["connect", "register", "record"]
  /// The command of `rollcall-inspect`, which is built with a trait only.
  static let inspector = "inspect"

  private static func dump(of program: String) throws -> CommandDump {
    struct Dump: Decodable {
      let command: CommandDump
    }
    let run = try Program(beside: program, ["--experimental-dump-help"])
    return try JSONDecoder().decode(Dump.self, from: Data(run.output.utf8)).command
  }

  /// The displayed commands.
  static func commands() throws -> [CommandDump] {
    try program().subcommands.filter { $0.shouldDisplay && $0.commandName != "help" }
  }

  /// Everything that can be written as an option, of the command or of its subcommands.
  var options: Set<String> {
    subcommands.reduce(Set(arguments.flatMap { ($0.names ?? []).map(\.written) })) {
      $0.union($1.options)
    }
  }

  /// The command lines below “Examples:”.
  var examples: [String] {
    guard let start = discussion.range(of: "Examples:\n") else { return [] }
    return discussion[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
      .prefix { $0.hasPrefix("  ") }.map { String($0.dropFirst(2)) }
  }

  /// The discussion without examples and exit codes.
  var prose: String {
    discussion.components(separatedBy: "\n\n")
      .filter { !$0.hasPrefix("Examples:") && !$0.hasPrefix("Exit codes:") }
      .joined(separator: "\n")
  }
}

/// An option that a text mentions, with its command.
struct MentionedOption: Hashable {
  let command: String
  let option: String

  /// The options in a text, each with its command: the one before it on the same line, as in
  /// `rollcall log --kind iq`, or else the command that the text is about.
  static func all(
    in text: String, of owner: String? = nil, commands: Set<String>
  ) -> [MentionedOption] {
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"))
    return lines.filter { $0.contains(UInt8(ascii: "-")) }.flatMap { bytes -> [MentionedOption] in
      let line = String(decoding: bytes, as: UTF8.self)
      guard line.contains("--"), owner != nil || line.contains("rollcall") else { return [] }
      var command = owner
      var isProgram = false
      var found: [MentionedOption] = []
      for word in line.split(separator: " ") {
        let bare = word.trimmingCharacters(in: CharacterSet(charactersIn: "`'\"“”(),.;:!?|[]…"))
        if isProgram {
          command = commands.contains(bare) ? bare : nil
        } else if ["swift", "git", "poezio"].contains(bare) || bare.hasPrefix("tools/") {
          command = nil
        }
        isProgram = bare == "rollcall" || bare == "tools/rollcall"
        if let command, bare.hasPrefix("--"), let option = bare.split(separator: "=").first {
          found.append(MentionedOption(command: command, option: String(option)))
        }
        // After a command line, the text is about its own command again.
        if word.hasSuffix("`") || word.hasSuffix(";") || word.hasSuffix("|") { command = owner }
      }
      return found
    }
  }
}
