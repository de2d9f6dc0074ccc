import ArgumentParser
import EventStore
import Foundation
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

/// The part of `verify` that reads the log, in a process of its own: a line for each step, in JSON.
struct VerifyWorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify-worker", abstract: "Reads a log for verify.", shouldDisplay: false)

  @Argument var log: String
  @Flag var rebuild = false

  /// What the process says: a step, or why it takes none.
  enum Line: Codable {
    case step(LogVerification.Step)
    case refused(String)
  }

  func run() throws {
    // The one that waits for this process tells of a crash; a memory image would help nobody.
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

  /// Written at once: a crash must not take with it what is known.
  private static func say(_ line: Line) throws {
    try Terminal.say(String(decoding: JSONEncoder().encode(line), as: UTF8.self))
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

/// What the process that reads the log tells.
struct VerificationRun {
  /// How the process was ended, and how far it had come.
  struct Crash {
    var signal: Int32
    var part: LogPart?
    var record: UInt64
  }

  private(set) var faults: [LogFault] = []
  private(set) var faultCount = 0
  private(set) var notes: [String] = []
  private(set) var figures: LogFigures?
  private(set) var crash: Crash?

  /// So many faults are kept to be shown.
  static let shownFaults = 50

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
      crash = Crash(signal: process.terminationStatus, part: part, record: record)
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
    case .step(.note(let note)): notes.append(note)
    case .step(.done(let all)): figures = all
    case .step(.found(let fault)):
      faultCount += 1
      if faults.count < Self.shownFaults { faults.append(fault) }
    }
  }
}
