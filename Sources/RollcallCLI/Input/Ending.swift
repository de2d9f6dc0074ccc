import Foundation

/// Ends the following of a source, as if the source had ended, when the process is asked to end.
package enum Ending {
  /// Whether the process was asked to end, or lost the supervisor that could ask it.
  package static var isAsked: Bool { askedAt != 0 || Supervision.isOrphaned }

  /// The signals that ask a process to end.
  static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Unblocks these signals. A process inherits the blocked signals of the thread that starts it,
  /// and some programs block all signals in most of their threads.
  static func receive() {
    var set = sigset_t()
    sigemptyset(&set)
    for number in signals { sigaddset(&set, number) }
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// Starts noting requests to end. A second request more than a second later ends the process at
  /// once.
  ///
  /// A signal that the caller has set to be ignored, as `nohup` does, stays ignored.
  package static func begin() {
    receive()
    for number in signals {
      let before = signal(number, note)
      if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number, SIG_IGN)
      }
    }
  }

  private static let note: @convention(c) (Int32) -> Void = { number in
    let now = time(nil)
    // A Ctrl-C in a terminal arrives twice if a parent process forwards it.
    if askedAt != 0, now > askedAt + 1 {
      signal(number, SIG_DFL)
      raise(number)
    }
    if askedAt == 0 { askedAt = now }
  }
}

/// The time of the first request in seconds; 0 before it.
// Written only by the signal handler, and as wide as a word.
nonisolated(unsafe) private var askedAt: time_t = 0
