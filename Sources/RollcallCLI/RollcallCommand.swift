import ArgumentParser
import Captures
import EventLog
import Foundation
import Rollcall

@main
struct RollcallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollcall",
    abstract: "A flight recorder and time machine for XMPP rosters.",
    discussion: """
      Every command reads a log (NAME.rollcall) or straight a capture, whose format it finds by \
      looking.

      Examples:
        rollcall replay debug.log
        rollcall import debug.log -o alice.rollcall
        rollcall state alice.rollcall --at 120 --json
        rollcall requests alice.rollcall

      Exit codes: 0 done, 1 the answer is no or nothing was found, 2 bad usage or bad input.
      """,
    subcommands: [
      ImportCommand.self, StateCommand.self, FriendsCommand.self, RequestsCommand.self,
      LogCommand.self, ShowCommand.self, ReplayCommand.self, FindingsCommand.self,
      ExportCommand.self,
    ])

  /// Runs the command, with the exit codes that the help promises.
  static func main() {
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let nothing as NothingFound {
      Terminal.complain(nothing.sentence)
      Foundation.exit(1)
    } catch let failure as Failure {
      Terminal.complain(failure.description)
      Foundation.exit(2)
    } catch {
      let code = exitCode(for: error)
      guard code != .success else { exit(withError: error) }
      Terminal.complain(fullMessage(for: error))
      Foundation.exit(2)
    }
  }
}

/// Bad input or bad circumstances, in a sentence that names the place.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  /// An error with the file in front, where the error does not name it itself.
  init(_ error: any Error, in path: String) {
    let text = "\(error)"
    if let error = error as? CaptureError {
      description = "\(path):\(error.line): \(text)"
    } else {
      description = text.contains(path) ? text : "\(path): \(text)"
    }
  }
}

/// The question was understood, and the answer is that there is nothing.
struct NothingFound: Error {
  let sentence: String
}
