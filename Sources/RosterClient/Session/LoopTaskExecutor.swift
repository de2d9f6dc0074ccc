package import NIOCore

/// The loop of a connection, for what waits in tasks of who holds it.
///
/// An actor's own executor has its code run on the loop; what resumes after a wait goes by the
/// threads that the whole program shares all the same, unless its task says otherwise. A server
/// does not wait until they have time.
package final class LoopTaskExecutor: TaskExecutor {
  private let loop: any EventLoop

  package init(_ loop: any EventLoop) { self.loop = loop }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
