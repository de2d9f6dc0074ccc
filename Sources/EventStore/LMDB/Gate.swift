#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Lets transactions pass together, and what may not meet one pass alone.
///
/// LMDB's map must not be moved, nor its environment closed, while the process has a transaction
/// open. The gate knows the threads that are inside, so that a transaction begun inside another
/// one is refused: it would wait for itself as soon as the map has to grow.
///
/// `@unchecked Sendable`: every field is touched with `mutex` held.
final class Gate: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>
  /// A handful of threads at most: a linear scan beats hashing.
  private var inside: [UInt] = []
  private var aloneWaiting = 0
  private var isAlone = false

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    changed = .allocate(capacity: 1)
    changed.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Runs a transaction beside others.
  func together<R>(
    _ body: () throws(EventLogError) -> R
  ) throws(EventLogError) -> R {
    try enter(alone: false)
    defer { leave(alone: false) }
    return try body()
  }

  /// Runs `body` while no transaction is open and none begins.
  func alone<R>(_ body: () throws(EventLogError) -> R) throws(EventLogError) -> R {
    try enter(alone: true)
    defer { leave(alone: true) }
    return try body()
  }

  private func enter(alone: Bool) throws(EventLogError) {
    let thread = Self.currentThread
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard !inside.contains(thread) else { throw .nestedTransaction }
    if alone {
      aloneWaiting += 1
      while isAlone || !inside.isEmpty { pthread_cond_wait(changed, mutex) }
      aloneWaiting -= 1
      isAlone = true
    } else {
      // Who wants to be alone goes first: else a stream of readers would keep the map small.
      while isAlone || aloneWaiting > 0 { pthread_cond_wait(changed, mutex) }
    }
    inside.append(thread)
  }

  private func leave(alone: Bool) {
    let thread = Self.currentThread
    pthread_mutex_lock(mutex)
    if let index = inside.firstIndex(of: thread) { inside.remove(at: index) }
    if alone { isAlone = false }
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(mutex)
  }

  private static var currentThread: UInt {
    #if canImport(Glibc)
      UInt(pthread_self())
    #else
      UInt(bitPattern: pthread_self())
    #endif
  }
}
