import Foundation

/// Takes unfinished files away when the process is told to end.
///
/// The files are named to the signal's handler, which may use nothing that takes memory, a lock or
/// a thread: it goes over a list of C strings.
final class Interruption {
  private let path: UnsafeMutablePointer<CChar>

  /// From now on, for as long as this is held, ending the process removes the file.
  ///
  /// A signal that the caller has the process ignore, as `nohup` does, goes on being ignored.
  init(removing path: String) {
    self.path = strdup(path)
    withSignalsHeldBack {
      // Where there is no room, a file is left to the next command that cleans up.
      if let free = unfinished.firstIndex(of: nil) { unfinished[free] = self.path }
    }
    for number in endings {
      var before = sigaction()
      sigaction(number, nil, &before)
      guard before.isDefault else { continue }
      signal(number, removeUnfinished)
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

/// The paths of unfinished files. Its storage is taken once, so that the handler can read it.
// Only changed with the signals held back, by the thread that runs the command.
nonisolated(unsafe) private let unfinished:
  UnsafeMutableBufferPointer<
    UnsafeMutablePointer<CChar>?
  > = {
    let places = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: 64)
    places.initialize(repeating: nil)
    return places
  }()

/// Runs `body` while no signal can be handled on this thread.
private func withSignalsHeldBack(_ body: () -> Void) {
  var (all, before) = (sigset_t(), sigset_t())
  sigfillset(&all)
  pthread_sigmask(SIG_BLOCK, &all, &before)
  body()
  pthread_sigmask(SIG_SETMASK, &before, nil)
}

/// Removes what is unfinished and ends the process as the signal would have.
private func removeUnfinished(_ number: Int32) {
  for path in unfinished {
    if let path { unlink(path) }
  }
  signal(number, SIG_DFL)
  kill(getpid(), number)
}

extension sigaction {
  /// Whether the signal does what it does by itself, and the caller has not said otherwise.
  fileprivate var isDefault: Bool {
    #if canImport(Glibc)
      let handler = __sigaction_handler.sa_handler
    #else
      let handler = __sigaction_u.__sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_DFL, to: Int.self)
  }
}
