import Dispatch
import Foundation

/// Takes unfinished files away when the process is told to end.
final class Interruption {
  private let sources: [any DispatchSourceSignal]

  /// From now on, for as long as this is held, ending the process removes the file.
  ///
  /// A signal that the caller has the process ignore, as `nohup` does, goes on being ignored.
  init(removing path: String) {
    let signals = [SIGINT, SIGTERM, SIGHUP].filter { number in
      let before = signal(number, SIG_IGN)
      return unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self)
    }
    sources = signals.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        unlink(path)
        signal(number, SIG_DFL)
        kill(getpid(), number)
      }
      source.activate()
      return source
    }
  }

  deinit {
    for source in sources {
      source.cancel()
      signal(Int32(source.handle), SIG_DFL)
    }
  }
}
