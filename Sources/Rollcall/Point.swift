/// A moment of a log, as it is named on a command line.
///
/// A record number is the state after that record, 0 the state before all of them.
package enum Point: Hashable, Sendable {
  /// After this record; 0 is before all.
  case record(UInt64)
  /// After the last record, or so many before it.
  case head(minus: UInt64)
  /// After the last record at or before this time, milliseconds since 1970.
  case time(Int64)

  /// Reads `123`, `0`, `head`, `head~10` or a time with a zone, such as
  /// `2026-11-20T10:00:00Z`.
  package init(parsing text: String) throws(PointError) {
    if let number = UInt64(text) {
      self = .record(number)
    } else if text == "head" {
      self = .head(minus: 0)
    } else if text.hasPrefix("head~"), let steps = UInt64(text.dropFirst(5)) {
      self = .head(minus: steps)
    } else if let time = Timestamp.parse(text) {
      self = .time(time)
    } else {
      throw .malformed(text)
    }
  }
}

/// Why a point cannot be gone to.
package enum PointError: Error, Hashable, Sendable {
  /// The text is none of the forms of a point.
  case malformed(String)
  /// The log ends before this record.
  case beyondHead(UInt64, head: UInt64)
  /// The log has fewer records than that before its head.
  case beforeStart(UInt64, head: UInt64)
  /// No record of the log has a time, so no time names a point.
  case noTimes
}

extension PointError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .malformed(let text):
      """
      “\(text)” is no point: use a record number, head, head~10, or a time with a zone such as \
      2026-11-20T10:00:00Z
      """
    case .beyondHead(let record, let head): "there is no record \(record): the last is \(head)"
    case .beforeStart(let steps, let head):
      "head~\(steps) is before the start: the log has \(head) records"
    case .noTimes: "the records have no times: name the point by a record number"
    }
  }
}
