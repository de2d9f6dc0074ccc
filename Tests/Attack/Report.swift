import Foundation
import Synchronization

/// The results of a campaign: counts for people, and complaints.
final class Report: Sendable {
  private struct State {
    var counts: [String: Int] = [:]
    var complaints: [String] = []
  }

  /// More complaints would not help.
  private static let maximumComplaints = 400

  let campaign: String
  private let state = Mutex(State())

  init(_ campaign: String) { self.campaign = campaign }

  func count(_ what: String, _ number: Int = 1) {
    state.withLock { $0.counts[what, default: 0] += number }
  }

  func complain(_ what: String) {
    let line = what.replacing("\n", with: " ")
    state.withLock { $0.complaints.append(line) }
  }

  var isClean: Bool { state.withLock { $0.complaints.isEmpty } }

  var lines: [String] {
    let state = state.withLock { $0 }
    let counts = state.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    let wrong = "\(state.complaints.count) wrong"
    return ["\(campaign): \((counts + [wrong]).joined(separator: ", "))"]
      + state.complaints.prefix(Self.maximumComplaints).map { "  \($0)" }
  }

  /// Runs many cases, as many at a time as there are cores.
  func forEach<Case: Sendable>(_ cases: [Case], _ body: @escaping @Sendable (Case) throws -> Void) {
    allAtOnce(min(cases.count, ProcessInfo.processInfo.activeProcessorCount)) {
      [next = Counter()] _ in
      while let index = next.take(below: cases.count) { self.attempt { try body(cases[index]) } }
    }
  }

  /// Runs a closure many times at once, each in its own thread.
  func allAtOnce(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) {
    let done = DispatchSemaphore(value: 0)
    for number in 0..<count {
      Thread.detachNewThread {
        self.attempt { try body(number) }
        done.signal()
      }
    }
    for _ in 0..<count { done.wait() }
  }

  /// Reports an error that a case throws as a failure of the harness.
  private func attempt(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      complain("the harness: \(error)")
    }
  }

  private final class Counter: Sendable {
    private let next = Atomic(0)

    func take(below limit: Int) -> Int? {
      let taken = next.add(1, ordering: .relaxed).oldValue
      return taken < limit ? taken : nil
    }
  }
}
