/// A line of Android's logcat, in any format that names a tag, or as Android Studio shows it:
///
///     11-21 07:25:14.147  1234  5678 D SMACK   : …        -v threadtime, also with year, zone, uid
///     11-21 07:25:14.147 D/SMACK   ( 1234): …             -v time
///     D/SMACK   ( 1234): …                                -v brief
///     D/SMACK   : …                                       -v tag
///     2026-11-21 07:25:14.147 1234-5678/org.app D/SMACK: …           Android Studio until 2022
///     2026-11-21 07:25:14.147  1234-5678  SMACK  org.app  D  …       Android Studio since
struct LogcatLine {
  let tag: String
  let time: LogTime?
  /// The program's text.
  let text: ArraySlice<UInt8>

  init?(_ line: ArraySlice<UInt8>) {
    var scanner = ByteScanner(line)
    time = Self.time(&scanner)
    var words: [ArraySlice<UInt8>] = []
    while words.count <= 3 {
      let head = Array(scanner.rest.prefix(3))
      guard head.count >= 2 else { return nil }
      if Self.levels.contains(head[0]), head[1] == UInt8(ascii: "/") {
        _ = scanner.take(2)
        guard let (tag, text) = Self.tagged(scanner.rest) else { return nil }
        (self.tag, self.text) = (tag, text)
        return
      }
      guard time != nil else { return nil }
      if words.count >= 2, Self.levels.contains(head[0]), head[1] == UInt8(ascii: " ") {
        _ = scanner.take(2)
        if words.count == 3, head.last == UInt8(ascii: " ") {
          tag = String(decoding: words[1], as: UTF8.self)
          text = scanner.rest.dropFirst()
          return
        }
        guard let (tag, text) = Self.tagged(scanner.rest) else { return nil }
        (self.tag, self.text) = (tag, text)
        return
      }
      words.append(scanner.take { $0 != UInt8(ascii: " ") })
      scanner.skipSpaces()
    }
    return nil
  }

  private static let levels = Array("VDIWEFA".utf8)

  /// `11-21 07:25:14.147`, with or without a year and a zone.
  private static func time(_ scanner: inout ByteScanner) -> LogTime? {
    var ahead = scanner
    let hasYear = ahead.digits("0000-") != nil
    guard let clock = ahead.digits("00-00 00:00:00.000") else { return nil }
    _ = ahead.take(while: \.isDigit)
    ahead.skipSpaces()
    var zone = ahead
    let sign = zone.take(1).first
    if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), zone.digits("0000 ") != nil {
      ahead = zone
      ahead.skipSpaces()
    }
    defer { scanner = ahead }
    return hasYear
      ? LogTime.isoTime(in: scanner.rest.prefix(32))
      : LogTime.withoutYear(clock[0], clock[1], Array(clock[2...]))
  }

  /// The tag up to its colon, without the process after it, and the text that follows.
  private static func tagged(_ text: ArraySlice<UInt8>) -> (tag: String, text: ArraySlice<UInt8>)? {
    var scanner = ByteScanner(text)
    let name: ArraySlice<UInt8>
    if let found = scanner.take(upTo: ": ", limit: 96) {
      name = found
    } else {
      // An empty line of the program, without the space after the colon.
      guard text.count <= 96, text.last == UInt8(ascii: ":") else { return nil }
      name = text.dropLast()
      scanner = ByteScanner(text.suffix(0))
    }
    let tag = name.prefix { $0 != UInt8(ascii: "(") }
    let spaces = tag.reversed().prefix { $0 == UInt8(ascii: " ") }.count
    guard tag.count > spaces else { return nil }
    return (String(decoding: tag.dropLast(spaces), as: UTF8.self), scanner.rest)
  }
}
