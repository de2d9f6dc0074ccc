import RollcallCLI
import RosterClient

extension Ending {
  /// Does something in a task that is cancelled when somebody asks the process to end.
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
  /// Starts the session, unless somebody asks the process to end first. A session that has not
  /// started is closed.
  ///
  /// - Returns: Why it has not started, in a clause.
  @MainActor func startUnlessAskedToEnd() async -> String? {
    let failure = await Ending.cancels { () async -> LiveFailure? in
      do throws(LiveFailure) { try await self.start() } catch { return error }
      return nil
    }
    guard let failure else { return nil }
    await close()
    return failure == .cancelled ? "ended before there was a session" : "\(failure)"
  }
}
