import ArgumentParser

/// A command that reads a log, for a program that writes that log.
package enum LogQuestion {
  /// Runs a command, and prints its answer or why there is none.
  ///
  /// - Parameter words: The command with its arguments, such as `why alice.rollcall bob`.
  /// - Returns: The exit code of the command.
  package static func ask(_ words: [String]) -> Int32 {
    do {
      var command = try RollcallCommand.parseAsRoot(words)
      try command.run()
      try Terminal.flush()
      return 0
    } catch {
      return Outcome.report(error, of: RollcallCommand.self)
    }
  }
}
