/// The time of a record as it is written and read: milliseconds since 1970, in UTC.
package enum Timestamp {
  /// A day in milliseconds.
  package static let day: Int64 = 86_400_000
  /// The number of days in any 400 years of the Gregorian calendar.
  private static let daysOf400Years: Int64 = 146_097
  /// The days from 0000-03-01, where `date(ofDay:)` starts counting, to 1970-01-01.
  private static let daysBefore1970: Int64 = 719_468

  // MARK: Writing

  /// The time as text, as in `2026-11-20T10:00:00.000Z` (RFC 3339).
  ///
  /// A year after 9999 has more digits, and a year before 0 has a sign, so that every time that a
  /// log can hold has a text.
  package static func text(_ milliseconds: Int64) -> String {
    let (year, month, dayOfMonth) = date(ofDay: milliseconds.quotientAndRemainder(day).quotient)
    let date = "\(digits(year, 4))-\(digits(month, 2))-\(digits(dayOfMonth, 2))"
    return "\(date)T\(clock(milliseconds))Z"
  }

  /// The time of day alone, for a column, as in `10:00:00.000`.
  package static func clock(_ milliseconds: Int64) -> String {
    let (seconds, thousandths) = milliseconds.quotientAndRemainder(day).remainder
      .quotientAndRemainder(1000)
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
    return "\(digits(hour, 2)):\(digits(minute, 2)):\(digits(second, 2)).\(digits(thousandths, 3))"
  }

  private static func digits(_ value: Int64, _ count: Int) -> String {
    let text = String(value.magnitude)
    return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, count - text.count)) + text
  }

  // MARK: Reading

  /// The time of a text such as `2026-11-20T10:00:00.000+01:00` (RFC 3339); nil for any other text.
  ///
  /// The zone is required and the fraction optional. A day or an hour that does not exist gives
  /// nil.
  ///
  /// Digits finer than a millisecond are cut off.
  package static func parse(_ text: String) -> Int64? {
    var rest = TimestampText(text)
    guard let year = rest.number(4), rest.skip("-") != nil,
      let month = rest.number(2), rest.skip("-") != nil,
      let dayOfMonth = rest.number(2), rest.skip("Tt") != nil,
      let hour = rest.number(2), rest.skip(":") != nil,
      let minute = rest.number(2), rest.skip(":") != nil,
      let second = rest.number(2), let thousandths = rest.thousandths(), let offset = rest.zone(),
      rest.isEmpty, let day = days(year, month, dayOfMonth), let clock = clock(hour, minute, second)
    else { return nil }
    return day * Self.day + clock + thousandths - offset
  }

  // MARK: The calendar and the clock

  /// The days from 1970-01-01 to a day of the years 0 to 9999; nil if the calendar has no such day.
  static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
    guard (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else {
      return nil
    }
    // Years are counted from March, so that the leap day comes last.
    let shifted = month > 2 ? year : year - 1
    let (era, yearOfEra) = shifted.quotientAndRemainder(400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * daysOf400Years + dayOfEra - daysBefore1970
    let date = date(ofDay: days)
    return date.month == month && date.day == day ? days : nil
  }

  /// The calendar date of the day that is this many days after 1970-01-01.
  private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (day + daysBefore1970).quotientAndRemainder(daysOf400Years)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (
      era * 400 + yearOfEra + (month < 3 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1
    )
  }

  /// The milliseconds from midnight to a time of day; nil if no clock shows it. A second of 60 is a
  /// leap second, and counts as the first second of the next minute.
  static func clock(_ hour: Int64, _ minute: Int64, _ second: Int64) -> Int64? {
    guard (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second) else {
      return nil
    }
    return ((hour * 60 + minute) * 60 + second) * 1000
  }
}

/// What is left of a time's text while it is read.
///
/// A redaction looks at most values of a log for times, and matching a regular expression takes a
/// hundred times as long.
private struct TimestampText {
  private var rest: Substring.UTF8View

  init(_ text: String) {
    rest = text[...].utf8
  }

  var isEmpty: Bool { rest.isEmpty }

  /// Takes exactly this many digits; nil if there are fewer.
  mutating func number(_ count: Int) -> Int64? {
    let digits = rest.prefix(count)
    guard digits.count == count, digits.allSatisfy(\.isDigit) else { return nil }
    rest = rest.dropFirst(count)
    return Int64(String(decoding: digits, as: UTF8.self))
  }

  /// Takes the next byte if it is one of these characters.
  mutating func skip(_ characters: StaticString) -> UInt8? {
    guard let byte = rest.first,
      characters.withUTF8Buffer({ $0.contains(byte) })
    else { return nil }
    rest = rest.dropFirst()
    return byte
  }

  /// Takes the fraction of a second, if there is one; nil if it has no digits.
  mutating func thousandths() -> Int64? {
    guard skip(".") != nil else { return 0 }
    let digits = rest.prefix(while: \.isDigit)
    rest = rest.dropFirst(digits.count)
    guard !digits.isEmpty else { return nil }
    return Int64((String(decoding: digits.prefix(3), as: UTF8.self) + "00").prefix(3))
  }

  /// Takes the zone: the milliseconds by which it is ahead of UTC.
  mutating func zone() -> Int64? {
    guard let sign = skip("Zz+-") else { return nil }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return 0 }
    guard let hours = number(2), hours < 24, skip(":") != nil, let minutes = number(2), minutes < 60
    else { return nil }
    return (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -60_000 : 60_000)
  }
}

extension Int64 {
  /// The quotient rounded down, and the remainder, which is never negative.
  package func quotientAndRemainder(_ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
