/// What stands before a record on its line, as loggers of several programs write it.
enum LogPrefix {
  /// Anything that a formatter chosen by the program's user may write, by its shape.
  static func formatter(_ text: ArraySlice<UInt8>) -> LineLog.Prefix? {
    guard text.count <= 256 else { return nil }
    return LineLog.Prefix(time: Timestamp.isoTime(in: text), shape: shape(of: text))
  }

  /// Nothing.
  static func none(_ text: ArraySlice<UInt8>) -> LineLog.Prefix? {
    text.isEmpty ? LineLog.Prefix() : nil
  }

  /// `Sat Nov 21 10:46:05 2026`, as C's `asctime` and Qt write it, with nothing before it.
  static func calendarTime(_ text: ArraySlice<UInt8>) -> LineLog.Prefix? {
    guard (24...25).contains(text.count), let stamp = Timestamp.calendarTime(text) else {
      return nil
    }
    return LineLog.Prefix(time: stamp)
  }

  /// What Android's logcat or Apple's NSLog puts before every line of a program: `11-21
  /// 07:19:12.123  1234  5678 D TAG     : `, `D/TAG     ( 1234): `, `2026-11-21 07:14:28.501
  /// App[123:456] `. Without either, the line itself.
  static func system(_ line: ArraySlice<UInt8>) -> (rest: ArraySlice<UInt8>, time: Timestamp?)? {
    logcat(line) ?? briefLogcat(line) ?? nsLog(line)
  }

  static func logcat(_ line: ArraySlice<UInt8>) -> (rest: ArraySlice<UInt8>, time: Timestamp?)? {
    var scanner = ByteScanner(line)
    var stamp: Timestamp?
    if scanner.rest.starts(with: "2".utf8), scanner.rest.dropFirst(4).first == UInt8(ascii: "-") {
      stamp = Timestamp.isoTime(in: line.prefix(23))
      _ = scanner.take(5)
    }
    guard let clock = scanner.digits("00-00 00:00:00.000"), clock.count == 6 else { return nil }
    _ = scanner.take(while: \.isDigit)
    stamp = stamp ?? Timestamp.withoutYear(clock[0], clock[1], Array(clock[2...]))
    scanner.skipSpaces()
    guard scanner.number() != nil else { return nil }
    scanner.skipSpaces()
    if scanner.number() != nil { scanner.skipSpaces() }
    guard isLevel(scanner.take(1)) else { return nil }
    guard scanner.take(1).first.map({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "/") }) == true
    else { return nil }
    guard scanner.take(upTo: ": ", limit: 96) != nil else { return nil }
    return (scanner.rest, stamp)
  }

  private static func briefLogcat(
    _ line: ArraySlice<UInt8>
  ) -> (rest: ArraySlice<UInt8>, time: Timestamp?)? {
    var scanner = ByteScanner(line)
    guard isLevel(scanner.take(1)), scanner.skip("/"), scanner.take(upTo: "(", limit: 64) != nil
    else { return nil }
    scanner.skipSpaces()
    guard scanner.number() != nil, scanner.skip("): ") else { return nil }
    return (scanner.rest, nil)
  }

  static func nsLog(_ line: ArraySlice<UInt8>) -> (rest: ArraySlice<UInt8>, time: Timestamp?)? {
    var scanner = ByteScanner(line)
    guard scanner.digits("0000-00-00 00:00:00.000") != nil else { return nil }
    _ = scanner.take { $0 != UInt8(ascii: " ") }
    guard scanner.skip(" "), let name = scanner.take(upTo: "[", limit: 64), !name.isEmpty,
      scanner.number() != nil
    else { return nil }
    if scanner.skip(":") { _ = scanner.take { $0.hexValue != nil } }
    guard scanner.skip("] ") else { return nil }
    return (scanner.rest, Timestamp.isoTime(in: line.prefix(32)))
  }

  private static func isLevel(_ letter: ArraySlice<UInt8>) -> Bool {
    letter.count == 1 && letter.allSatisfy("VDIWEF".utf8.contains)
  }

  /// What a formatter leaves the same from line to line: words (`w`) and what separates them.
  ///
  /// A line whose message merely contains a marker has another shape than those of the stream.
  private static func shape(of text: ArraySlice<UInt8>) -> [UInt8] {
    var shape: [UInt8] = []
    for byte in text {
      let isWord =
        byte.isLetter || byte.isDigit || byte >= 0x80 || byte == UInt8(ascii: "_")
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      let symbol = isWord ? UInt8(ascii: "w") : byte
      if symbol != shape.last || !(isWord || byte.isBlank) { shape.append(symbol) }
    }
    return shape
  }
}
