import ArgumentParser
import Foundation
import Rollcall

/// The word of a command line that names the command.
enum CommandName {
  /// Throws if the command does not exist, and suggests the most likely one.
  ///
  /// - Parameter arguments: The command line without the name of the program.
  static func check(_ arguments: [String]) throws {
    guard let word = named(by: arguments) else { return }
    let commands = RollcallCommand.configuration.subcommands.map { $0.configuration }
    let names = commands.compactMap(\.commandName)
    guard word != "help", !names.contains(word) else { return }
    let shown = commands.filter(\.shouldDisplay).compactMap(\.commandName) + ["help"]
    throw Failure(
      "“\(word)” is not a command" + hint(word, among: shown)
        + "\n  See 'rollcall help' for the commands.")
  }

  /// The word that should be a command; nil if the parser must decide.
  static func named(by arguments: [String]) -> String? {
    let isHelp = arguments.first == "help"
    let word = isHelp ? arguments.dropFirst().first : arguments.first
    return word.flatMap { $0.hasPrefix("-") ? nil : $0 }
  }

  private static func hint(_ word: String, among commands: [String]) -> String {
    let hint = EditDistance.hint(for: word, among: commands)
    guard hint.isEmpty, FileManager.default.fileExists(atPath: word) else { return hint }
    return ", but a file: a command comes first, such as rollcall replay"
  }
}
