// Reading for callers that must not be blocked.
extension Timeline {
  /// Reads on a thread of its own: for the main actor, and for tasks, which share few threads.
  ///
  ///     let findings = try await timeline.inBackground { try $0.findings() }
  ///
  /// Blocks no thread of the caller. Waits until the reading is done, even if the task is
  /// cancelled.
  ///
  /// - Throws: The `RollcallError` that the reading throws, one that describes any other error that
  ///   it throws, or one that says that the system provides no thread.
  ///
  /// Complexity: that of the reading, and one thread.
  public func inBackground<Value: Sendable>(
    _ reading: @escaping @Sendable (Timeline) throws -> Value
  ) async throws(RollcallError) -> Value {
    let result = await withCheckedContinuation {
      (waiter: CheckedContinuation<Result<Value, RollcallError>, Never>) in
      let thread = WorkerThread {
        waiter.resume(
          returning: Result { () throws(RollcallError) in
            try RollcallError.converting { try reading(self) }
          })
      }
      guard let thread else {
        return waiter.resume(
          returning: .failure(RollcallError(.log, "the system gives no thread to read with")))
      }
      thread.detach()
    }
    return try result.get()
  }
}
