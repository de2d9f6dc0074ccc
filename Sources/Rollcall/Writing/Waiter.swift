import Dispatch
import Synchronization

/// A caller that waits until what was passed is durable.
enum Waiter {
  case task(CheckedContinuation<Void, any Error>)
  case thread(BlockedThread)

  func resume(_ result: Result<Void, any Error>) {
    switch self {
    case .task(let continuation): continuation.resume(with: result)
    case .thread(let thread): thread.resume(result)
    }
  }
}

/// A thread that is blocked until an answer arrives.
final class BlockedThread: Sendable {
  private let answered = DispatchSemaphore(value: 0)
  private let answer = Mutex<Result<Void, any Error>?>(nil)

  func resume(_ result: Result<Void, any Error>) {
    answer.withLock { $0 = result }
    answered.signal()
  }

  func wait() throws {
    answered.wait()
    try answer.withLock { $0 }?.get()
  }
}
