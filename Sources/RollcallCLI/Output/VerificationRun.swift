import Foundation
import Rollcall

/// What the process that reads the log tells.
struct VerificationRun {
  private(set) var outcome = VerificationOutcome()

  /// - Throws: `Failure` where the file is no log, or the process cannot be run.
  init(of log: String, rebuilding: Bool) throws {
    let process = Process()
    guard let program = Bundle.main.executableURL else {
      throw Failure("the program does not find its own file")
    }
    process.executableURL = program
    process.arguments = ["verify-worker"] + (rebuilding ? ["--rebuild"] : []) + ["--", log]
    // A crash is told by its signal; what LMDB or Swift would write of it is for their authors.
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    let pipe = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    var part: LogPart?
    var record: UInt64 = 0
    let isTold = try read(pipe.fileHandleForReading, &part, &record)
    process.waitUntilExit()
    if process.terminationReason == .uncaughtSignal {
      outcome.crash = VerificationOutcome.Crash(
        signal: process.terminationStatus, part: part, record: record)
    } else if process.terminationStatus != 0 || !isTold {
      throw Failure("\(log): the process that reads it ended too early")
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
