import EventStore
import RosterCore
import XMPPStanza

/// Where two histories of one roster agree for the last time, and what parts them.
package struct TimelineDivergence: Sendable {
  /// A moment of each history at which the items are the same; nil where they never are.
  package let agreed: (first: UInt64, second: UInt64)?
  /// In each history the first record after that which changes an item; nil where none does.
  package let parted: (first: Timeline.Moment?, second: Timeline.Moment?)

  /// Compares what two devices of one account were told.
  ///
  /// States count once the whole roster is known; where a history never knows it, all of its
  /// states do.
  /// Complexity: linear in the events of both.
  package init(
    between first: Timeline, upTo firstEnd: UInt64, and second: Timeline, upTo secondEnd: UInt64
  ) throws {
    let firstStates = try ItemStates(first, upTo: firstEnd)
    let secondStates = try ItemStates(second, upTo: secondEnd)
    var newest: [ItemPrint: Int] = [:]
    for (index, state) in firstStates.all.enumerated() { newest[state.print] = index }
    let meeting = secondStates.all.indices.reversed().lazy.compactMap { index in
      newest[secondStates.all[index].print].map { (first: $0, second: index) }
    }.first
    agreed = try meeting.map {
      (
        try first.ownRecord(upTo: firstStates.all[$0.first].last),
        try second.ownRecord(upTo: secondStates.all[$0.second].last)
      )
    }
    parted = (
      try firstStates.change(after: meeting?.first).flatMap(first.moment),
      try secondStates.change(after: meeting?.second).flatMap(second.moment)
    )
  }
}

extension Timeline {
  /// The last record up to another one that went over the connection that is looked at; 0 if none
  /// did.
  ///
  /// Complexity: linear in the records if only one connection is looked at.
  package func ownRecord(upTo record: UInt64) throws -> UInt64 {
    guard connection != nil, record > 0 else { return record }
    var last: UInt64 = 0
    try log.forEachRecord(in: 1...record) { header, _ in
      if includes(header.connection) { last = header.sequence }
    }
    return last
  }
}

/// A mark of the items of a roster: equal for equal items, whatever led to them. Of this process
/// only, because its hashes are.
private struct ItemPrint: Hashable {
  private var sums = SIMD2<UInt64>(0, 0)

  mutating func add(_ item: RosterItem?) {
    if let item { sums &+= Self.hashes(item) }
  }

  mutating func remove(_ item: RosterItem?) {
    if let item { sums &-= Self.hashes(item) }
  }

  /// Two, so that different items having the same is out of the question.
  private static func hashes(_ item: RosterItem) -> SIMD2<UInt64> {
    var first = Hasher()
    first.combine(item)
    var second = first
    second.combine(1)
    return SIMD2(
      UInt64(bitPattern: Int64(first.finalize())), UInt64(bitPattern: Int64(second.finalize())))
  }
}

/// The states of the items that a history goes through.
private struct ItemStates {
  struct Stretch {
    let print: ItemPrint
    /// The record that brought the state about.
    let first: UInt64
    /// The last record before the next one.
    var last: UInt64
  }

  /// Those that count.
  private(set) var all: [Stretch] = []

  init(_ timeline: Timeline, upTo end: UInt64) throws {
    var print = ItemPrint()
    var before = Roster()
    var partial: [Stretch] = []
    try timeline.replay(upTo: .record(end)) { moment, roster in
      defer { before = roster }
      let touched = Set(moment.outcome.changes.filter(\.field.isOfItem).compactMap(\.contact))
      let becameComplete = roster.completeness == .complete && before.completeness != .complete
      guard !touched.isEmpty || becameComplete else { return }
      for contact in touched {
        print.remove(before.item(contact))
        print.add(roster.item(contact))
      }
      let stretch = Stretch(print: print, first: moment.stamp.record, last: end)
      if roster.completeness == .complete {
        Self.append(stretch, to: &all)
      } else {
        Self.append(stretch, to: &partial)
      }
    }
    if all.isEmpty { all = partial }
  }

  private static func append(_ stretch: Stretch, to stretches: inout [Stretch]) {
    if !stretches.isEmpty { stretches[stretches.count - 1].last = stretch.first - 1 }
    stretches.append(stretch)
  }

  /// The record that ends a state, or, for none, the one that brings about the first.
  func change(after index: Int?) -> UInt64? {
    let next = index.map { $0 + 1 } ?? 0
    return next < all.count ? all[next].first : nil
  }
}
