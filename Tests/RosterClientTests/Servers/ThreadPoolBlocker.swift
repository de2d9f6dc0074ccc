import Foundation
import NIOCore
@testable import RosterClient
import Synchronization

/// Keeps all threads of Swift's pool busy except the test's own, which waits without giving it up.
final class ThreadPoolBlocker: Sendable {
  private let counts = Mutex((blocked: 0, isOver: false))

  init() {
    let threads = ProcessInfo.processInfo.activeProcessorCount
    for _ in 0..<threads { Task.detached { self.block() } }
    while counts.withLock(\.blocked) < threads - 1 { Thread.sleep(forTimeInterval: 0.001) }
  }

  private func block() {
    counts.withLock { $0.blocked += 1 }
    while !counts.withLock(\.isOver) { Thread.sleep(forTimeInterval: 0.001) }
  }

  func release() { counts.withLock { $0.isOver = true } }

  /// Whether the session gets online on a later connection within ten seconds.
  func isOnline(_ session: LiveSession, on loop: any EventLoop, after number: Int) throws -> Bool {
    for _ in 0..<1000 {
      Thread.sleep(forTimeInterval: 0.01)
      let isOnline = loop.submit {
        session.assumeIsolated { $0.machine?.isOnline == true && $0.connections > number }
      }
      if try isOnline.wait() { return true }
    }
    return false
  }
}
