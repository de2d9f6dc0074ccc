import Foundation
import Rollcall

/// What the process that reads the log tells.
struct VerificationRun {
  private(set) var outcome = VerificationOutcome()

  /// - Throws: `Failure` where the file is no log, or the process cannot be run.
  init(of log: String, rebuilding: Bool) throws {
    guard let program = Bundle.main.executablePath else {
      throw Failure("the program does not find its own file")
    }
    // A crash is told by its signal; what LMDB or Swift would write of it is for their authors.
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
    let isTold = try read(process.pipe, &part, &record)
    switch process.wait() {
    case .killed(let signal):
      outcome.crash = VerificationOutcome.Crash(signal: signal, part: part, record: record)
    case .exited(let code):
      guard code == 0, isTold else {
        throw Failure("\(log): the process that reads it ended too early")
      }
    }
  }

  /// - Returns: whether anything was said.
  private mutating func read(
    _ pipe: FileHandle, _ part: inout LogPart?, _ record: inout UInt64
  ) throws -> Bool {
    var isTold = false
    var rest = Data()
    while let chunk = try pipe.read(upToCount: 64 << 10), !chunk.isEmpty {
      rest += chunk
      let lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      for line in lines.dropLast() {
        isTold = true
        try take(JSONDecoder().decode(VerifyWorkerCommand.Line.self, from: line), &part, &record)
      }
      rest = Data(lines.last ?? Data())
    }
    return isTold
  }

  private mutating func take(
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
