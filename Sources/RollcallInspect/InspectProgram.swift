#if Inspect
  import ArgumentParser
  import Foundation
  import RollcallCLI

  /// The program `rollcall-inspect`, which has the command of `rollcall` that serves a page.
  ///
  /// `rollcall` replaces itself by this program for that command, so its texts call it `rollcall`.
  @main
  struct InspectProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rollcall",
      abstract: "Shows a log in the browser.",
      version: ProgramVersion.text,
      subcommands: [InspectCommand.self, InspectManualCommand.self])

    /// Runs the command, with the exit codes that the help documents.
    static func main() async {
      Terminal.prepare()
      var code: Int32 = 0
      do {
        try RepeatedOption.check(Array(CommandLine.arguments.dropFirst()), of: Self.self)
        var command = try parseAsRoot()
        if var inspect = command as? any AsyncParsableCommand {
          try await inspect.run()
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
  struct InspectManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "manual", abstract: "Writes the manual pages.", shouldDisplay: false)

    @Argument(help: "The folder to write them to.", completion: .directory)
    var folder: String

    func run() throws {
      try Manual(of: InspectProgram.self).writeCommands(to: folder)
    }
  }
#else
  import Foundation
  import RollcallCLI

  /// Replaces the program if the trait that it needs is off.
  @main
  enum InspectProgram {
    static func main() {
      Terminal.complain("rollcall-inspect was built without the trait Inspect")
      Foundation.exit(2)
    }
  }
#endif
