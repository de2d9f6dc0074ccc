/// The result of reading a damaged log record by record.
package struct SalvageSummary: Hashable, Sendable {
  /// The last record that the log is known to have had.
  package internal(set) var last: UInt64 = 0
  /// Whether `last` was the log's last record; if pages of its tree are lost, others may have come
  /// after it.
  package internal(set) var endIsKnown = true
  /// The number of records that can be read, proven or not.
  package internal(set) var kept: UInt64 = 0
  /// The last record up to which all records are proven, without a gap.
  package internal(set) var whole: UInt64 = 0
  /// The records that are gone or have changed, in order, as ranges that do not touch.
  package internal(set) var lost: [ClosedRange<UInt64>] = []
  /// The kept records that are not proven.
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

  /// Drops losses after the last record that the log is known to have had.
  mutating func end(at head: UInt64?) {
    last = max(last, head ?? 0)
    let last = last
    lost = lost.compactMap { range in
      range.lowerBound > last ? nil : range.lowerBound...min(range.upperBound, last)
    }
  }
}
