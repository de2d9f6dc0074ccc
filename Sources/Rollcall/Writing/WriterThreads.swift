import Dispatch
import Synchronization

/// A few threads that write to any number of logs, so that an open log costs no thread.
///
/// Each log has one turn at a time, and waiting logs are served in the order in which they asked.
/// The threads end with the last reference, once no work is left.
package final class WriterThreads: Sendable {
  private let line: Line

  /// Starts the threads.
  ///
  /// - Throws: `RollcallError` if the system does not provide even one.
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

  /// Adds a job, which one of the threads runs after all earlier jobs.
  func perform(_ job: @escaping @Sendable () -> Void) { line.add(job) }

  /// The jobs of the threads.
  private final class Line: Sendable {
    private struct State {
      var jobs: ArraySlice<@Sendable () -> Void> = []
      var isEnded = false
    }

    private let state = Mutex(State())
    /// Signaled once for each job, and at the end.
    private let jobAvailable = DispatchSemaphore(value: 0)

    func add(_ job: @escaping @Sendable () -> Void) {
      state.withLock { $0.jobs.append(job) }
      jobAvailable.signal()
    }

    func end() {
      state.withLock { $0.isEnded = true }
      jobAvailable.signal()
    }

    func work() {
      while true {
        jobAvailable.wait()
        guard let job = state.withLock({ $0.jobs.popFirst() }) else {
          guard state.withLock({ $0.isEnded }) else { continue }
          // Wakes the next thread.
          jobAvailable.signal()
          return
        }
        job()
      }
    }
  }
}
