import ArgumentParser
import Foundation
import Rollcall

struct RollcallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollcall",
    abstract: "A flight recorder and time machine for XMPP rosters.",
    discussion: """
      Most commands read a log (NAME.rollcall) or a capture directly, and find its format by \
      looking; - is standard input. Several captures, and those in directories, are read together: \
      the files of a rotated log as one, those of several devices side by side.

      Examples:
        rollcall replay debug.log
        rollcall replay phone.log laptop.log
        rollcall import debug.log -o alice.rollcall
        rollcall state alice.rollcall --at 120 --json
        rollcall requests alice.rollcall

      Output longer than the terminal is shown in a pager, as in git: ROLLCALL_PAGER, else PAGER, \
      else less. --no-pager, or cat as ROLLCALL_PAGER, turns it off.

      Exit codes: 0 done, 1 the answer is no or nothing was found, 2 bad usage or bad input.
      """,
    version: ProgramVersion.text,
    groupedSubcommands: [
      CommandGroup(
        name: "Read captures",
        subcommands: [ImportCommand.self, ConnectionsCommand.self, FormatsCommand.self]),
      CommandGroup(
        name: "Record a session",
        subcommands: [
          ConnectCommand.self, RegisterCommand.self, RecordCommand.self, FleetCommand.self,
        ]),
      CommandGroup(
        name: "Tell the story",
        subcommands: [
          ReplayCommand.self, FindingsCommand.self, HistoryCommand.self, LogCommand.self,
          ShowCommand.self, InspectCommand.self,
        ]),
      CommandGroup(
        name: "Show contacts",
        subcommands: [
          StateCommand.self, FriendsCommand.self, RequestsCommand.self, SectionsCommand.self,
          PinyinCommand.self,
        ]),
      CommandGroup(
        name: "Read messages",
        subcommands: [ConversationsCommand.self, ChatCommand.self]),
      CommandGroup(
        name: "Look for the cause",
        subcommands: [
          WhyCommand.self, DiffCommand.self, BetweenCommand.self, BisectCommand.self,
          WhatIfCommand.self,
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
}

/// The program `rollcall`.
package enum RollcallTool {
  /// Runs the command of the command line, with the exit codes that the help documents.
  package static func main() -> Never {
    Terminal.prepare()
    var code: Int32 = 0
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      try Companion.run(arguments)
      try CommandName.check(arguments)
      try RepeatedOption.check(arguments, of: RollcallCommand.self)
      var command = try RollcallCommand.parseAsRoot()
      if command is any LogReading, let code = Supervision.run(CommandLine.arguments) {
        Foundation.exit(code)
      }
      Pager.begin(for: command, CommandLine.arguments)
      try command.run()
      try Terminal.flush()
    } catch {
      code = Outcome.report(error, of: RollcallCommand.self)
    }
    Pager.finish()
    Foundation.exit(code)
  }
}
