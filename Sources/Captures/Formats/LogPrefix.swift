import XMPPStanza

/// The text before a record on its line, as the loggers of several programs write it.
enum LogPrefix {
  /// Reads what a formatter of the user's choice writes, and describes it by its shape.
  static func formatter(_ text: ArraySlice<UInt8>) -> LineLog.Prefix? {
    guard text.count <= 256, !namesServerSession(text) else { return nil }
    return LineLog.Prefix(time: LogTime.isoTime(in: text), shape: shape(of: text))
  }

  /// Whether a text has a server's name for a session, such as `c2s55a80458b2d0`.
  ///
  /// Words that also occur in a client's log are then the server's and mean the opposite direction.
  static func namesServerSession(_ text: ArraySlice<UInt8>) -> Bool {
    let words = text.split { !($0.isLetter || $0.isDigit) }
    return words.contains { word in
      ["c2s", "s2s", "s2sin", "s2sout", "bosh"].contains { kind in
        word.starts(with: kind.utf8) && word.count >= kind.utf8.count + 4
          && word.dropFirst(kind.utf8.count).allSatisfy { $0.hexValue != nil }
      }
    }
  }

  /// Reads what a browser's console puts before a message: a clock and the script with its line, in
  /// any order, such as `07:19:12.123 main.js:41 `.
  static func console(_ text: ArraySlice<UInt8>) -> LineLog.Prefix? {
    let words = text.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let isClockOrSource = { (word: ArraySlice<UInt8>) in
      let hasNumber = word.reversed().first { $0.isLetter || $0.isDigit }?.isDigit ?? false
      return !word.contains(where: \.isLetter) || (word.contains(UInt8(ascii: ":")) && hasNumber)
    }
    guard words.allSatisfy(isClockOrSource) else { return nil }
    return formatter(text)
  }

  /// Reads `Sat Nov 21 10:46:05 2026`, as C's `asctime` and Qt write it, with nothing before it.
  static func calendarTime(_ text: ArraySlice<UInt8>) -> LineLog.Prefix? {
    guard (24...25).contains(text.count), let stamp = LogTime.calendarTime(text) else {
      return nil
    }
    return LineLog.Prefix(time: stamp)
  }

  /// Reads what Apple's NSLog or a logger of CocoaLumberjack puts before a message.
  ///
  /// NSLog writes `2026-11-21 07:14:28.501 App[1:2] `; CocoaLumberjack writes `:501` instead of
  /// `.501`, and in files `2026/11/21 07:14:28:501  `.
  static func cocoa(_ line: ArraySlice<UInt8>) -> (rest: ArraySlice<UInt8>, time: LogTime?)? {
    var scanner = ByteScanner(line)
    let time = LogTime.isoTime(in: line.prefix(32))
    if scanner.digits("0000/00/00 00:00:00:000") != nil {
      return scanner.skip("  ") ? (scanner.rest, time) : nil
    }
    guard
      scanner.digits("0000-00-00 00:00:00.000") != nil
        || scanner.digits("0000-00-00 00:00:00:000") != nil
    else { return nil }
    // The remaining digits of microseconds, and a zone.
    _ = scanner.take { $0 != UInt8(ascii: " ") }
    guard scanner.skip(" "), let name = scanner.take(upTo: "[", limit: 64), !name.isEmpty,
      scanner.number() != nil
    else { return nil }
    if scanner.skip(":") { _ = scanner.take { $0.hexValue != nil } }
    guard scanner.skip("] ") else { return nil }
    return (scanner.rest, time)
  }

  /// Returns what a formatter repeats on every line: words (`w`) and what separates them.
  ///
  /// A line whose message merely contains a marker has a different shape from the stream's lines.
  static func shape(of text: ArraySlice<UInt8>) -> [UInt8] {
    var shape: [UInt8] = []
    // Right-aligned numbers make the leading space vary.
    for byte in text.withoutLeadingSpace {
      let isWord =
        byte.isLetter || byte.isDigit || byte >= 0x80 || byte == UInt8(ascii: "_")
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      let symbol = isWord ? UInt8(ascii: "w") : byte
      if symbol != shape.last || !(isWord || byte.isXMLSpace) { shape.append(symbol) }
    }
    return shape
  }
}
