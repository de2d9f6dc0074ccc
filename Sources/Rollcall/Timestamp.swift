import Foundation

/// The time of a record, as it is written and read: milliseconds since 1970, in UTC.
package enum Timestamp {
  /// As in `2026-11-20T10:00:00.000Z` (RFC 3339).
  package static func text(_ milliseconds: Int64) -> String {
    // Whole seconds and thousandths apart: a fraction of a `Date` is not exact.
    let (seconds, thousandths) = milliseconds.quotientAndRemainderFlooring(1000)
    let text = Date(timeIntervalSince1970: Double(seconds)).formatted(withoutFraction)
    let digits = String(thousandths + 1000).dropFirst()
    return "\(text.dropLast()).\(digits)Z"
  }

  /// The time of day alone, for a column, as in `10:00:00.000`.
  package static func clock(_ milliseconds: Int64) -> String {
    String(text(milliseconds).dropFirst(11).dropLast())
  }

  /// Reads a time with a zone, with or without fractions; nil where the text is none.
  package static func parse(_ text: String) -> Int64? {
    guard let date = (try? withFraction.parse(text)) ?? (try? withoutFraction.parse(text)) else {
      return nil
    }
    return Int64((date.timeIntervalSince1970 * 1000).rounded())
  }

  private static let withFraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  private static let withoutFraction = Date.ISO8601FormatStyle()
}

extension Int64 {
  /// The quotient rounded down, and the remainder, which is never negative.
  fileprivate func quotientAndRemainderFlooring(_ divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
