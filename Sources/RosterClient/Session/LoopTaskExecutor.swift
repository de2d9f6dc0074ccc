package import NIOCore

/// Runs the tasks of a connection's actor on the connection's event loop.
///
/// With an actor's own executor, the actor's code runs on the loop, but a task that resumes after a
/// wait first goes through the threads that the whole program shares, unless the task prefers
/// another executor. A server does not wait until those threads have time.
package final class LoopTaskExecutor: TaskExecutor {
  private let loop: any EventLoop

  package init(_ loop: any EventLoop) { self.loop = loop }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
