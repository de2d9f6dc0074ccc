import XMPPStanza

/// The short names of months in the languages of logs.
enum MonthNames {
  private static let names: [String: Int] = {
    let languages = [
      "jan feb mar apr may jun jul aug sep oct nov dec",  // English
      "jan feb mär apr mai jun jul aug sep okt nov dez",  // German
      "janv févr mars avril mai juin juil août sept oct nov déc",  // French
      "ene feb mar abr may jun jul ago sep oct nov dic",  // Spanish
      "gen feb mar apr mag giu lug ago set ott nov dic",  // Italian
      "jan fev mar abr mai jun jul ago set out nov dez",  // Portuguese
      "jan feb mrt apr mei jun jul aug sep okt nov dec",  // Dutch
      "sty lut mar kwi maj cze lip sie wrz paź lis gru",  // Polish
      "янв фев мар апр мая июн июл авг сен окт ноя дек",  // Russian
    ]
    var names: [String: Int] = ["май": 5, "avr": 4, "jui": 7, "aoû": 8, "fév": 2, "maa": 3]
    for language in languages {
      for (index, name) in language.split(separator: " ").enumerated() {
        names[String(name)] = index + 1
      }
    }
    return names
  }()

  /// The number of a month, from 1, by its short name with or without a period, or by a number
  /// before `月` or `월`; nil for any other word.
  static func number(of word: ArraySlice<UInt8>) -> Int? {
    guard word.count <= 16 else { return nil }
    var text = String(decoding: word, as: UTF8.self).lowercased()
    if text.hasSuffix(".") { text.removeLast() }
    if text.hasSuffix("月") || text.hasSuffix("월") {
      return Int(text.dropLast()).flatMap { (1...12).contains($0) ? $0 : nil }
    }
    return names[text]
  }
}

/// The first number of a date whose year comes last: its day or its month.
package enum DateOrder: Hashable, Sendable, CaseIterable {
  case dayFirst
  case monthFirst
}

/// A date in numbers with the year last, `22/07/2015 21:07:17` or `21.11.2026, 07:25:14`, from a
/// clock that does not name its zone.
///
/// A single date may leave open which of the first two numbers is the day; a whole log may settle
/// it.
struct NumericDate: Hashable {
  let first: Int
  let second: Int
  let year: Int
  /// Since midnight.
  let milliseconds: Int64
  /// The order that usually goes with the notation: day first with periods, month first with a
  /// twelve-hour clock in capital letters and no leading zeros.
  let usualOrder: DateOrder?

  /// The first date in a text; nil if there is none.
  init?(in text: ArraySlice<UInt8>) {
    var rest = text
    while rest.count >= 15 {
      let isDigit = rest[rest.startIndex].isDigit
      if isDigit, let found = NumericDate(at: rest), found.isDate {
        self = found
        return
      }
      rest = isDigit ? rest.drop(while: \.isDigit) : rest.dropFirst()
    }
    return nil
  }

  private init?(at text: ArraySlice<UInt8>) {
    var scanner = ByteScanner(text)
    guard let first = Self.number(&scanner, 2), let separator = scanner.take(1).first,
      "/.-".utf8.contains(separator)
    else { return nil }
    let isPadded = [text.first, scanner.rest.first].contains(UInt8(ascii: "0"))
    guard let second = Self.number(&scanner, 2), scanner.take(1).first == separator,
      let year = Self.number(&scanner, 4), year >= 1000
    else { return nil }
    _ = scanner.skip(",")
    guard scanner.skip(" ") || scanner.skip("T"), let hour = Self.number(&scanner, 2),
      scanner.skip(":"), let minutes = scanner.digits("00:00")
    else { return nil }
    var rest = scanner.rest
    let fraction = LogTime.fraction(&rest)
    let isCapital = rest.withoutLeadingSpace.first.map { "AP".utf8.contains($0) } ?? false
    let half = LogTime.half(&rest)
    guard
      let clock = Timestamp.clock(
        LogTime.hour(Int64(hour), half), Int64(minutes[0]), Int64(minutes[1]))
    else { return nil }
    (self.first, self.second, self.year) = (first, second, year)
    milliseconds = clock + fraction
    switch separator {
    case UInt8(ascii: "."): usualOrder = .dayFirst
    case UInt8(ascii: "/") where half != nil && isCapital && !isPadded: usualOrder = .monthFirst
    default: usualOrder = nil
    }
  }

  private static func number(_ scanner: inout ByteScanner, _ maximum: Int) -> Int? {
    let digits = scanner.take(while: \.isDigit)
    guard (1...maximum).contains(digits.count) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private var isDate: Bool { DateOrder.allCases.contains { days($0) != nil } }

  private func days(_ order: DateOrder) -> Int64? {
    switch order {
    case .dayFirst: Timestamp.days(Int64(year), Int64(second), Int64(first))
    case .monthFirst: Timestamp.days(Int64(year), Int64(first), Int64(second))
    }
  }

  /// The only order that gives a valid date; nil if both do.
  var onlyValidOrder: DateOrder? {
    let allowed = DateOrder.allCases.filter { days($0) != nil }
    return allowed.count == 1 ? allowed[0] : nil
  }

  /// The time as if the clock were UTC; nil if the day is ambiguous and no order is given.
  func time(_ order: DateOrder?) -> Int64? {
    let order = onlyValidOrder ?? order ?? (first == second ? .dayFirst : nil)
    return order.flatMap(days).map { $0 * Timestamp.day + milliseconds }
  }
}

extension DateOrder {
  /// The order of a log's dates; nil if the dates do not settle it.
  ///
  /// It is the only order that makes all of them valid, or else the usual order of their notation,
  /// or else the order that makes them run in one direction and in a much shorter span of time.
  static func order(of dates: [NumericDate]) -> DateOrder? {
    let certain = Set(dates.compactMap(\.onlyValidOrder))
    guard certain.isEmpty else { return certain.count == 1 ? certain.first : nil }
    let usualOrder = Set(dates.compactMap(\.usualOrder))
    guard usualOrder.isEmpty else { return usualOrder.count == 1 ? usualOrder.first : nil }
    let spans = allCases.compactMap { order in
      span(of: dates.compactMap { $0.time(order) }).map { (order: order, span: $0) }
    }
    guard spans.count > 1 else { return spans.first?.order }
    let (shorter, longer) = spans[0].span < spans[1].span ? (0, 1) : (1, 0)
    return spans[shorter].span * minimumSpanRatio <= spans[longer].span
      && spans[longer].span > 0 ? spans[shorter].order : nil
  }

  /// How many times longer the span of the wrong order must be. Days read as months stretch a span
  /// about thirty times.
  private static let minimumSpanRatio: Int64 = 8

  /// The time from the first to the last; nil unless the times only increase or only decrease.
  private static func span(of times: [Int64]) -> Int64? {
    let steps = zip(times, times.dropFirst())
    guard let first = times.first, let last = times.last,
      steps.allSatisfy({ $0 <= $1 }) || steps.allSatisfy({ $0 >= $1 })
    else { return nil }
    return abs(last - first)
  }
}
