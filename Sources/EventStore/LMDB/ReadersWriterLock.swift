#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A readers-writer lock around an LMDB environment that prefers exclusive holders.
///
/// LMDB's map must not be moved, nor its environment closed, while the process has a transaction
/// open. So every transaction, a write transaction included, shares the lock, and changes to the
/// environment take it exclusively. The lock remembers the threads that hold it, so that it can
/// refuse a transaction inside another one, which would wait for itself once the map has to grow.
///
/// `@unchecked Sendable`: every field is accessed with `mutex` held.
final class ReadersWriterLock: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>
  /// The threads that hold the lock: a handful, so a linear scan beats hashing.
  private var holders: [UInt] = []
  private var exclusiveWaiting = 0
  private var isExclusive = false

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

  /// Runs a transaction, concurrently with others.
  func shared<R>(
    _ body: () throws(EventLogError) -> R
  ) throws(EventLogError) -> R {
    try lock(exclusive: false)
    defer { unlock(exclusive: false) }
    return try body()
  }

  /// Runs `body` while no transaction is open and none begins.
  func exclusive<R>(_ body: () throws(EventLogError) -> R) throws(EventLogError) -> R {
    try lock(exclusive: true)
    defer { unlock(exclusive: true) }
    return try body()
  }

  private func lock(exclusive: Bool) throws(EventLogError) {
    let thread = Self.currentThread
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard !holders.contains(thread) else { throw .nestedTransaction }
    if exclusive {
      exclusiveWaiting += 1
      while isExclusive || !holders.isEmpty { pthread_cond_wait(changed, mutex) }
      exclusiveWaiting -= 1
      isExclusive = true
    } else {
      // Otherwise, a stream of readers could prevent the map from growing.
      while isExclusive || exclusiveWaiting > 0 { pthread_cond_wait(changed, mutex) }
    }
    holders.append(thread)
  }

  private func unlock(exclusive: Bool) {
    let thread = Self.currentThread
    pthread_mutex_lock(mutex)
    if let index = holders.firstIndex(of: thread) { holders.remove(at: index) }
    if exclusive { isExclusive = false }
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
