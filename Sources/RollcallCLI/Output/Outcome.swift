package import ArgumentParser
import Foundation
import Rollcall

/// How a program ends, with the exit codes that the help promises: 1 where nothing was found, 2 for
/// bad usage and bad input.
package enum Outcome {
  /// Says what an error is, and gives the exit code for it. Help texts come as errors too.
  package static func report(_ error: any Error, of program: any ParsableCommand.Type) -> Int32 {
    switch error {
    case let nothing as NothingFound:
      nothing.sentence.map(Terminal.complain)
      return finished(with: 1, program) {}
    case OutputError.nobodyReads where Pager.isUsed:
      // Whoever reads it has seen enough.
      return 0
    case OutputError.nobodyReads:
      // As every tool ends whose output nobody reads any longer.
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

  /// Writes what is left, after `body`; the code is another where it cannot be written.
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

  /// A help text whose groups of commands are called by their names alone.
  private static func withGroupNames(
    _ help: String, of program: any ParsableCommand.Type
  ) -> String {
    program.configuration.groupedSubcommands.reduce(help) { help, group in
      let name = group.name.uppercased()
      return help.replacing("\n\(name) SUBCOMMANDS:\n", with: "\n\(name):\n")
    }
  }
}
