import Foundation

/// A time as a log writes it.
enum LogTime: Hashable {
  /// A `Timestamp`: milliseconds since 1970 in UTC.
  case complete(Int64)
  /// Milliseconds since 1970 from a clock that does not name its zone, read as if it were UTC.
  case local(Int64)
  /// A date in which the order of day and month is not known, from a clock without a zone.
  case numeric(NumericDate)
  /// A clock without a year: month, day, and milliseconds of the day.
  case withoutYear(month: Int, day: Int, milliseconds: Int64)

  /// The first time such as `2026-11-20T10:00:00` in a text; nil if there is none.
  ///
  /// The date has `-` or `/` in it and `T` or a space after it. A fraction after `.`, `,` or `:`,
  /// `AM` or `PM`, and a zone are optional. Dates in other notations are found if there is none of
  /// this kind.
  static func isoTime(in text: ArraySlice<UInt8>) -> LogTime? {
    var rest = text
    while rest.count >= 19 {
      if rest[rest.startIndex].isDigit, let found = isoTime(at: rest) { return found }
      rest = rest.dropFirst()
    }
    return NumericDate(in: text).map { .numeric($0) } ?? NamedDate.time(in: text)
  }

  private static func isoTime(at text: ArraySlice<UInt8>) -> LogTime? {
    let shape = Array("0000-00-00T00:00:00".utf8)
    for (byte, expected) in zip(text, shape) {
      switch expected {
      case UInt8(ascii: "0"): guard byte.isDigit else { return nil }
      case UInt8(ascii: "T"):
        guard byte == expected || byte == UInt8(ascii: " ") else { return nil }
      case UInt8(ascii: "-"):
        guard byte == expected || byte == UInt8(ascii: "/") else { return nil }
      default: guard byte == expected else { return nil }
      }
    }
    func field(_ offset: Int, _ count: Int) -> Int64 {
      text.dropFirst(offset).prefix(count).reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
    var rest = text.dropFirst(shape.count)
    let fraction = fraction(&rest)
    let hour = hour(field(11, 2), half(&rest))
    guard let day = Timestamp.days(field(0, 4), field(5, 2), field(8, 2)),
      let clock = Timestamp.clock(hour, field(14, 2), field(17, 2))
    else { return nil }
    let time = day * Timestamp.day + clock + fraction
    return offset(rest).map { .complete(time - $0) } ?? .local(time)
  }

  /// The time at the beginning of a text, such as `Nov 21 07:14:48`, with the month in one of
  /// several languages.
  static func monthTime(_ text: ArraySlice<UInt8>) -> LogTime? {
    let words = text.split(separator: UInt8(ascii: " "), maxSplits: 3)
    guard words.count >= 3, let month = MonthNames.number(of: words[0]),
      let day = Int(String(decoding: words[1], as: UTF8.self))
    else { return nil }
    let clock = words[2].prefix(8).split(separator: UInt8(ascii: ":"))
      .map { Int(String(decoding: $0, as: UTF8.self)) ?? -1 }
    return withoutYear(month, day, clock + [0])
  }

  /// A time such as `Sat Nov 21 10:46:05 2026`.
  static func calendarTime(_ text: ArraySlice<UInt8>) -> LogTime? {
    let words = text.split(separator: UInt8(ascii: " "))
    guard words.count == 5, words[0].count == 3, words[4].count == 4,
      let year = Int64(String(decoding: words[4], as: UTF8.self)),
      case .withoutYear(let month, let day, let time)? = monthTime(text.dropFirst(4))
    else { return nil }
    return Timestamp.days(year, Int64(month), Int64(day)).map {
      .local($0 * Timestamp.day + time)
    }
  }

  /// A time without a year, from a month, a day, and hours, minutes, seconds and milliseconds.
  static func withoutYear(_ month: Int, _ day: Int, _ clock: [Int]) -> LogTime? {
    guard clock.count == 4, (1...12).contains(month), (1...31).contains(day),
      let time = Timestamp.clock(Int64(clock[0]), Int64(clock[1]), Int64(clock[2]))
    else { return nil }
    return .withoutYear(month: month, day: day, milliseconds: time + Int64(clock[3]))
  }

  /// A time without a zone, from a day and hours, minutes and seconds.
  static func local(_ year: Int, _ month: Int, _ day: Int, _ clock: [Int]) -> LogTime? {
    guard clock.count == 3, let day = Timestamp.days(Int64(year), Int64(month), Int64(day)),
      let time = Timestamp.clock(Int64(clock[0]), Int64(clock[1]), Int64(clock[2]))
    else { return nil }
    return .local(day * Timestamp.day + time)
  }

  /// Takes a fraction such as `.689940`, `,689` or `:689`, and returns it in milliseconds.
  static func fraction(_ rest: inout ArraySlice<UInt8>) -> Int64 {
    guard let mark = rest.first, ".,:".utf8.contains(mark) else { return 0 }
    let digits = rest.dropFirst().prefix(while: \.isDigit)
    guard mark != UInt8(ascii: ":") || digits.count == 3 else { return 0 }
    rest = rest.dropFirst(digits.count + 1)
    let firstThree = Array(digits.prefix(3)) + Array(repeating: UInt8(ascii: "0"), count: 3)
    return firstThree.prefix(3).reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }

  /// A half of the day on a twelve-hour clock.
  enum Half: Hashable {
    case morning
    case evening
  }

  /// Takes `AM` or `PM` after a clock time, with or without a space; nil if neither comes next, or
  /// if the letters begin a word.
  static func half(_ rest: inout ArraySlice<UInt8>) -> Half? {
    let text = rest.first == UInt8(ascii: " ") ? rest.dropFirst() : rest
    guard let first = text.first, let second = text.dropFirst().first, second | 0x20 == 0x6D,
      text.dropFirst(2).first.map({ !$0.isLetter && !$0.isDigit }) ?? true
    else { return nil }
    let half: Half
    switch first | 0x20 {
    case UInt8(ascii: "a"): half = .morning
    case UInt8(ascii: "p"): half = .evening
    default: return nil
    }
    rest = text.dropFirst(2)
    return half
  }

  /// The hour of the day on a clock of twelve or twenty-four hours. An hour over 12 counts as
  /// written.
  static func hour(_ hour: Int64, _ half: Half?) -> Int64 {
    guard let half, (1...12).contains(hour) else { return hour }
    return hour % 12 + (half == .evening ? 12 : 0)
  }

  /// The offset of a zone, `Z`, `+01:00` or `-0500`, from UTC in milliseconds; nil if there is
  /// none.
  private static func offset(_ rest: ArraySlice<UInt8>) -> Int64? {
    guard let sign = rest.first else { return nil }
    if sign == UInt8(ascii: "Z") { return 0 }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
    let digits = rest.dropFirst().prefix(5).filter { $0 != UInt8(ascii: ":") }.prefix(4)
    guard digits.count == 4, digits.allSatisfy(\.isDigit) else { return nil }
    let values = digits.map { Int64($0 - UInt8(ascii: "0")) }
    let minutes = (values[0] * 10 + values[1]) * 60 + values[2] * 10 + values[3]
    return (sign == UInt8(ascii: "-") ? -minutes : minutes) * 60_000
  }
}

/// Converts the times of one log into milliseconds since 1970.
struct LogClock {
  /// The year for times that have none; nil if it was not given.
  private var year: Int64?
  private var month = 0
  /// Whether a time could not be converted because its year is unknown.
  private(set) var lacksYear = false
  /// The zone for times that do not name theirs; nil is UTC.
  private let zone: TimeZone?
  /// Whether the day or the month comes first in numeric dates; nil if unknown.
  private let dateOrder: DateOrder?

