import Foundation
import Rollcall

/// The results of the process that reads the log.
struct VerificationRun {
  private(set) var outcome = VerificationOutcome()

  /// - Throws: `Failure` if the file is not a log, or the process cannot be run.
  init(of log: String, rebuilding: Bool) throws {
    guard let program = Bundle.main.executablePath else {
      throw Failure("the program cannot find its own file")
    }
    // The signal reports a crash; messages from LMDB or Swift about it are for their authors.
    let process: ChildProcess
    do {
      process = try ChildProcess(
        program, ["verify-worker"] + (rebuilding ? ["--rebuild"] : []) + ["--", log],
        piping: .output, setting: ["SWIFT_BACKTRACE": "enable=no"])
    } catch {
      throw Failure("\(log): the process that reads it cannot be started: \(sentence(of: error))")
    }
    var part: LogPart?
    var record: UInt64 = 0
    let hasOutput = try read(process.pipe, &part, &record)
    switch process.wait() {
    case .killed(let signal):
      outcome.crash = VerificationOutcome.Crash(signal: signal, part: part, record: record)
    case .exited(let code):
      guard code == 0, hasOutput else {
        throw Failure("\(log): the process that reads it ended too early")
      }
    }
  }

  /// - Returns: Whether the process wrote anything.
  private mutating func read(
    _ pipe: FileHandle, _ part: inout LogPart?, _ record: inout UInt64
  ) throws -> Bool {
    var hasOutput = false
    var rest = Data()
    while let chunk = try pipe.read(upToCount: 64 << 10), !chunk.isEmpty {
      rest += chunk
      let lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      for line in lines.dropLast() {
        hasOutput = true
        try handle(JSONDecoder().decode(VerifyWorkerCommand.Line.self, from: line), &part, &record)
      }
      rest = Data(lines.last ?? Data())
    }
    return hasOutput
  }

  private mutating func handle(
    _ line: VerifyWorkerCommand.Line, _ part: inout LogPart?, _ record: inout UInt64
  ) throws {
    switch line {
    case .refused(let why): throw Failure(why)
    case .step(.began(let next)): part = next
    case .step(.reached(let number)): record = number
    case .step(.note(let note)): outcome.notes.append(note)
    case .step(.done(let all)): outcome.figures = all
    case .step(.found(let damage)): outcome.add(damage)
    }
  }
}
