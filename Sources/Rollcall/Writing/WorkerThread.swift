import Foundation
import Synchronization

/// A thread that runs one piece of work.
///
/// Foundation's `Thread` does not report if the system provides no thread, so a caller would wait
/// forever.
package struct WorkerThread: ~Copyable {
  private let handle: pthread_t

  /// Starts the work on a new thread that handles no signals, because a handler may rely on state
  /// that only another thread changes. Nil if the system provides no thread.
  package init?(_ work: @escaping @Sendable () -> Void) {
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    // A new thread inherits the signal mask of the thread that creates it.
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let context = Unmanaged.passRetained(Work(run: work))
    #if canImport(Glibc)
      var handle = pthread_t()
      let code = pthread_create(&handle, nil, { Work.run($0) }, context.toOpaque())
    #else
      // On Darwin, the default stack size is only 512 KiB.
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      defer { pthread_attr_destroy(&attributes) }
      pthread_attr_setstacksize(&attributes, 8 << 20)
      var created: pthread_t?
      let code = pthread_create(&created, &attributes, { Work.run($0) }, context.toOpaque())
      guard let handle = created else {
        context.release()
        return nil
      }
    #endif
    guard code == 0 else {
      // No thread has taken the work.
      context.release()
      return nil
    }
    self.handle = handle
  }

  /// Waits until the work is done.
  consuming func join() {
    pthread_join(handle, nil)
  }

  /// Lets the thread run without waiting for it.
  package consuming func detach() {
    pthread_detach(handle)
  }

  private final class Work: Sendable {
    private let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) { self.run = run }

    static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
      // `init` retained it for this one call.
      if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
      return nil
    }
  }
}
