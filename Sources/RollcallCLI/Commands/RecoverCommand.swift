import ArgumentParser
import Captures
import EventStore
import Foundation
import Rollcall

struct RecoverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Writes the intact records of a damaged log into a new log.",
    discussion: """
      Every record that can be read is kept, even after a lost one, and the output says what was \
      lost. The damaged log is only read. In the new log, records are renumbered from the first \
      lost one on, and the chain of digests is a new one. If one of the two pages that say where \
      the log ends cannot be read, the command searches for the records of the last transaction, \
      and says that the end is not known.

      Examples:
        rollcall recover alice.rollcall -o alice-recovered.rollcall
        rollcall recover sessions --account alice@example.test -o new.rollcall

      Exit codes: 0 everything is in the new log, 1 something was lost or nothing vouches for it, \
      2 there is nothing to recover.
      """)

  @Argument(
    help: "The damaged log, or a folder of logs, such as that of record.", completion: .file())
  var log: String

  @Option(
    name: [.customShort("o"), .customLong("output")], help: "The log to write.", completion: .file()
  )
  var target: String

  @OptionGroup var chosen: AccountOption
  @OptionGroup var output: OutputOptions

  func run() throws {
    let log = try LogFolder.log(at: log, of: chosen.wanted)
    let summary = try recovered(log)
    if output.json {
      try Terminal.say(JSONValue(summary, of: log, in: target))
    } else {
      try Terminal.say(lines(summary).map(\.visible))
    }
    let salvage = summary.salvage
    let isWhole = salvage.firstBad == nil && salvage.endIsKnown && summary.notesAreWhole
    guard isWhole else { throw NothingFound(sentence: nil) }
  }

  /// The sentence to print if it is not known whether there were more records.
  static func endClause(_ salvage: SalvageSummary) -> String {
    "the end is not known: what came after #\(salvage.last), if anything, was lost with the pages "
      + "that led to it"
  }

  private func recovered(_ log: String) throws -> LogRecovery.Summary {
    let (new, interruption) = try Failure.naming(target) { try Interruption.draft(for: target) }
    defer { withExtendedLifetime(interruption) {} }
    let summary = try Failure.naming(log) { try LogRecovery.run(log, into: new) }
    try AccountMismatch.check(summary.account, try chosen.wanted, of: log)
    guard summary.salvage.kept > 0 else {
      throw Failure("\(log): no record can be read from it")
    }
    try Failure.naming(target) { try new.publish() }
    new.noteDeferredFailures(path: target)
    return summary
  }

  private func lines(_ summary: LogRecovery.Summary) -> [String] {
    let salvage = summary.salvage
    let whose = summary.account.map { " of \($0)" } ?? ""
    var lines = ["\(target): \(salvage.kept) of \(salvage.last) records\(whose)"]
    if !salvage.endIsKnown { lines.append(Self.endClause(salvage)) }
    if !salvage.lost.isEmpty { lines.append("lost: \(salvage.lostText)") }
    if !salvage.unproven.isEmpty {
      lines.append("kept although nothing vouches for their bytes: \(salvage.unprovenText)")
    }
    if !summary.notesAreWhole {
      lines.append(
        "some of the log's notes about its account, its connections and its imports may be lost")
    }
    return lines
  }
}
