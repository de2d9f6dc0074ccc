import Foundation
import Synchronization

/// A thread that runs one piece of work.
///
/// Foundation's own does not tell where the system gives none: it would be waited for forever.
package struct WorkerThread: ~Copyable {
  private let handle: pthread_t

  /// Begins the work on a thread of its own, where no signal is handled: a handler may go by what
  /// only another thread changes. Nil where the system gives no thread.
  package init?(_ work: @escaping @Sendable () -> Void) {
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    // A new thread holds back what the one that makes it does.
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let context = Unmanaged.passRetained(Work(run: work))
    #if canImport(Glibc)
      var handle = pthread_t()
      let code = pthread_create(&handle, nil, { Work.run($0) }, context.toOpaque())
    #else
      // By itself a thread has no more than 512 KiB there.
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
      // Nobody has taken the work.
      context.release()
      return nil
    }
    self.handle = handle
  }

  /// Waits until the work is done.
  consuming func join() {
    pthread_join(handle, nil)
  }

  /// Lets it go on by itself: nobody waits for it.
  package consuming func detach() {
    pthread_detach(handle)
  }

  private final class Work: Sendable {
    private let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) { self.run = run }

    static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
      // What `init` has retained for this one call.
      if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
      return nil
    }
  }
}
