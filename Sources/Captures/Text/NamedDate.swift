/// Dates with the name of a month and a year: `5. März 2026 08:05:06`, `05/Mar/2026:08:05:06`,
/// `Mar 5, 2026, 8:05:06 PM`, `Thu Mar  5 08:05:06 2026`, and `2026年3月5日 下午8:05:06`.
enum NamedDate {
  /// The positions of day, clock and year relative to the month.
  private static let orders = [
    (day: -1, clock: 2, year: 1), (day: 1, clock: 2, year: -1), (day: 1, clock: 3, year: 2),
    (day: 1, clock: 2, year: 5),
  ]
  private static let separators = Set(" .,/-:[".utf8)
  private static let maximumWords = 24

  /// The first such date in a text, as a local time; nil if there is none.
  static func time(in text: ArraySlice<UInt8>) -> LogTime? {
    // A clock time has two colons and a year has four digits. Few texts before stanzas have both.
    guard text.count >= 14, text.count(where: { $0 == UInt8(ascii: ":") }) >= 2,
      text.split(whereSeparator: { !$0.isDigit }).contains(where: { $0.count == 4 })
    else { return nil }
    var (words, half) = ([ArraySlice<UInt8>](), LogTime.Half?.none)
    for word in allWords(of: text) {
      let name = String(decoding: word, as: UTF8.self).lowercased()
      // In German, `am` comes before a date.
      let followsNumber = words.last?.first?.isDigit ?? false
      switch name {
      case "am" where followsNumber: half = .morning
      case "pm" where followsNumber: half = .evening
      case "年", "日", "년", "일": continue
      default:
        if name.contains("上午") {
          half = .morning
        } else if name.contains("下午") {
          half = .evening
        } else {
          words.append(word)
        }
      }
    }
    for index in words.indices {
      guard let month = MonthNames.number(ofFull: words[index]) else { continue }
      if let time = time(month, at: index, words, half) { return time }
    }
    return nil
  }

  private static func time(
    _ month: Int, at index: Int, _ words: [ArraySlice<UInt8>], _ half: LogTime.Half?
  ) -> LogTime? {
    func number(_ offset: Int, _ range: ClosedRange<Int>) -> Int? {
      guard words.indices.contains(index + offset), words[index + offset].count <= 4,
        let value = Int(String(decoding: words[index + offset], as: UTF8.self)),
        range.contains(value)
      else { return nil }
      return value
    }
    for order in orders {
      guard let day = number(order.day, 1...31), let year = number(order.year, 1970...2999),
        let hour = number(order.clock, 0...23), let minute = number(order.clock + 1, 0...59),
        let second = number(order.clock + 2, 0...60)
      else { continue }
      let hourOfDay = Int(LogTime.hour(Int64(hour), half))
      return LogTime.local(year, month, day, [hourOfDay, minute, second])
    }
    return nil
  }

  /// Splits a text into runs of digits and runs of other characters, without separators. The sign
  /// for a month in Chinese or Korean stays with its number.
  private static func allWords(of text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var words: [ArraySlice<UInt8>] = []
    var rest = text
    while let byte = rest.first, words.count < maximumWords {
      guard !separators.contains(byte) else {
        rest = rest.dropFirst()
        continue
      }
      var end = rest.drop { $0.isDigit == byte.isDigit && !separators.contains($0) }
      for sign in ["月", "월"] where byte.isDigit && end.starts(with: sign.utf8) {
        end = end.dropFirst(sign.utf8.count)
      }
      words.append(rest[..<end.startIndex])
      rest = end
    }
    return words
  }
}

extension MonthNames {
  /// The number of a month by its short name or its full name.
  fileprivate static func number(ofFull word: ArraySlice<UInt8>) -> Int? {
    if let number = number(of: word) { return number }
    let beginning = String(decoding: word, as: UTF8.self).prefix(3)
    return word.first?.isDigit == true ? nil : number(of: Array(beginning.utf8)[...])
  }
}
