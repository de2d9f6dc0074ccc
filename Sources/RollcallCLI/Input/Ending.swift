import Foundation

/// Has what follows a source end as if the source had, when somebody asks the process to end.
package enum Ending {
  /// Whether somebody has asked, or nobody can any more.
  package static var isAsked: Bool { askedAt != 0 || Supervision.isOrphaned }

  /// The signals that ask a process to end.
  static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Lets them through: a process takes over from the thread that starts it which are held back,
  /// and there are programs most of whose threads hold back all.
  static func receive() {
    var set = sigset_t()
    sigemptyset(&set)
    for number in signals { sigaddset(&set, number) }
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// From now on, being asked to end is noted. Whoever asks again a second later is obeyed at once.
  ///
  /// A signal that the caller has the process ignore, as `nohup` does, goes on being ignored.
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
    // A terminal's Ctrl-C comes twice where a process stands between that hands it on.
    if askedAt != 0, now > askedAt + 1 {
      signal(number, SIG_DFL)
      raise(number)
    }
    if askedAt == 0 { askedAt = now }
  }
}

/// When somebody asked, in seconds; 0 before.
// Written by the handler alone, and a word.
nonisolated(unsafe) private var askedAt: time_t = 0
