import ArgumentParser
import EventStore
import Foundation
import Rollcall

/// The part of `verify` that reads the log, in a separate process. Prints a line of JSON per step.
struct VerifyWorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify-worker", abstract: "Reads a log for verify.", shouldDisplay: false)

  @Argument var log: String
  @Flag var rebuild = false

  /// One line of the process's output: a step, or why it cannot begin.
  enum Line: Codable {
    case step(LogVerification.Step)
    case refused(String)
  }

  func run() throws {
    // The parent process reports a crash, and a core dump would be useless to the user.
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setLimitOfCore(&none)
    do {
      try LogVerification.run(log, rebuilding: rebuild) { try Self.say(.step($0)) }
    } catch let error as OutputError {
      throw error
    } catch {
      try Self.say(.refused(Failure(error, in: log).description))
    }
  }

  /// Flushes at once: a crash must not lose what is known.
  private static func say(_ line: Line) throws {
    try Terminal.writeLine(String(decoding: JSONEncoder().encode(line), as: UTF8.self))
    try Terminal.flush()
  }

  private func setLimitOfCore(_ limit: inout rlimit) {
    #if canImport(Glibc)
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    #else
      setrlimit(RLIMIT_CORE, &limit)
    #endif
  }
}
