import XMPPStanza

/// Reads the times of delay stamps as milliseconds since 1970 UTC (XEP-0082, XEP-0091).
enum StampReading {
  /// The time of `2026-11-26T12:43:44.5Z` or `2026-11-26T13:43:44+01:00`; nil for any other text.
  static func time(_ text: String?) -> Int64? {
    guard var scanner = text.map({ DigitScanner($0.trimmedOfXMLSpace) }),
      let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2),
      scanner.skip("-"), let day = scanner.number(2), scanner.skip("T"),
      let clock = scanner.clock, let days = days(year, month, day)
    else { return nil }
    let fraction = scanner.fraction
    guard let offset = scanner.zone, scanner.isAtEnd else { return nil }
    return days * 86_400_000 + clock + fraction - offset
  }

  /// The time of `20261126T12:43:44`, which is in UTC; nil for any other text.
  static func legacyTime(_ text: String?) -> Int64? {
    guard var scanner = text.map({ DigitScanner($0.trimmedOfXMLSpace) }),
      let year = scanner.number(4), let month = scanner.number(2), let day = scanner.number(2),
      scanner.skip("T"), let clock = scanner.clock, scanner.isAtEnd,
      let days = days(year, month, day)
    else { return nil }
    return days * 86_400_000 + clock
  }

  /// The days from 1970-01-01 to a day; nil if the calendar has no such day.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...12).contains(month), (1...lengths[Int(month) - 1]).contains(day) else { return nil }
    let before = year - 1
    let leaps = before / 4 - before / 100 + before / 400
    let daysBefore = lengths.prefix(Int(month) - 1).reduce(0, +)
    // 719,162 days are before 1970 in a calendar that begins with the year 1.
    return before * 365 + leaps + daysBefore + day - 1 - 719_162
  }
}

/// Reads numbers of a fixed length from a text.
private struct DigitScanner {
  private let bytes: [UInt8]
  private var index = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  var isAtEnd: Bool { index == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: character) | 0x20 else {
      return false
    }
    index += 1
    return true
  }

  mutating func number(_ count: Int) -> Int64? {
    guard index + count <= bytes.count else { return nil }
    var number: Int64 = 0
    for byte in bytes[index..<(index + count)] {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      number = number * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    index += count
    return number
  }

  /// A time of day in milliseconds; a second of 60 is a leap second.
  var clock: Int64? {
    mutating get {
      guard let hour = number(2), skip(":"), let minute = number(2), skip(":"),
        let second = number(2), hour < 24, minute < 60, second <= 60
      else { return nil }
      return ((hour * 60 + minute) * 60 + second) * 1000
    }
  }

  /// A fraction of a second in milliseconds; 0 if there is none.
  var fraction: Int64 {
    mutating get {
      let start = index
      guard skip(".") else { return 0 }
      var (milliseconds, weight): (Int64, Int64) = (0, 100)
      let first = index
      while let digit = number(1) {
        milliseconds += digit * weight
        weight /= 10
      }
      if index == first { index = start }
      return milliseconds
    }
  }

  /// The offset of a zone in milliseconds; nil if there is none.
  var zone: Int64? {
    mutating get {
      if skip("Z") { return 0 }
      guard index < bytes.count else { return nil }
      let sign: Int64
      switch bytes[index] {
      case UInt8(ascii: "+"): sign = 1
      case UInt8(ascii: "-"): sign = -1
      default: return nil
      }
      index += 1
      guard let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60
      else { return nil }
      return sign * (hours * 60 + minutes) * 60_000
    }
  }
}
