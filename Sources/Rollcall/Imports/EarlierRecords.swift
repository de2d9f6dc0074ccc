package import EventStore

extension EventLog {
  /// The number of records after a position that are, by their own clock, earlier than the time the
  /// log had reached there; nil if there are none.
  ///
  /// Complexity: linear in the records after the position.
  package func recordsEarlier(
    thanTheirPlace place: UInt64
  ) throws -> (count: Int, clock: Int64)? {
    let (last, clock) = try read { transaction in
      (try transaction.lastSequence, try transaction.header(at: place)?.clock)
    }
    guard let clock, last > place else { return nil }
    var count = 0
    try forEachRecord(in: place + 1...last) { header, _ in
      if let time = header.sourceTime, time < clock { count += 1 }
    }
    return count > 0 ? (count, clock) : nil
  }
}