  /// Creates the clock of a log that is read with these options.
  init(_ options: ReaderOptions) {
    year = options.year.flatMap { (0...9999).contains($0) ? Int64($0) : nil }
    zone = options.zone
    dateOrder = options.carrier.dateOrder
  }

  /// Whole milliseconds since 1970; nil if they are outside the range of dates.
  static func milliseconds(exactly time: Double) -> Int64? {
    // 100,000,000 days before and after 1970, as in ECMAScript.
    guard abs(time) <= 8.64e15 else { return nil }
    return Int64(exactly: time.rounded(.down))
  }

  /// The time; nil if neither the log nor the user determines it.
  mutating func milliseconds(_ stamp: LogTime?) -> Int64? {
    switch stamp {
    case nil: return nil
    case .complete(let time): return time
    case .local(let time): return universal(time)
    case .numeric(let date): return date.time(dateOrder).map(universal)
    case .withoutYear(let newMonth, let day, let time):
      guard let known = year else {
        lacksYear = true
        return nil
      }
      // The year changes from December to January, but not back for a line that is late.
      if month - newMonth > 6 { year = known + 1 }
      month = newMonth
      guard let year, let days = Timestamp.days(year, Int64(month), Int64(day)) else {
        return nil
      }
      return universal(days * Timestamp.day + time)
    }
  }

  /// The UTC time of a local time in the zone.
  ///
  /// An hour that the clock repeats is taken as the first of the two; in an hour that it skips, the
  /// offset from before the change is used.
  private func universal(_ time: Int64) -> Int64 {
    guard let zone else { return time }
    func offset(_ time: Int64) -> Int64 {
      Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time) / 1000))) * 1000
    }
    // One day before, the offset is the one from before any change of that day.
    let before = time - offset(time - Timestamp.day)
    let after = time - offset(time + Timestamp.day)
    let isAfter = before + offset(before) != time && after + offset(after) == time
    return isAfter ? after : before
  }
}
