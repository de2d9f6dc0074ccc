import Foundation

/// The seeds that a sweep tries.
package enum Seeds {
  /// Returns the range that `ROLLCALL_SEEDS` gives, as `0-999`, or another one if it gives none.
  package static func chosen(or usual: ClosedRange<UInt64>) -> ClosedRange<UInt64> {
    let given = ProcessInfo.processInfo.environment["ROLLCALL_SEEDS"]
    let bounds = given?.split(separator: "-").compactMap { UInt64($0) } ?? []
    guard let first = bounds.first, let last = bounds.last, first <= last else { return usual }
    return first...last
  }
}
