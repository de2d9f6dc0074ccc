import Captures
import Foundation
import Rollcall

/// A condition that a shell command decides, with the exit codes of git bisect.
struct ShellCondition {
  let command: String

  /// Runs the command on a state; nil if the command cannot decide for it.
  func holds(in state: Timeline.State) throws -> Bool? {
    let process: ChildProcess
    do {
      // Standard output is for our result, so the output of the command goes to standard error.
      process = try ChildProcess("/bin/sh", ["-c", command], piping: .input)
    } catch {
      throw Failure("--run: the shell cannot be started: \(sentence(of: error))")
    }
    let document = JSONValue(state).text + "\n"
    // The command need not read its input. Then the pipe breaks, which is not an error.
    try? process.pipe.write(contentsOf: Data(document.utf8))
    try? process.pipe.close()
    let context = "--run, at record \(state.roster.position)"
    switch process.wait() {
    case .killed(let signal):
      throw Failure("\(context): the command was killed by signal \(signal)")
    case .exited(0): return false
    case .exited(125): return nil
    case .exited(let code) where code == 126 || code == 127:
      throw Failure("\(context): the command cannot be run (exit code \(code))")
    case .exited(let code) where code < 128: return true
    case .exited(let code): throw Failure("\(context): the command ended with exit code \(code)")
    }
  }
}
