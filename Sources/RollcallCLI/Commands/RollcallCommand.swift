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
      looking; - is standard input. Several captures, and those in directories, are read together: \
      the files of a rotated log as one, those of several devices side by side.

      Examples:
        rollcall replay debug.log
        rollcall replay phone.log laptop.log
        rollcall import debug.log -o alice.rollcall
        rollcall state alice.rollcall --at 120 --json
        rollcall requests alice.rollcall

      What is longer than the terminal is shown by a pager, as git does: ROLLCALL_PAGER, else \
      PAGER, else less. --no-pager, or cat as ROLLCALL_PAGER, shows it as it is.

      Exit codes: 0 done, 1 the answer is no or nothing was found, 2 bad usage or bad input.
      """,
    version: ProgramVersion.text,
    groupedSubcommands: [
      CommandGroup(
        name: "Read captures",
        subcommands: [ImportCommand.self, ConnectionsCommand.self, FormatsCommand.self]),
      CommandGroup(
        name: "Tell the story",
        subcommands: [
          ReplayCommand.self, FindingsCommand.self, HistoryCommand.self, LogCommand.self,
          ShowCommand.self,
        ]),
      CommandGroup(
        name: "Show contacts",
        subcommands: [
          StateCommand.self, FriendsCommand.self, RequestsCommand.self, SectionsCommand.self,
          PinyinCommand.self,
        ]),
      CommandGroup(
        name: "Look for the cause",
        subcommands: [
          WhyCommand.self, DiffCommand.self, BisectCommand.self, WhatIfCommand.self,
        ]),
      CommandGroup(
        name: "Keep and share",
        subcommands: [
          BookmarkCommand.self, ExportCommand.self, ReportCommand.self, TestFromCommand.self,
        ]),
      CommandGroup(
        name: "Look after logs",
        subcommands: [
          VerifyCommand.self, RecoverCommand.self, VerifyWorkerCommand.self, ManualCommand.self,
        ]),
    ])

  /// Runs the command, with the exit codes that the help promises.
  static func main() {
    Terminal.prepare()
    var code: Int32 = 0
    do {
      do {
        try CommandName.check(Array(CommandLine.arguments.dropFirst()))
        var command = try parseAsRoot()
        if command is any LogReading, let code = Supervision.run(CommandLine.arguments) {
          Foundation.exit(code)
        }
        Pager.begin(for: command, CommandLine.arguments)
        try command.run()
      } catch let nothing as NothingFound {
        nothing.sentence.map(Terminal.complain)
        code = 1
      }
      try Terminal.flush()
    } catch {
      code = report(error)
    }
    Pager.finish()
    Foundation.exit(code)
  }

  /// Says what an error is, and gives the exit code for it.
  private static func report(_ error: any Error) -> Int32 {
    switch error {
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
      try Terminal.writeLine(withGroupNames(message))
      try Terminal.flush()
      return 0
    } catch {
      return report(error)
    }
  }
  /// A help text whose groups of commands are called by their names alone.
  private static func withGroupNames(_ help: String) -> String {
    configuration.groupedSubcommands.reduce(help) { help, group in
      let name = group.name.uppercased()
      return help.replacing("\n\(name) SUBCOMMANDS:\n", with: "\n\(name):\n")
    }
  }
}
