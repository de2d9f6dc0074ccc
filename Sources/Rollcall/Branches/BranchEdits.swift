package import EventStore

/// The changes of a branch to a log: records that are left out, inserted or swapped.
package struct BranchEdits: Sendable {
  /// Records to insert after another one.
  package struct Insert: Sendable {
    /// The record after which they are inserted; 0 inserts them before all others.
    package let after: UInt64
    /// The source of the records.
    package let records: EventLog

    package init(after: UInt64, records: EventLog) {
      self.after = after
      self.records = records
    }
  }

  /// The records that are left out.
  package var drops: [ClosedRange<UInt64>] = []
  /// The records to insert; several at one position keep the given order.
  package var inserts: [Insert] = []
  /// Pairs of records that change places.
  package var swaps: [(UInt64, UInt64)] = []

  package init() {}

  /// Whether there are no changes.
  package var isEmpty: Bool { drops.isEmpty && inserts.isEmpty && swaps.isEmpty }

  /// The first record that is changed, or after which others are inserted; nil without changes.
  var first: UInt64? {
    (drops.map(\.lowerBound) + inserts.map(\.after) + swaps.flatMap { [$0.0, $0.1] }).min()
  }

  /// Throws if the log lacks a record that an edit names, or if two edits name one record.
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

  /// The record that takes the place of another one; nil if it is not swapped.
  func partner(of record: UInt64) -> UInt64? {
    for (first, second) in swaps {
      if first == record { return second }
      if second == record { return first }
    }
    return nil
  }
}

/// Why a branch cannot be created.
package enum BranchError: Error, Hashable, Sendable {
  /// The log has no such record before the chosen point.
  case noRecord(UInt64, head: UInt64)
  /// Two edits name the same record.
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
