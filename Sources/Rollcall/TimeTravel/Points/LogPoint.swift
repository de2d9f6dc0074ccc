import Captures

/// A moment of a log, as it is named on a command line.
///
/// A record number is the state after that record, 0 the state before all of them.
public enum LogPoint: Hashable, Sendable {
  /// After this record; 0 is before all.
  case record(UInt64)
  /// After the last record, or this many before it.
  case head(minus: UInt64)
  /// After the last record at or before this time, milliseconds since 1970.
  case time(Int64)
  /// As `time`, this many milliseconds before the newest time in the log.
  case earlier(milliseconds: Int64)
  /// As `time`, at this time of day, in milliseconds from its beginning and less than a day has,
  /// when it was last before the newest time.
  case clock(milliseconds: Int64)
  /// The moment that a bookmark marks.
  case bookmark(String)

  /// Reads a record number, `head`, `head~10`, a time, a time of day, a span before the newest
  /// time (`-5m` or `head-5m`), or a bookmark's name.
  ///
  /// A time without a zone is in UTC, as all times that are printed; one without a time of day is
  /// the beginning of that day.
  ///
  /// - Throws: `PointError` where it is none of these.
  public init(parsing text: String) throws(PointError) {
    guard let point = Self.position(text) ?? Self.span(text) ?? Self.time(text) else {
      guard Bookmark.isName(text) else { throw .malformed(text) }
      self = .bookmark(text)
      return
    }
    self = point
  }

  private static func position(_ text: String) -> LogPoint? {
    // As it is printed, and as it is typed where # begins a comment.
    let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
    if let number = UInt64(digits), digits.first != "+" { return .record(number) }
    if text == "head" { return .head(minus: 0) }
    guard text.hasPrefix("head~"), text.utf8.dropFirst(5).allSatisfy(\.isDigit) else { return nil }
    return UInt64(text.dropFirst(5)).map { .head(minus: $0) }
  }

  /// Reads `-1h30m` and the like.
  private static func span(_ text: String) -> LogPoint? {
    let text = text.hasPrefix("head-") ? text.dropFirst(4) : text[...]
    guard text.first == "-", text.count > 1 else { return nil }
    var total: Int64 = 0
    var rest = text.dropFirst()
    while !rest.isEmpty {
      let digits = rest.prefix { $0.utf8.allSatisfy(\.isDigit) }
      guard let count = Int64(digits), let unit = rest.dropFirst(digits.count).first,
        let length = units[unit]
      else { return nil }
      let (product, isTooLong) = count.multipliedReportingOverflow(by: length)
      let (sum, isTooMuch) = total.addingReportingOverflow(product)
      guard !isTooLong, !isTooMuch else { return nil }
      total = sum
      rest = rest.dropFirst(digits.count + 1)
    }
    return .earlier(milliseconds: total)
  }

  private static let units: [Character: Int64] = [
    "s": 1000, "m": 60_000, "h": 3_600_000, "d": Timestamp.day,
  ]

  private static func time(_ text: String) -> LogPoint? {
    // The day and the time of day may also stand apart, as people write them.
    let joined = text.split(separator: " ", omittingEmptySubsequences: false)
      .joined(separator: "T")
    for tail in ["", "Z", ":00Z", "T00:00:00Z"] {
      if let time = Timestamp.parse(joined + tail) { return .time(time) }
    }
    for tail in ["Z", ":00Z"] {
      if let time = Timestamp.parse("1970-01-01T" + text + tail) {
        return .clock(milliseconds: time)
      }
    }
    return nil
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

/// Why a point cannot be gone to.
public enum PointError: Error, Hashable, Sendable {
  /// The text is none of the forms of a point.
  case malformed(String)
  /// The log ends before this record.
  case beyondHead(UInt64, head: UInt64)
  /// The log has fewer records than that before its head.
  case beforeStart(UInt64, head: UInt64)
  /// No record of the log has a time, so no time names a point.
  case noTimes
  /// No day has this time, in milliseconds from its beginning.
  case noTimeOfDay(Int64)
  /// The second record is before the first.
  case reversed(from: UInt64, to: UInt64)
  /// The log has no bookmark of that name; these it has.
  case noBookmark(String, known: [String])
}

extension PointError: CustomStringConvertible {
  /// The forms of a point, for a message or a help text.
  package static let forms = """
    a record number, 0, head, head~10, a time such as 2026-11-20T10:00:00Z or 10:00:00, head-5m, \
    or a bookmark
    """

  /// A sentence for a person.
  public var description: String {
    switch self {
    case .malformed(let text): "“\(text)” is no point: use \(Self.forms)"
    case .beyondHead(let record, let head): "there is no record \(record): the last is \(head)"
    case .beforeStart(let steps, let head):
      "head~\(steps) is before the start: the log has \(head) records"
    case .noTimes: "the records have no times: name the point by a record number"
    case .noTimeOfDay(let clock): "no day has a time of \(clock) milliseconds"
    case .reversed(let start, let end): "record \(end) is before record \(start)"
    case .noBookmark(let name, let known):
      "there is no bookmark “\(name)”"
        + (known.isEmpty
          ? "; a point is \(Self.forms)" : "; there are \(known.joined(separator: ", "))")
        + EditDistance.hint(for: name, among: known + ["head"])
    }
  }
}
