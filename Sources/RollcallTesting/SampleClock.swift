public import Foundation
import Synchronization

/// A clock that a test moves: for the times that a `RosterSession` is given.
public final class SampleClock: Sendable {
  private let time: Mutex<Int64>
  private let step: Int64

  /// A clock.
  ///
  /// - Parameters:
  ///   - start: What it shows first.
  ///   - step: How far each reading moves it on, to the millisecond.
  public init(at start: Date = Date(timeIntervalSince1970: 0), step: Duration = .zero) {
    time = Mutex(Int64((start.timeIntervalSince1970 * 1000).rounded()))
    self.step = step.milliseconds
  }

  /// Returns the time in milliseconds since 1970, as `RosterSession.received(_:at:)` takes it.
  public func now() -> Int64 {
    time.withLock { time in
      defer { time += step }
      return time
    }
  }

  /// Moves the clock on, or back.
  public func advance(by span: Duration) { time.withLock { $0 += span.milliseconds } }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
