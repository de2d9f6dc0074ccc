package import EventStore

/// What a branch does that the log does not: records left out, put in, or swapped.
package struct BranchEdits: Sendable {
  /// Records put in after another.
  package struct Insert: Sendable {
    /// The record that they come after; 0 puts them before all.
    package let after: UInt64
    /// Where they come from.
    package let records: EventLog

    package init(after: UInt64, records: EventLog) {
      self.after = after
      self.records = records
    }
  }

  /// The records that are left out.
  package var drops: [ClosedRange<UInt64>] = []
  /// What is put in; at one place in the order given.
  package var inserts: [Insert] = []
  /// Pairs of records that stand in each other's place.
  package var swaps: [(UInt64, UInt64)] = []

  package init() {}

  /// Whether there is nothing to do.
  package var isEmpty: Bool { drops.isEmpty && inserts.isEmpty && swaps.isEmpty }

  /// Refuses what the log has no record for, and a record that two edits are about.
  package func check(head: UInt64) throws(BranchError) {
    var places: [ClosedRange<UInt64>] = drops
    for (first, second) in swaps {
      guard first != second else { throw .overlap(first) }
      places += [first...first, second...second]
    }
    places.sort { $0.lowerBound < $1.lowerBound }
    for place in places {
      guard place.lowerBound > 0 else { throw .noRecord(0, head: head) }
      guard place.upperBound <= head else { throw .noRecord(place.upperBound, head: head) }
    }
    for (before, after) in zip(places, places.dropFirst())
    where after.lowerBound <= before.upperBound {
      throw .overlap(after.lowerBound)
    }
    for insert in inserts where insert.after > head {
      throw .noRecord(insert.after, head: head)
    }
  }

  /// Whether a record is left out. Complexity: linear in the ranges.
  func drops(_ record: UInt64) -> Bool { drops.contains { $0.contains(record) } }

  /// The record that stands in the place of another; nil where it stands itself.
  func partner(of record: UInt64) -> UInt64? {
    for (first, second) in swaps {
      if first == record { return second }
      if second == record { return first }
    }
    return nil
  }
}

/// Why a branch cannot be made.
package enum BranchError: Error, Hashable, Sendable {
  /// The log has no such record before the point that is looked at.
  case noRecord(UInt64, head: UInt64)
  /// Two edits are about one record.
  case overlap(UInt64)
}

extension BranchError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noRecord(let record, let head):
      "there is no record \(record) to change: they go from 1 to \(head)"
    case .overlap(let record): "two edits are about record \(record): give each record one"
    }
  }
}
