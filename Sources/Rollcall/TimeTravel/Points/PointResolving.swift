import Captures
import EventStore

extension Timeline {
  /// The number of the record that a point names.
  ///
  /// - Throws: `RollcallError` if there is no such point, or the log cannot be read.
  ///
  /// Complexity: O(log n), and for a bookmark linear in those that there are.
  public func record(at point: LogPoint) throws(RollcallError) -> UInt64 {
    try RollcallError.converting {
      switch point {
      case .record(let number):
        let head = try log.read { try $0.lastSequence }
        guard number <= head else { throw PointError.beyondHead(number, head: head) }
        return number
      case .head(let steps):
        let head = try log.read { try $0.lastSequence }
        guard steps <= head else { throw PointError.beforeStart(steps, head: head) }
        return head - steps
      case .time, .earlier, .clock: return try lastRecord { try time(of: point, newest: $0) }
      case .bookmark(let name):
        let known = try bookmarks
        guard let bookmark = known.first(where: { $0.name == name }) else {
          throw PointError.noBookmark(name, known: known.map(\.name))
        }
        return bookmark.point
      }
    }
  }

  /// The last record before those that a range has which begins at a point: a record by its number
  /// is in it, as is what has the time.
  package func record(before point: LogPoint) throws -> UInt64 {
    switch point {
    case .record(let number):
      return try record(at: .record(number == 0 ? 0 : number - 1))
    case .time, .earlier, .clock:
      return try lastRecord { newest in
        guard let time = try time(of: point, newest: newest), time > .min else { return nil }
        return time - 1
      }
    case .head, .bookmark: return try record(at: point)
    }
  }

  /// The time that a point names; nil before all times, and for one that names a record.
  ///
  /// - Throws: `PointError` where it is no time of a day.
  private func time(of point: LogPoint, newest: Int64) throws -> Int64? {
    switch point {
    case .time(let time): return time
    case .earlier(let span):
      let (time, isBeforeAll) = newest.subtractingReportingOverflow(span)
      return isBeforeAll ? nil : time
    case .clock(let clock):
      guard (0..<Timestamp.day).contains(clock) else { throw PointError.noTimeOfDay(clock) }
      let day = Timestamp.day
      let now = (newest % day + day) % day
      let (time, isBeforeAll) = newest.subtractingReportingOverflow((now - clock + day) % day)
      return isBeforeAll ? nil : time
    case .record, .head, .bookmark: return nil
    }
  }

  /// The last record at or before a time, which may depend on the newest one in the log; nil is
  /// before all.
  private func lastRecord(
    atOrBefore time: (_ newest: Int64) throws -> Int64?
  ) throws -> UInt64 {
    try log.read { transaction in
      guard let last = try transaction.header(at: transaction.lastSequence) else { return 0 }
      guard let newest = last.clock else { throw PointError.noTimes }
      return try time(newest).map { try transaction.lastSequence(atOrBefore: $0) } ?? 0
    }
  }
}
