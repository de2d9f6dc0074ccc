import ArgumentParser
import Rollcall

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks that a log is what was written, and says what can be saved where it is not.",
    discussion: """
      Looks at the file's pages, the chain of digests, gaps, times, the index of contacts, the \
      stored events against a fresh decoding of the raw bytes, and the snapshots against a replay. \
      It reads in a process of its own, which damage can end without ending this one.

      Examples:
        rollcall verify alice.rollcall
        rollcall verify alice.rollcall --rebuild
        rollcall verify alice.rollcall --json

      Exit codes: 0 all is right, 1 something is wrong, 2 it is no log.
      """)

  @Argument(help: "The log.", completion: .file())
  var log: String

  @Flag(help: "First throw away everything that is derived from the raw bytes and make it anew.")
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
