import ArgumentParser
import Foundation
import Rollcall

/// The word of a command line that names the command.
enum CommandName {
  /// Refuses a command that there is none of, and says which one was probably meant.
  ///
  /// - Parameter arguments: the command line without the program's name.
  static func check(_ arguments: [String]) throws {
    guard let word = named(by: arguments) else { return }
    let commands = RollcallCommand.configuration.subcommands.map { $0.configuration }
    let names = commands.compactMap(\.commandName)
    guard word != "help", !names.contains(word) else { return }
    let shown = commands.filter(\.shouldDisplay).compactMap(\.commandName) + ["help"]
    throw Failure(
      "“\(word)” is no command" + hint(word, among: shown)
        + "\n  See 'rollcall help' for the commands.")
  }

  /// The word that is to be a command; nil where the parser has to say what is meant.
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
