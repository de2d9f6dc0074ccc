import Foundation
import Synchronization

/// Threads that mostly wait for the disk, so that there are more of them than cores.
enum ManyThreads {
  private static let count = 8

  /// Runs `body` once for each number below `count`, on several threads, and waits for all.
  static func perform(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let next = Counter()
    let group = DispatchGroup()
    for _ in 0..<min(count, Self.count) {
      group.enter()
      Thread.detachNewThread {
        while let index = next.take(below: count) { body(index) }
        group.leave()
      }
    }
    group.wait()
  }

  private final class Counter: Sendable {
    private let value = Mutex(0)

    func take(below end: Int) -> Int? {
      value.withLock { value in
        guard value < end else { return nil }
        defer { value += 1 }
        return value
      }
    }
  }
}
