public import Foundation
public import RosterCore

// Moments as people name them.
extension LogPoint {
  /// After the last record.
  public static var head: LogPoint { .head(minus: 0) }

  /// After the last record at or before a date, to the millisecond.
  public static func at(_ date: Date) -> LogPoint { .time(date.millisecondsSince1970) }

  /// As `at`, this long before the newest time in the log: `.earlier(by: .seconds(3600))`.
  public static func earlier(by span: Duration) -> LogPoint {
    let (seconds, attoseconds) = span.components
    let whole = seconds.multipliedReportingOverflow(by: 1000)
    let sum = whole.partialValue.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    guard !whole.overflow, !sum.overflow else {
      return .earlier(milliseconds: seconds < 0 ? .min : .max)
    }
    return .earlier(milliseconds: sum.partialValue)
  }
}

extension RecordStamp {
  /// When the record was made, by the clock of its source; nil if that is not known.
  public var date: Date? {
    time.map { Date(timeIntervalSince1970: TimeInterval($0) / 1000) }
  }
}

extension Date {
  /// The nearest millisecond that a log can hold.
  fileprivate var millisecondsSince1970: Int64 {
    let milliseconds = (timeIntervalSince1970 * 1000).rounded()
    return Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
  }
}
