import Synchronization

/// Damage to the derived parts of a log, collected while the log is read.
///
/// Answers are right in spite of it, because they are then derived from the records.
package final class DerivedDamage: Sendable {
  /// A derived part.
  package enum Part: String, Sendable, CaseIterable {
    case events = "stored events"
    case index = "index"
    case snapshots
  }

  private let found = Mutex<[Part: UInt64]>([:])

  init() {}

  /// Notes that a derived part of some records cannot be used.
  package func note(_ part: Part, _ records: ClosedRange<UInt64>) {
    found.withLock { $0[part] = min($0[part] ?? .max, records.lowerBound) }
  }

  /// The damaged parts, each with the lowest record found with such damage.
  package var parts: [(part: Part, record: UInt64)] {
    let found = found.withLock { $0 }
    return Part.allCases.compactMap { part in found[part].map { (part, $0) } }
  }
}
