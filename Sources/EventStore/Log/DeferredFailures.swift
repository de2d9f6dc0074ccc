import Synchronization

/// Failures of work that was deferred until the records were durable.
///
/// The records are in the log all the same, so none of these failures fails the append.
package final class DeferredFailures: Sendable {
  /// A piece of deferred work.
  package enum Work: String, Sendable, CaseIterable {
    /// Storing snapshots, which make later states faster to find.
    case snapshots
    /// Noting the account that the log belongs to.
    case account
  }

  private let found = Mutex<[Work: String]>([:])

  init() {}

  /// Notes why a piece of work failed, unless a reason is already noted.
  package func note(_ work: Work, _ reason: any Error) {
    found.withLock { $0[work] = $0[work] ?? "\(reason)" }
  }

  /// The pieces of work that failed, each with its first reason.
  package var parts: [(work: Work, reason: String)] {
    let found = found.withLock { $0 }
    return Work.allCases.compactMap { work in found[work].map { (work, $0) } }
  }
}
