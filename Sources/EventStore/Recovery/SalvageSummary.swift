/// What came of reading a damaged log record by record.
package struct SalvageSummary: Hashable, Sendable {
  /// The last record that the log is known to have had.
  package internal(set) var last: UInt64 = 0
  /// Whether that was the log's last one: where pages that lead to records are gone, others may
  /// have come after it.
  package internal(set) var endIsKnown = true
  /// How many records can be read, whether proven or not.
  package internal(set) var kept: UInt64 = 0
  /// The records from the first one on that are whole, one after the other.
  package internal(set) var whole: UInt64 = 0
  /// Those that are gone or not what they were, in order; never two that touch.
  package internal(set) var lost: [ClosedRange<UInt64>] = []
  /// Those that are kept although nothing vouches for them.
  package internal(set) var unproven: [UInt64] = []

  mutating func keep(_ sequence: UInt64, isProven: Bool) {
    kept += 1
    if isProven, whole == sequence - 1 { whole = sequence }
    if !isProven { unproven.append(sequence) }
  }

  mutating func lose(_ range: ClosedRange<UInt64>) {
    if let before = lost.last, before.upperBound + 1 == range.lowerBound {
      lost[lost.count - 1] = before.lowerBound...range.upperBound
    } else {
      lost.append(range)
    }
  }

  /// Forgets what comes after the last record that there was.
  mutating func end(at head: UInt64?) {
    last = max(last, head ?? 0)
    let last = last
    lost = lost.compactMap { range in
      range.lowerBound > last ? nil : range.lowerBound...min(range.upperBound, last)
    }
  }
}
