import ArgumentParser
import Foundation
import Rollcall

@main
struct RollcallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollcall",
    abstract: "A flight recorder and time machine for XMPP rosters.",
    discussion: """
      Every command reads a log (NAME.rollcall) or straight a capture, whose format it finds by \
      looking; - is standard input.

      Examples:
        rollcall replay debug.log
        rollcall import debug.log -o alice.rollcall
        rollcall state alice.rollcall --at 120 --json
        rollcall requests alice.rollcall

      Exit codes: 0 done, 1 the answer is no or nothing was found, 2 bad usage or bad input.
      """,
    version: RollcallVersion.current,
    subcommands: [
      ImportCommand.self, StateCommand.self, FriendsCommand.self, RequestsCommand.self,
      SectionsCommand.self, PinyinCommand.self,
      ConnectionsCommand.self, LogCommand.self, ShowCommand.self, ReplayCommand.self,
      FindingsCommand.self,
      DiffCommand.self, HistoryCommand.self, BisectCommand.self, BookmarkCommand.self,
      VerifyCommand.self, RecoverCommand.self, ExportCommand.self, FormatsCommand.self,
      VerifyWorkerCommand.self,
      WhyCommand.self, WhatIfCommand.self, TestFromCommand.self, ReportCommand.self,
    ])

  /// Runs the command, with the exit codes that the help promises.
  static func main() {
    Terminal.prepare()
    var code: Int32 = 0
    do {
      do {
        var command = try parseAsRoot()
        if command is any LogReading, let code = Supervision.run(CommandLine.arguments) {
          Foundation.exit(code)
        }
        try command.run()
      } catch let nothing as NothingFound {
        nothing.sentence.map(Terminal.complain)
        code = 1
      }
      try Terminal.flush()
    } catch {
      code = report(error)
    }
    Foundation.exit(code)
  }

  /// Says what an error is, and gives the exit code for it.
  private static func report(_ error: any Error) -> Int32 {
    switch error {
    case OutputError.nobodyReads:
      // As every tool ends whose output nobody reads any longer.
      signal(SIGPIPE, SIG_DFL)
      raise(SIGPIPE)
    case OutputError.failed(let code):
      Terminal.complain("the result cannot be written: \(text(ofSystemCode: code))")
    case let failure as Failure: Terminal.complain(failure.description)
    default:
      let message = fullMessage(for: error)
      if exitCode(for: error) == .success { return answer(message) }
      let prefix = "Error: "
      Terminal.complain(
        message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message)
    }
    return 2
  }

  /// Writes a help text or the like, which comes as an error of the parser and is all our own.
  private static func answer(_ message: String) -> Int32 {
    do {
      try Terminal.writeLine(message)
      try Terminal.flush()
      return 0
    } catch {
      return report(error)
    }
  }
}
