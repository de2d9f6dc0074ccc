import EventStore
import Foundation
import Rollcall

/// Removes unfinished files if a signal ends the process.
///
/// The signal handler must not allocate memory, lock or start a thread, so it reads the paths from
/// a list of C strings.
final class Interruption {
  private let path: UnsafeMutablePointer<CChar>

  /// Removes the file if the process ends while this object exists.
  ///
  /// A signal that the caller has set to be ignored, as `nohup` does, stays ignored.
  init(removing path: String) {
    self.path = strdup(path)
    withSignalsHeldBack {
      // If the list is full, the next command that cleans up removes the file.
      if let free = unfinished.firstIndex(of: nil) { unfinished[free] = self.path }
    }
    for number in endings {
      var before = sigaction()
      sigaction(number, nil, &before)
      guard before.isDefault else { continue }
      signal(number, removeUnfinished)
    }
  }

  /// Creates a draft of a log, which is removed if the process ends while the interruption exists.
  static func draft(for path: String) throws -> (log: EventLog, interruption: Interruption) {
    try creating(
      { try EventLog.draft(for: path, eventVersion: RecordReader.version) }, path: \.path)
  }

  /// Creates a file, which is removed if the process ends while the interruption exists.
  ///
  /// A signal that arrives in between waits, so that none leaves the file behind.
  ///
  /// - Parameter path: The path of the file that `create` returns.
  static func creating<File>(
    _ create: () throws -> File, path: (File) -> String
  ) rethrows -> (File, Interruption) {
    try withSignalsHeldBack {
      let file = try create()
      return (file, Interruption(removing: path(file)))
    }
  }

  deinit {
    withSignalsHeldBack {
      if let own = unfinished.firstIndex(of: path) { unfinished[own] = nil }
    }
    free(path)
  }
}

/// The signals that ask a process to end.
private let endings = [SIGINT, SIGTERM, SIGHUP]

/// The paths of unfinished files. The storage is allocated once, so that the handler can read it.
// Changed only with signals blocked, by the thread that runs the command.
nonisolated(unsafe) private let unfinished:
  UnsafeMutableBufferPointer<
    UnsafeMutablePointer<CChar>?
  > = {
    let slots = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: 64)
    slots.initialize(repeating: nil)
    return slots
  }()

/// Runs `body` while this thread handles no signals.
private func withSignalsHeldBack<R>(_ body: () throws -> R) rethrows -> R {
  var (all, before) = (sigset_t(), sigset_t())
  sigfillset(&all)
  pthread_sigmask(SIG_BLOCK, &all, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
  return try body()
}

/// Removes the unfinished files and ends the process as the signal would have.
private func removeUnfinished(_ number: Int32) {
  for path in unfinished {
    if let path { unlink(path) }
  }
  signal(number, SIG_DFL)
  kill(getpid(), number)
}

extension sigaction {
  /// Whether the signal has its default action, which the caller has not changed.
  fileprivate var isDefault: Bool {
    #if canImport(Glibc)
      let handler = __sigaction_handler.sa_handler
    #else
      let handler = __sigaction_u.__sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_DFL, to: Int.self)
  }
}
