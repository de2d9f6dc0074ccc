import RollcallCLI
import RosterClient

extension Ending {
  /// Runs an operation in a task that is cancelled when the process is asked to end.
  @MainActor static func cancels<Value: Sendable>(
    _ operation: @escaping @MainActor @Sendable () async -> Value
  ) async -> Value {
    let task = Task { @MainActor in await operation() }
    let watch = Task {
      while !isAsked { try await Task.sleep(for: .milliseconds(100)) }
      task.cancel()
    }
    defer { watch.cancel() }
    return await task.value
  }
}

extension LiveSession {
  /// Starts the session, and closes it if it does not start or the process is asked to end first.
  ///
  /// - Returns: Why it has not started; nil if it has.
  @MainActor func startUnlessAskedToEnd() async -> LiveFailure? {
    let failure = await Ending.cancels { () async -> LiveFailure? in
      do throws(LiveFailure) { try await self.start() } catch { return error }
      return nil
    }
    if failure != nil { await close() }
    return failure
  }
}
