import XMPPStanza

/// What a collector of logs puts around each line that a program writes, and whose lines are read:
/// it may collect those of several programs.
package struct LineWrapper: Hashable, Sendable {
  package enum Kind: Hashable, Sendable, CaseIterable {
    /// journald and syslog: `Nov 21 07:25:14 host prosody[123]: `, or with a time as in RFC 3339.
    case journal
    /// A container's file under Kubernetes: `2026-11-21T07:25:14.123456789Z stdout F `.
    case kubernetes
    /// `docker logs --timestamps`: `2026-11-21T07:25:14.123456789Z `.
    case docker
    /// `docker compose logs`: `prosody-1  | `.
    case compose
    /// Docker's own file of a container: `{"log":"…\n","stream":"stdout","time":"…"}`.
    case dockerFile
    /// Android's logcat: `11-21 07:25:14.147  1234  5678 D SMACK   : `, `D/SMACK   ( 1234): `.
    case logcat
  }

  package let kind: Kind
  /// The program or service, as the collector names it; empty where it names none.
  package let source: String

  /// A line of the program, or a part of one.
  struct Line {
    let text: ArraySlice<UInt8>
    var source = ""
    /// When it was collected.
    var time: LogTime?
    /// Whether the next one goes on with it.
    var goesOn = false
  }

  /// Looks at the first bytes of a file, 64 KiB of which are enough; nil where its lines are as a
  /// program wrote them, or what is in them is no log that can be read.
  package init?(_ head: [UInt8]) {
    // The last line may be cut off.
    let whole = LineSplitter.lines(of: head).dropLast().filter { !$0.isEmpty }
    // A program may write some lines that are not collected as such.
    guard whole.count >= 3,
      let kind = Kind.allCases.first(where: { kind in
        whole.count { kind.line($0) != nil } * 10 >= whole.count * 9
      })
    else { return nil }
    var counts: [String: Int] = [:]
    for line in whole { counts[kind.line(line)?.source ?? "", default: 0] += 1 }
    let sources = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    let found = sources.lazy.map { LineWrapper(kind: kind, source: $0) }
      .first { CaptureFormat.detectUnwrapped($0.unwrapped(head))?.isOfLines == true }
    guard let found else { return nil }
    self = found
  }

  private init(kind: Kind, source: String) {
    self.kind = kind
    self.source = source
  }

  /// What the program wrote of a line; nil where another one wrote it.
  func line(_ line: ArraySlice<UInt8>) -> Line? {
    guard let inner = kind.line(line) else {
      return kind.isOwnLine(line) ? nil : Line(text: line)
    }
    return inner.source == source ? inner : nil
  }

  /// The lines of the program in the first bytes of a file.
  func unwrapped(_ head: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    for case let line? in LineSplitter.lines(of: head).map(line) {
      text += line.text
      if !line.goesOn { text.append(UInt8(ascii: "\n")) }
    }
    return text
  }
}

extension LineWrapper.Kind {
  fileprivate typealias Line = LineWrapper.Line

  /// Whether the collector says something itself: `-- Boot 1234 --`, `--------- beginning of main`.
  fileprivate func isOwnLine(_ line: ArraySlice<UInt8>) -> Bool {
    switch self {
    case .journal: line.starts(with: "-- ".utf8)
    case .logcat: line.starts(with: "--------- ".utf8)
    case .kubernetes, .docker, .compose, .dockerFile: false
    }
  }

  /// What a line has within; nil where it is not wrapped so.
  func line(_ line: ArraySlice<UInt8>) -> LineWrapper.Line? {
    var scanner = ByteScanner(line)
    switch self {
    case .journal: return Self.journalLine(line)
    case .logcat: return LogcatLine(line).map { Line(text: $0.text, source: $0.tag, time: $0.time) }
    case .docker:
      guard let time = Self.time(&scanner) else { return nil }
      return Line(text: scanner.rest, time: time)
    case .kubernetes:
      guard let time = Self.time(&scanner), scanner.skip("stdout ") || scanner.skip("stderr ")
      else { return nil }
      let goesOn = scanner.skip("P ")
      guard goesOn || scanner.skip("F ") else { return nil }
      return Line(text: scanner.rest, time: time, goesOn: goesOn)
    case .compose:
      let name = scanner.take { $0.isLetter || $0.isDigit || "-_.".utf8.contains($0) }
      scanner.skipSpaces()
      guard !name.isEmpty, scanner.skip("|") else { return nil }
      _ = scanner.skip(" ")
      let time = Self.time(&scanner)
      let source = String(decoding: name, as: UTF8.self)
      return Line(text: scanner.rest, source: source, time: time)
    case .dockerFile:
      guard scanner.skip("{\"log\":"), let object = try? JSONScanner.object(line),
        let text = object["log"]?.string.map({ Array($0.utf8)[...] })
      else { return nil }
      let goesOn = text.last != UInt8(ascii: "\n")
      let time = object["time"]?.string.flatMap { LogTime.isoTime(in: Array($0.utf8)[...]) }
      let ending = text.ends(with: Array("\r\n".utf8)) ? 2 : 1
      return Line(text: goesOn ? text : text.dropLast(ending), time: time, goesOn: goesOn)
    }
  }

  /// `2026-11-21T07:25:14.123456789Z `: nine digits, which no logger of a program writes.
  private static func time(_ scanner: inout ByteScanner) -> LogTime? {
    let word = scanner.rest.prefix(36).prefix { $0 != UInt8(ascii: " ") }
    var digits = ByteScanner(word)
    guard digits.digits("0000-00-00") != nil, digits.skip("T"),
      digits.digits("00:00:00.000000000") != nil, word.count < scanner.rest.count
    else { return nil }
    _ = scanner.take(word.count + 1)
    return LogTime.isoTime(in: word)
  }

  private static func journalLine(_ line: ArraySlice<UInt8>) -> Line? {
    var scanner = ByteScanner(line)
    var time: LogTime?
    if line.first?.isDigit == true {
      let word = scanner.take { $0 != UInt8(ascii: " ") }
      var digits = ByteScanner(word)
      guard digits.digits("0000-00-00") != nil, digits.skip("T") else { return nil }
      time = LogTime.isoTime(in: word)
    } else {
      time = LogTime.monthTime(line.prefix(16))
      for _ in 0..<3 {
        _ = scanner.take { $0 != UInt8(ascii: " ") }
        scanner.skipSpaces()
      }
    }
    guard time != nil else { return nil }
    scanner.skipSpaces()
    let host = scanner.take { $0 != UInt8(ascii: " ") }
    guard !host.isEmpty, scanner.skip(" "), let name = scanner.take(upTo: "[", limit: 64),
      !name.isEmpty, !name.contains(where: \.isXMLSpace), scanner.number() != nil,
      scanner.skip("]:")
    else { return nil }
    _ = scanner.skip(" ")
    let source = String(decoding: name, as: UTF8.self)
    return Line(text: scanner.rest, source: source, time: time)
  }
}
