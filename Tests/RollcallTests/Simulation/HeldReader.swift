import EventStore
import Foundation
import Synchronization

/// A reader on a thread of its own that keeps its transaction while others continue.
///
/// Only one of the two threads runs at a time, so a run can be repeated with its seed.
final class HeldReader: Sendable {
  private let hasBegun = DispatchSemaphore(value: 0)
  private let mayEnd = DispatchSemaphore(value: 0)
  private let hasEnded = DispatchSemaphore(value: 0)
  private let result = Mutex<Result<Void, any Error>>(.success(()))

  /// Begins to read, and returns when the transaction has begun.
  ///
  /// - Parameter body: Called with the transaction before it ends.
  init(_ log: EventLog, _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> Void) {
    let thread = Thread { [self] in
      let outcome = Result {
        try log.read { transaction in
          hasBegun.signal()
          mayEnd.wait()
          try body(transaction)
        }
      }
      result.withLock { $0 = outcome }
      // In case the transaction could not begin.
      hasBegun.signal()
      hasEnded.signal()
    }
    thread.start()
    hasBegun.wait()
  }

  /// Lets the reader check what it sees, and end.
  func end() throws {
    mayEnd.signal()
    hasEnded.wait()
    try result.withLock { $0 }.get()
  }
}
