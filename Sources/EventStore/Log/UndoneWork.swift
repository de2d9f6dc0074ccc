import Synchronization

/// What could not be done after records were durable. They are in the log all the same: none of
/// this makes a failure of what succeeded.
package final class UndoneWork: Sendable {
  /// A piece of work.
  package enum Work: String, Sendable, CaseIterable {
    /// Storing states, so that a later one is found faster.
    case snapshots
    /// Noting whose the log is.
    case account
  }

  private let found = Mutex<[Work: String]>([:])

  init() {}

  /// Notes the first reason why a piece of work was not done.
  package func note(_ work: Work, _ reason: any Error) {
    found.withLock { $0[work] = $0[work] ?? "\(reason)" }
  }

  /// The pieces of work, each with the first reason why it was not done.
  package var parts: [(work: Work, reason: String)] {
    let found = found.withLock { $0 }
    return Work.allCases.compactMap { work in found[work].map { (work, $0) } }
  }
}
