import ArgumentParser
import Foundation

/// The argument parser's description of a command.
struct CommandDescription: Decodable {
  let commandName: String
  let abstract: String
  let discussion: String
  let shouldDisplay: Bool
  let subcommands: [CommandDescription]
  let arguments: [Argument]

  struct Argument: Decodable {
    enum Kind: String, Decodable {
      case positional, option, flag
    }

    struct Name: Decodable {
      let kind: String
      let name: String

      /// The name as written on a command line.
      var written: String { (kind == "long" ? "--" : "-") + name }
    }

    let kind: Kind
    let shouldDisplay: Bool
    let isOptional: Bool
    let isRepeating: Bool
    let names: [Name]?
    let valueName: String?
    let defaultValue: String?
    let allValues: [String]?
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

  /// The description of a program with all its commands.
  static func of(_ program: any ParsableCommand.Type) throws -> CommandDescription {
    struct Dump: Decodable {
      let command: CommandDescription
    }
    return try JSONDecoder().decode(Dump.self, from: Data(program._dumpHelp().utf8)).command
  }
}

extension CommandDescription.Argument {
  /// The placeholder for the value in a synopsis.
  var value: String { "<\(valueName ?? "value")>" }

  /// The possible values and the default, in parentheses.
  var values: String? {
    let all = allValues.map { "values: " + $0.joined(separator: ", ") }
    let parts = [all, defaultValue.map { "default: \($0)" }].compactMap(\.self)
    return parts.isEmpty ? nil : "(\(parts.joined(separator: "; ")))"
  }
}
