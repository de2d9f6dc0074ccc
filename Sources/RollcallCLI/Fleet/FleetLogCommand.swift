import ArgumentParser
import EventStore
import FleetStore
import Rollcall
import XMPPStanza

struct FleetLogCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Writes the log of one account of a fleet.",
    discussion: """
      The log is an ordinary one, as an import of the account's lines makes it, and can be read \
      by every other command.

      Exit codes: 0 done, 1 the fleet has no such account, 2 bad usage or bad input.

      Examples:
        rollcall fleet log fleet alice@example.test -o alice.rollcall
      """)

  @OptionGroup var fleet: FleetArgument

  @Argument(help: "The account.")
  var account: String

  @Option(
    name: [.customShort("o"), .customLong("output")], help: "The log to write.", completion: .file()
  )
  var target: String

  func run() throws {
    let account = try FleetArgument.account(account)
    let opened = try fleet.open()
    let (new, interruption) = try Failure.naming(target) { try Interruption.draft(for: target) }
    defer { withExtendedLifetime(interruption) {} }
    do {
      try FleetFailure.naming(opened.path(of: ShardNumber(of: account))) {
        do {
          try opened.writeLog(of: account, into: new)
        } catch FleetError.noAccount(let account) {
          throw NothingFound(sentence: "\(FleetError.noAccount(account))")
        }
      }
    }
    try Failure.naming(target) { try new.publish() }
    new.noteDeferredFailures(path: target)
    let count = try new.read { try $0.lastSequence }
    try Terminal.say("\(target): \(count) records of \(account.text)".visible)
  }
}

/// The fleet that a command reads.
struct FleetArgument: ParsableArguments {
  @Argument(help: "The folder of the fleet.", completion: .directory)
  var folder: String

  func open() throws -> Fleet { try FleetFailure.naming(folder) { try Fleet(folder) } }

  /// Parses the value of `--domain`.
  static func domain(_ text: String?) throws -> String? {
    do {
      return try text.map { try BareJID(parsing: $0).text }
    } catch {
      throw Failure("--domain “\(text ?? "")” is not a domain: \(error)".visible)
    }
  }

  /// Parses an account from an argument.
  static func account(_ text: String) throws -> BareJID {
    do {
      return try JID(parsing: text).bare
    } catch {
      throw Failure("“\(text)” is not an address: \(error)".visible)
    }
  }
}
