import XMPPStanza

// The prefixes that journald, syslog and stern put before a line.
extension LineWrapper.Kind {
  typealias Line = LineWrapper.Line

  /// Reads a line of journald or of a syslog server: a time, the host, and the program with its
  /// process. Either the host or the process may be missing.
  static func journalLine(_ line: ArraySlice<UInt8>) -> Line? {
    var scanner = ByteScanner(line)
    if scanner.skip("<") {
      guard scanner.number() != nil, scanner.skip(">") else { return nil }
    }
    guard let time = journalTime(&scanner) else { return nil }
    let first = word(&scanner)
    if let name = program(first), name.hasProcess { return journalText(scanner, name.name, time) }
    guard !first.isEmpty, first.last != UInt8(ascii: ":"), scanner.skip(" "),
      let name = program(word(&scanner))
    else { return nil }
    return journalText(scanner, name.name, time)
  }

  private static func journalText(
    _ scanner: ByteScanner, _ name: ArraySlice<UInt8>, _ time: LogTime?
  ) -> Line {
    var scanner = scanner
    _ = scanner.skip(" ")
    // The longest lines of journald are 48 KiB.
    return Line(
      text: scanner.rest, source: String(decoding: name, as: UTF8.self), time: time,
      isFull: (48_000...49_152).contains(scanner.rest.count))
  }

  private static func word(_ scanner: inout ByteScanner) -> ArraySlice<UInt8> {
    scanner.take { !$0.isXMLSpace }
  }

  /// `prosody[123]:` or `prosody:`.
  private static func program(
    _ word: ArraySlice<UInt8>
  ) -> (name: ArraySlice<UInt8>, hasProcess: Bool)? {
    guard word.count <= 80, word.last == UInt8(ascii: ":") else { return nil }
    let name = word.dropLast()
    guard name.last == UInt8(ascii: "]") else {
      let isName = name.allSatisfy {
        $0.isLetter || $0.isDigit || "-_./@".utf8.contains($0)
      }
      return isName && name.first?.isLetter == true ? (name, false) : nil
    }
    var scanner = ByteScanner(name)
    guard let found = scanner.take(upTo: "["), !found.isEmpty, scanner.number() != nil,
      scanner.skip("]"), scanner.rest.isEmpty
    else { return nil }
    return (found, true)
  }

  /// Reads the time before a line and the space after it: `.some(nil)` for a time since boot, and
  /// nil if there is no time.
  private static func journalTime(_ scanner: inout ByteScanner) -> LogTime?? {
    let line = scanner.rest
    if scanner.skip("[") {
      guard let clock = scanner.take(upTo: "] ", limit: 40),
        clock.allSatisfy({ $0.isDigit || " .<>".utf8.contains($0) }),
        clock.contains(where: \.isDigit)
      else { return nil }
      return .some(nil)
    }
    if line.first?.isDigit == true {
      let start = word(&scanner)
      guard scanner.skip(" ") else { return nil }
      var digits = ByteScanner(start)
      if digits.digits("0000-00-00") != nil, digits.skip("T") {
        return LogTime.isoTime(in: start).map { .some($0) }
      }
      var seconds = ByteScanner(start)
      if seconds.digits("0000000000.000000") != nil, seconds.rest.isEmpty {
        return JSONEntry.time(.decimal(Double(String(decoding: start, as: UTF8.self)) ?? 0))
          .map { .some($0) }
      }
      scanner = ByteScanner(line)
    }
    var ahead = scanner
    let weekday = word(&ahead)
    if (2...12).contains(weekday.count), ahead.skip(" "), ahead.rest.first?.isDigit == true,
      let time = LogTime.isoTime(in: ahead.rest.prefix(19))
    {
      // `Sat 2026-11-21 07:25:14 UTC`
      for _ in 0..<3 {
        _ = word(&ahead)
        ahead.skipSpaces()
      }
      scanner = ahead
      return .some(time)
    }
    guard let time = LogTime.monthTime(line.prefix(40)) else { return nil }
    for _ in 0..<3 {
      _ = word(&scanner)
      scanner.skipSpaces()
    }
    return .some(time)
  }

  /// Reads `<135>1 2026-11-21T07:25:14.147Z host app 4321 ID [origin ip="192.0.2.7"] text`, also
  /// with its length before it (RFC 6587 §3.4.1).
  static func syslogLine(_ scanner: inout ByteScanner) -> Line? {
    if scanner.rest.first?.isDigit == true {
      guard scanner.number() != nil, scanner.skip(" ") else { return nil }
    }
    guard scanner.skip("<"), scanner.number() != nil, scanner.skip(">1 ") else { return nil }
    let stamp = word(&scanner)
    guard scanner.skip(" "), !word(&scanner).isEmpty, scanner.skip(" ") else { return nil }
    let name = word(&scanner)
    for _ in 0..<2 {
      guard scanner.skip(" "), !word(&scanner).isEmpty else { return nil }
    }
    guard scanner.skip(" ") else { return nil }
    if !scanner.skip("-") {
      guard scanner.rest.first == UInt8(ascii: "[") else { return nil }
      while scanner.skip("[") {
        guard skipData(&scanner) else { return nil }
      }
    }
    _ = scanner.skip(" ")
    _ = scanner.skip("\u{FEFF}")
    return Line(
      text: scanner.rest, source: String(decoding: name, as: UTF8.self),
      time: LogTime.isoTime(in: stamp))
  }

  /// Skips an element of structured data up to its `]`.
  private static func skipData(_ scanner: inout ByteScanner) -> Bool {
    var isInQuote = false
    while let byte = scanner.take(1).first {
      switch byte {
      case UInt8(ascii: "\\") where isInQuote: _ = scanner.take(1)
      case UInt8(ascii: "\""): isInQuote.toggle()
      case UInt8(ascii: "]") where !isInQuote: return true
      default: break
      }
    }
    return false
  }

  /// Reads a pod, whose name ends with the suffix that Kubernetes adds to the name of its owner,
  /// and a container.
  static func sternLine(_ scanner: inout ByteScanner) -> Line? {
    let pod = word(&scanner)
    guard scanner.skip(" "), isPodName(pod) else { return nil }
    let container = word(&scanner)
    guard !container.isEmpty, container.allSatisfy(isNamePart), scanner.skip(" ") else {
      return nil
    }
    _ = scanner.skip("› ")
    var source = Array(pod) + [UInt8(ascii: "/")]
    source += container
    return Line(text: scanner.rest, source: String(decoding: source, as: UTF8.self))
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    byte.isDigit || (byte.isLetter && byte >= UInt8(ascii: "a")) || byte == UInt8(ascii: "-")
  }

  private static func isPodName(_ name: ArraySlice<UInt8>) -> Bool {
    guard name.first?.isLetter == true, name.allSatisfy(isNamePart) else { return false }
    let parts = name.split(separator: UInt8(ascii: "-"))
    guard parts.count > 1, let last = parts.last else { return false }
    return last.allSatisfy(\.isDigit) || (last.count == 5 && last.contains(where: \.isDigit))
      || (last.count == 5 && parts.count > 2)
  }
}
