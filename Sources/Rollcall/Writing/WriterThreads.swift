import Dispatch
import Synchronization

/// A few threads that write to any number of logs, so that a log that is open costs none.
///
/// Each log has its turns one after the other; logs that wait have theirs in the order in which
/// they asked. The threads end with the last reference, once nothing waits.
package final class WriterThreads: Sendable {
  private let line: Line

  /// Begins the threads.
  ///
  /// - Throws: `RollcallError` where the system gives not even one.
  package init(_ count: Int) throws(RollcallError) {
    line = Line()
    var begun = 0
    for _ in 0..<count {
      guard let thread = WorkerThread({ [line] in line.work() }) else { break }
      thread.detach()
      begun += 1
    }
    guard begun > 0 else { throw LogWriter.noThread }
  }

  deinit { line.end() }

  /// Has one of the threads do something, after all that was asked for before.
  func perform(_ job: @escaping @Sendable () -> Void) { line.add(job) }

  /// What the threads have to do.
  private final class Line: Sendable {
    private struct State {
      var jobs: ArraySlice<@Sendable () -> Void> = []
      var isEnded = false
    }

    private let state = Mutex(State())
    /// Signalled once for each job, and at the end.
    private let isThere = DispatchSemaphore(value: 0)

    func add(_ job: @escaping @Sendable () -> Void) {
      state.withLock { $0.jobs.append(job) }
      isThere.signal()
    }

    func end() {
      state.withLock { $0.isEnded = true }
      isThere.signal()
    }

    func work() {
      while true {
        isThere.wait()
        guard let job = state.withLock({ $0.jobs.popFirst() }) else {
          guard state.withLock({ $0.isEnded }) else { continue }
          // For the next of the threads.
          isThere.signal()
          return
        }
        job()
      }
    }
  }
}
