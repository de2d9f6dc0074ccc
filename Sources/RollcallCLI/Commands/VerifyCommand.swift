import ArgumentParser
import Rollcall

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks that a log is intact, and if it is not, says what can be saved.",
    discussion: """
      Checks the file's pages, the chain of digests, gaps, times, the index of contacts, the \
      stored events against a fresh decoding of the raw bytes, and the snapshots against a replay. \
      A separate process reads the log, so that damage that crashes it does not end this one.

      Examples:
        rollcall verify alice.rollcall
        rollcall verify alice.rollcall --rebuild
        rollcall verify alice.rollcall --json

      Exit codes: 0 the log is intact, 1 something is wrong, 2 it is not a log.
      """)

  @Argument(help: "The log.", completion: .file())
  var log: String

  @Flag(help: "First discard everything that is derived from the raw bytes, and rebuild it.")
  var rebuild = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    let report = try VerificationReport(of: log, rebuilding: rebuild)
    if output.json {
      try Terminal.say(report.document)
    } else {
      try Terminal.say(report.lines.map(\.visible))
    }
    guard report.isRight else { throw NothingFound(sentence: nil) }
  }
}
