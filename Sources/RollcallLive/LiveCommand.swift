import ArgumentParser
import Foundation
import RollcallCLI

/// The program `rollcall-live`, which has the commands of `rollcall` that need a network.
///
/// `rollcall` replaces itself by this program for such a command, so its texts call it `rollcall`.
@main
struct LiveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollcall",
    abstract: "Records sessions as they happen.",
    discussion: """
      Its commands are commands of rollcall, which runs this program for them.

      Exit codes: 0 done, 1 the answer is no or nothing was found, 2 bad usage or bad input.
      """,
    version: ProgramVersion.text,
    subcommands: [
      ConnectCommand.self, RegisterCommand.self, RecordCommand.self, LiveManualCommand.self,
    ])

  /// Runs the command, with the exit codes that the help documents.
  static func main() async {
    Terminal.prepare()
    var code: Int32 = 0
    do {
      try RepeatedOption.check(Array(CommandLine.arguments.dropFirst()), of: Self.self)
      var command = try parseAsRoot()
      if var live = command as? any AsyncParsableCommand {
        try await live.run()
      } else {
        try command.run()
      }
      try Terminal.flush()
    } catch {
      code = Outcome.report(error, of: Self.self)
    }
    Foundation.exit(code)
  }
}

/// Writes the manual pages of the commands; `tools/install` calls it.
struct LiveManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual", abstract: "Writes the manual pages.", shouldDisplay: false)

  @Argument(help: "The folder to write them to.", completion: .directory)
  var folder: String

  func run() throws {
    try Manual(of: LiveCommand.self).writeCommands(to: folder)
  }
}
