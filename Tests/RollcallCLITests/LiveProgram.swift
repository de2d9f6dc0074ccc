import Foundation
import TestSupport
import Testing

/// A running program, until it is ended.
final class LiveProgram {
  private let process = Process()
  private let files: TemporaryFolder

  /// Runs `rollcall` with arguments.
  convenience init(_ arguments: String..., in folder: String) throws {
    try self.init(try Program.executable(), arguments, in: folder)
  }

  /// Runs a line of shell in which `"$ROLLCALL"` is the program.
  convenience init(shell line: String, in folder: String) throws {
    let program = try Program.executable().path(percentEncoded: false)
    try self.init(
      URL(filePath: "/bin/sh"), ["-c", "ROLLCALL='\(program)'; \(line)"], in: folder)
  }

  private init(_ executable: URL, _ arguments: [String], in folder: String) throws {
    files = try TemporaryFolder()
    // The test runner may ignore the signal, and the program would inherit that.
    signal(SIGINT, SIG_DFL)
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = URL(filePath: folder)
    for path in [files.file("output"), files.file("errors")] {
      try Data().write(to: URL(filePath: path))
    }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: files.file("output"))
    process.standardError = FileHandle(forWritingAtPath: files.file("errors"))
    try process.run()
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  var output: String { text("output") }
  var errors: String { text("errors") }

  private func text(_ name: String) -> String {
    String(
      decoding: (try? Data(contentsOf: URL(filePath: files.file(name)))) ?? Data(), as: UTF8.self)
  }

  /// Waits until a condition holds, however long that takes on a busy machine.
  func wait(until condition: () throws -> Bool) throws {
    let end = ContinuousClock.now + .seconds(120)
    while try !condition() {
      try #require(process.isRunning && .now < end, "\(output)\(errors)")
      usleep(20_000)
    }
  }

  /// Sends a signal, if any, and waits for the end.
  ///
  /// - Returns: The exit code; nil if a signal ended the program.
  func end(by number: Int32? = nil) throws -> Int32? {
    if let number { kill(process.processIdentifier, number) }
    let end = ContinuousClock.now + .seconds(120)
    while process.isRunning {
      try #require(.now < end, "it does not end: \(output)\(errors)")
      usleep(20_000)
    }
    return process.terminationReason == .exit ? process.terminationStatus : nil
  }
}
