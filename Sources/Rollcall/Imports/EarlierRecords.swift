package import EventStore

extension EventLog {
  /// How many records after a place in the log are, by their own clock, of before the time that the
  /// log had reached there; nil where none is.
  ///
  /// Complexity: linear in the records after the place.
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
