import Captures
import Foundation
import Rollcall

/// A condition that a command of the shell decides, by the exit codes that git bisect has.
struct ShellCondition {
  let command: String

  /// Runs the command on a state; nil where it says that this one cannot be told.
  func holds(in state: Timeline.State) throws -> Bool? {
    let process = Process()
    let input = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.standardInput = input
    // The result is ours to print; what the command has to say goes beside it.
    process.standardOutput = FileHandle.standardError
    do {
      try process.run()
    } catch {
      throw Failure("--run: the shell cannot be started: \(error.localizedDescription)")
    }
    let document = JSONValue(state).text + "\n"
    // A command need not read what it is given: then the pipe breaks, which is no error.
    try? input.fileHandleForWriting.write(contentsOf: Data(document.utf8))
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
    let place = "--run, at record \(state.roster.position)"
    guard process.terminationReason == .exit else {
      throw Failure("\(place): the command was killed by signal \(process.terminationStatus)")
    }
    switch process.terminationStatus {
    case 0: return false
    case 125: return nil
    case 126, 127:
      throw Failure("\(place): the command cannot be run (exit code \(process.terminationStatus))")
    case 1..<128: return true
    case let code: throw Failure("\(place): the command ended with exit code \(code)")
    }
  }
}
