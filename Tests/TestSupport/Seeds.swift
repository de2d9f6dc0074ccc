import Foundation

/// The seeds that a sweep tries.
package enum Seeds {
  /// Returns the range in `ROLLCALL_SEEDS`, such as `0-999`, or the given one if it is not set.
  package static func chosen(or fallback: ClosedRange<UInt64>) -> ClosedRange<UInt64> {
    let given = ProcessInfo.processInfo.environment["ROLLCALL_SEEDS"]
    let bounds = given?.split(separator: "-").compactMap { UInt64($0) } ?? []
    guard let first = bounds.first, let last = bounds.last, first <= last else { return fallback }
    return first...last
  }
}
