package import ArgumentParser
import Foundation
import Rollcall

/// The end of a program, with the exit codes that the help documents: 1 if nothing was found, 2 for
/// bad usage and bad input.
package enum Outcome {
  /// Prints an error and returns its exit code. Help texts are also thrown as errors.
  package static func report(_ error: any Error, of program: any ParsableCommand.Type) -> Int32 {
    switch error {
    case let nothing as NothingFound:
      nothing.sentence.map(Terminal.complain)
      return finished(with: 1, program) {}
    case OutputError.readerClosed where Pager.isUsed:
      // The user quit the pager, having seen enough.
      return 0
    case OutputError.readerClosed:
      // Ends by SIGPIPE, like other tools whose reader has gone.
      signal(SIGPIPE, SIG_DFL)
      raise(SIGPIPE)
    case OutputError.failed(let code):
      Terminal.complain("the result cannot be written: \(text(ofSystemCode: code))")
    case let failure as Failure: Terminal.complain(failure.description)
    case is POSIXError, is CocoaError: Terminal.complain(sentence(of: error))
    case _ where type(of: error) is NSError.Type: Terminal.complain(sentence(of: error))
    default:
      let message = program.fullMessage(for: error)
      if program.exitCode(for: error) == .success {
        return finished(with: 0, program) {
          try Terminal.writeLine(withGroupNames(message, of: program))
        }
      }
      let prefix = "Error: "
      Terminal.complain(
        message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message)
    }
    return 2
  }

  /// Runs `body` and writes the remaining output; returns another exit code if that fails.
  private static func finished(
    with code: Int32, _ program: any ParsableCommand.Type, after body: () throws -> Void
  ) -> Int32 {
    do {
      try body()
      try Terminal.flush()
      return code
    } catch {
      return report(error, of: program)
    }
  }

  /// A help text in which the groups of commands have their plain names as headings.
  private static func withGroupNames(
    _ help: String, of program: any ParsableCommand.Type
  ) -> String {
    program.configuration.groupedSubcommands.reduce(help) { help, group in
      let name = group.name.uppercased()
      return help.replacing("\n\(name) SUBCOMMANDS:\n", with: "\n\(name):\n")
    }
  }
}
