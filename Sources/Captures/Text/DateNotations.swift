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
    var names: [String: Int] = ["май": 5, "avr": 4, "jui": 6, "aoû": 8, "fév": 2]
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

/// Dates in numbers whose year comes last, `22/07/2015 21:07:17` or `21.11.2026, 07:25:14`.
enum NumericDate {
  /// The first one in a text, as a time by a clock that does not say its zone; nil if there is
  /// none.
  ///
  /// A number over 12 is the day. Else the day comes first, unless the clock has twelve hours: only
  /// the countries that write the month first have both.
  static func time(in text: ArraySlice<UInt8>) -> LogTime? {
    var rest = text
    while rest.count >= 15 {
      if rest[rest.startIndex].isDigit, let found = time(at: rest) { return found }
      let isDigit = rest[rest.startIndex].isDigit
      rest = isDigit ? rest.drop(while: \.isDigit) : rest.dropFirst()
    }
    return nil
  }

  private static func time(at text: ArraySlice<UInt8>) -> LogTime? {
    var scanner = ByteScanner(text)
    guard let first = number(&scanner, 2), let separator = scanner.take(1).first,
      "/.-".utf8.contains(separator), let second = number(&scanner, 2),
      scanner.take(1).first == separator, let year = number(&scanner, 4), year >= 1000
    else { return nil }
    _ = scanner.skip(",")
    guard scanner.skip(" ") || scanner.skip("T"), let hour = number(&scanner, 2),
      scanner.skip(":"), let minutes = scanner.digits("00:00")
    else { return nil }
    var rest = scanner.rest
    let fraction = LogTime.fraction(&rest)
    let half = rest.withoutLeadingSpace.prefix(2)
    let isMorning = half.elementsEqual("AM".utf8) || half.elementsEqual("am".utf8)
    let isEvening = half.elementsEqual("PM".utf8) || half.elementsEqual("pm".utf8)
    var clockHour = hour
    if isMorning || isEvening {
      guard (1...12).contains(hour) else { return nil }
      clockHour = hour % 12 + (isEvening ? 12 : 0)
    }
    let isMonthFirst = second > 12 || (first <= 12 && (isMorning || isEvening))
    let (month, day) = isMonthFirst ? (first, second) : (second, first)
    guard
      case .local(let time)? = LogTime.local(
        year, month, day, [clockHour, minutes[0], minutes[1]])
    else { return nil }
    return .local(time + fraction)
  }

  private static func number(_ scanner: inout ByteScanner, _ maximum: Int) -> Int? {
    let digits = scanner.take(while: \.isDigit)
    guard (1...maximum).contains(digits.count) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }
}
