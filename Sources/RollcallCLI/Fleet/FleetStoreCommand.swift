import ArgumentParser
import Captures
import FleetStore
import Foundation
import Rollcall

struct FleetStoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Stores the spools of servers' taps in a fleet: a folder for all accounts.",
    discussion: """
      Reads each spool from where the fleet has it, and stores every line once, however often the \
      command is stopped or killed. The server may go on writing, start anew and begin other \
      segments meanwhile. A line is read as rollcall import reads it, with its credentials \
      removed.

      The fleet keeps the records, the roster of each account after them, and what the spool \
      position is in one transaction per shard. The first use of a spool makes a file in it, \
      .rollcall-source, by which it is recognized even if its folder moves.

      Without --follow, the command ends at the end of the spools. Only one process stores in a \
      fleet at a time; the others may read it.

      Exit codes: 0 done, 2 bad usage or bad input.

      Examples:
        rollcall fleet store fleet --spool /var/lib/prosody/rollcall_tap
        rollcall fleet store fleet --spool spool-a --spool spool-b --follow
        rollcall fleet store fleet --spool spool-a --trim --json
      """)

  @Argument(
    help: "The folder of the fleet, which is made if there is none.", completion: .directory)
  var fleet: String

  @Option(
    help: "The folder that a tap writes. Can be given several times.", completion: .directory)
  var spool: [String]

  @Flag(name: .shortAndLong, help: "Continue with what the taps write later, until Ctrl-C.")
  var follow = false

  @Flag(
    help: """
      Delete the segments of which the fleet has every line, except the last of a spool, whose \
      number the tap continues.
      """)
  var trim = false

  @OptionGroup var output: FleetOutput

  /// How long to wait for more.
  private static let pause: UInt32 = 200_000
  /// How often to delete segments while following.
  private static let trimInterval = Duration.seconds(60)

  func run() throws {
    if follow { Ending.begin() }
    let storer = try FleetFailure.naming(fleet) {
      try FleetStorer(fleet, complain: { Terminal.note($0.visible) })
    }
    for spool in spool { try FleetFailure.naming(spool) { try storer.add(spool: spool) } }
    var status = StatusLine()
    var trimmedAt = ContinuousClock.now
    try FleetFailure.naming(fleet) {
      while true {
        let hasRead = try storer.step(isFollowing: follow)
        if hasRead { status.show(storer.counts.progress) }
        if follow, Ending.isAsked { break }
        if !hasRead {
          guard follow else { break }
          usleep(Self.pause)
        }
        if trim, follow, .now >= trimmedAt + Self.trimInterval {
          try storer.trim()
          trimmedAt = .now
        }
      }
      status.clear()
      try trim ? storer.trim() : storer.finish()
    }
    if output.json {
      try Terminal.say(JSONValue(storer.counts, fleet: fleet))
    } else {
      try Terminal.say("\(fleet): \(storer.counts.sentence)".visible)
    }
  }
}

extension FleetStorer.Counts {
  fileprivate var progress: String { "\(lines) lines read, \(records) records stored" }

  fileprivate var sentence: String {
    var text = records == 0 ? "nothing new" : "\(records) new records from \(lines) lines"
    if newAccounts > 0 { text += ", \(newAccounts) new accounts" }
    if trimmed > 0 { text += "; \(trimmed) segments deleted" }
    if problems > 0 { text += "; \(problems) lines could not be read" }
    if gapLines > 0 { text += "; \(gapLines) lines are missing in the spool" }
    return text
  }
}

extension JSONValue {
  fileprivate init(_ counts: FleetStorer.Counts, fleet: String) {
    self = .object([
      "fleet": .string(fleet), "lines": JSONValue(count: counts.lines),
      "bytes": JSONValue(count: counts.bytes), "records": JSONValue(count: counts.records),
      "newAccounts": JSONValue(count: counts.newAccounts),
      "missingLines": JSONValue(count: counts.gapLines),
      "unreadableLines": JSONValue(count: counts.problems),
      "deletedSegments": JSONValue(count: counts.trimmed),
    ])
  }

  init(count: Int) { self = .integer(Int64(count)) }
}

/// The form of the output of a command about a fleet that prints one document.
struct FleetOutput: ParsableArguments {
  @Flag(help: "Print one JSON document, for machines.")
  var json = false
}

enum FleetFailure {
  /// Runs `body` and adds the name of a folder to errors that name nothing.
  static func naming<R>(_ path: String, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as FleetError {
      throw Failure("\(error)")
    } catch let error as CocoaError {
      throw Failure(error, in: error.filePath ?? path)
    } catch {
      return try Failure.naming(path) { throw error }
    }
  }
}
