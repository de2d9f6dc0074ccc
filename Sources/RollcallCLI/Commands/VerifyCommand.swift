import ArgumentParser
import Captures
import Rollcall

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks that a log is intact, and if it is not, says what can be saved.",
    discussion: """
      Checks the file's pages, the chain of digests, gaps, times, the index of contacts, the \
      stored events against a fresh decoding of the raw bytes, and the snapshots against a replay. \
      A separate process reads the log, so that damage that crashes it does not end this one.

      Of a folder, such as that of record, every log is checked; with --json, the answer is then \
      {"logs": [...]}. --account checks the logs of one account.

      Examples:
        rollcall verify alice.rollcall
        rollcall verify sessions
        rollcall verify alice.rollcall --rebuild
        rollcall verify alice.rollcall --json

      Exit codes: 0 the log is intact, 1 something is wrong, 2 it is not a log.
      """)

  @Argument(help: "The log, or a folder of logs.", completion: .file())
  var log: String

  @Flag(help: "First discard everything that is derived from the raw bytes, and rebuild it.")
  var rebuild = false

  @OptionGroup var chosen: AccountOption
  @OptionGroup var output: OutputOptions

  func run() throws {
    let wanted = try chosen.wanted
    guard let folder = try LogFolder(log) else {
      if rebuild, wanted != nil {
        // A log of another account is refused before anything in it changes.
        let kept = try VerificationReport(of: log, rebuilding: false)
        try AccountMismatch.check(kept.account, wanted, of: log)
      }
      let report = try VerificationReport(of: log, rebuilding: rebuild)
      try AccountMismatch.check(report.account, wanted, of: log)
      guard try say(report).isRight else { throw NothingFound(sentence: nil) }
      return
    }
    var documents: [JSONValue] = []
    var areRight = true
    for log in try wanted.map({ try folder.logs(of: $0) }) ?? folder.all {
      do {
        let report = try VerificationReport(of: log, rebuilding: rebuild)
        areRight = areRight && report.isRight
        if output.json { documents.append(report.document) } else { _ = try say(report) }
      } catch let failure as Failure {
        // The others are checked even if one is not a log.
        areRight = false
        Terminal.complain("\(failure)")
      }
    }
    if output.json { try Terminal.say(.object(["logs": .array(documents)])) }
    guard areRight else { throw NothingFound(sentence: nil) }
  }

  private func say(_ report: VerificationReport) throws -> VerificationReport {
    if output.json {
      try Terminal.say(report.document)
    } else {
      try Terminal.say(report.lines.map(\.visible))
    }
    return report
  }
}
