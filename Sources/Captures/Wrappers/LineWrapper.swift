import XMPPStanza

/// The text that a log collector puts around each line of one or several programs.
package struct LineWrapper: Hashable, Sendable {
  package enum Kind: Hashable, Sendable, CaseIterable {
    /// journald in any of its short formats, and syslog: `Nov 21 07:25:14 host prosody[123]: `,
    /// also with other notations of the time.
    case journal
    /// A line of RFC 5424: `<135>1 2026-11-21T07:25:14.147Z host prosody 123 - - `.
    case syslog
    /// `journalctl -o verbose` and `-o export`: `MESSAGE=` on a line of its own.
    case journalFields
    /// A container's file under Kubernetes: `2026-11-21T07:25:14.123456789Z stdout F `.
    case kubernetes
    /// `docker logs --timestamps`: `2026-11-21T07:25:14.123456789Z `.
    case docker
    /// `docker compose logs`: `prosody-1  | `.
    case compose
    /// Docker's file of a container: `{"log":"…\n","stream":"stdout","time":"…"}`.
    case dockerFile
    /// JSON entries of a collector or a logger, with the text in one member.
    case json
    /// `kubectl logs --prefix`: `[pod/xmpp-0/prosody] `.
    case kubectl
    /// stern: `xmpp-0 prosody `, also with a `›`.
    case stern
    /// Android's logcat: `11-21 07:25:14.147  1234  5678 D SMACK   : `, `D/SMACK   ( 1234): `.
    case logcat
  }

  package let kind: Kind
  /// The programs or services whose lines are read, as the collector names them; an empty text if
  /// the collector does not name its sources.
  package let sources: Set<String>
  /// Whether more than one source wrote both directions of a stream, so that each has streams of
  /// its own. Otherwise they are parts of one program.
  package let separates: Bool

  /// A line of the program, or a part of a line.
  struct Line {
    let text: ArraySlice<UInt8>
    var source = ""
    /// The program's output stream that it is from, if the collector says so.
    var stream = ""
    /// When the collector received it.
    var time: LogTime?
    /// Whether the next one continues it.
    var isPartial = false
    /// Whether it is as long as the collector's longest lines, so that the next may continue it.
    var isFull = false
    /// Whether it belongs to the same entry as the line before.
    var isContinuation = false
    /// Whether it is text of an entry that could not be read as lines.
    var isUnparsed = false
  }

  /// Finds the collector of the lines of a file; nil if there is none.
  ///
  /// Lines are wrapped if nearly all of them look wrapped and no less can be read inside, or if
  /// more can be read inside: a report may have other text before a log.
  init?(_ plain: PlainScore) {
    let lines = plain.lines
    let whole = lines.filter { !$0.isEmpty }
    let kinds = Kind.allCases.map { kind in
      (kind: kind, count: whole.count { kind.line($0) != nil })
    }
    .filter { kind, count in
      count > 0 && (!kind.isEscaped || !CarrierDetection.hasRecords(in: lines, outside: kind))
    }
    .sorted { $0.count > $1.count }.prefix(Self.maximumKinds)
    guard !kinds.isEmpty else { return nil }
    var best: (wrapper: LineWrapper, rank: (isFound: Int, value: Int))?
    for (kind, count) in kinds {
      guard let wrapper = Self.readable(kind, lines) else { continue }
      let inner = wrapper.score(lines)
      // Some lines of a program may be without the collector's prefix.
      let isUsual = whole.count >= 3 && count * 10 >= whole.count * 9
      // Lines in strings are escaped, even if they can be read with the escapes.
      let keeps = isUsual || (kind.isEscaped && inner.value > 0)
      // Only a program's format knows which stanzas the program writes twice.
      let isFound = isUsual && inner.isKnown && !plain.score.isKnown
      let isGain =
        isFound || inner.value > plain.score.value
        || (keeps && inner.value == plain.score.value)
      let rank = (isFound: isFound ? 1 : 0, value: inner.value)
      if isGain, best.map({ $0.rank < rank }) ?? true { best = (wrapper, rank) }
    }
    guard let best else { return nil }
    self = best.wrapper
  }

  /// The number of kinds that are tried, beginning with the one that the most lines match.
  private static let maximumKinds = 4

  /// A wrapper with the sources that wrote elements, or with the first source whose log can be
  /// read.
  private static func readable(_ kind: Kind, _ lines: [ArraySlice<UInt8>]) -> LineWrapper? {
    var counts: [String: (elements: Int, lines: Int)] = [:]
    for line in lines {
      for inner in kind.lines(line) ?? [] where !inner.isUnparsed {
        counts[inner.source, default: (0, 0)].lines += 1
        guard ElementStart.position(in: inner.text) != nil else { continue }
        counts[inner.source, default: (0, 0)].elements += 1
      }
    }
    let sources = counts.sorted {
      ($1.value.elements, $1.value.lines, $0.key) < ($0.value.elements, $0.value.lines, $1.key)
    }
    let holding = sources.prefix(maximumSources).filter { $0.value.elements > 0 }.map(\.key)
    guard let first = holding.first else {
      return sources.prefix(maximumReadSources).lazy.map { LineWrapper(kind, [$0.key]) }
        .first { CarrierDetection.isReadable($0.unwrapped(lines)) }
    }
    guard holding.count > 1 else { return LineWrapper(kind, [first]) }
    let traffic = holding.prefix(maximumReadSources).map { source in
      SourceTraffic(LineWrapper(kind, [source]).unwrapped(lines))
    }
    return LineWrapper(kind, Set(holding), separates: SourceTraffic.areSeparate(traffic))
  }

  /// The maximum number of programs that are read from one collector.
  private static let maximumSources = 32
  /// The maximum number of programs that detection reads on trial.
  private static let maximumReadSources = 4

  private init(_ kind: Kind, _ sources: Set<String>, separates: Bool = false) {
    (self.kind, self.sources, self.separates) = (kind, sources, separates)
  }

  /// The score of the programs' lines.
  private func score(_ lines: [ArraySlice<UInt8>]) -> ReadingScore {
    guard separates else { return CarrierDetection.score(unwrapped(lines)) }
    return sources.reduce(into: ReadingScore(isKnown: true)) { sum, source in
      let score = CarrierDetection.score(LineWrapper(kind, [source]).unwrapped(lines))
      sum.value += score.value
      sum.isKnown = sum.isKnown && score.isKnown
    }
  }

  /// Whether a line is from one of the programs that are read.
  func includes(_ line: Line) -> Bool { !line.isUnparsed && sources.contains(line.source) }

  /// Whether a line without the collector's text comes from the program rather than the collector.
  func keepsUnwrapped(_ line: ArraySlice<UInt8>) -> Bool { !kind.isOwnLine(line) }

  /// The programs' lines among the first of a file.
  private func unwrapped(_ lines: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
    LineSplitter.lines(of: Carrier.text(of: lines, within: [.wrapper(self)]))
  }
}

extension LineWrapper.Kind {
  /// Whether a line is the collector's own: `-- Boot 1234 --`, `--------- beginning of main`.
  fileprivate func isOwnLine(_ line: ArraySlice<UInt8>) -> Bool {
    switch self {
    case .journal: line.starts(with: "-- ".utf8)
    case .logcat: line.starts(with: "--------- ".utf8)
    case .journalFields:
      // Another field of the entry, or its first line.
      line.drop(while: \.isXMLSpace).first.map { $0 != UInt8(ascii: "<") } ?? true
    case .json: Self.isStructure(line)
    case .kubernetes, .docker, .compose, .dockerFile, .syslog, .kubectl, .stern: false
    }
  }

  /// Whether the lines are in string literals.
  fileprivate var isEscaped: Bool {
    switch self {
    case .json, .dockerFile: true
    case .journal, .syslog, .journalFields, .kubernetes, .docker, .compose, .kubectl, .stern,
      .logcat:
      false
    }
  }

  /// Whether a line has brackets or other members around the entries of a document.
  private static func isStructure(_ line: ArraySlice<UInt8>) -> Bool {
    guard let first = line.first(where: { !$0.isXMLSpace }) else { return true }
    return "{}[],\"".utf8.contains(first)
  }

  /// The program's lines inside a line; nil if it is not of this kind.
  func lines(_ line: ArraySlice<UInt8>) -> [LineWrapper.Line]? {
    self == .json ? JSONEntry.lines(line) : self.line(line).map { [$0] }
  }

  /// The first program's line inside a line; nil if it is not of this kind.
  func line(_ line: ArraySlice<UInt8>) -> LineWrapper.Line? {
    var scanner = ByteScanner(line)
    switch self {
    case .journal: return Self.journalLine(line)
    case .json: return JSONEntry.lines(line)?.first
    case .syslog: return Self.syslogLine(&scanner)
    case .journalFields:
      scanner.skipWhiteSpace()
      guard scanner.skip("MESSAGE=") else { return nil }
      return Line(text: scanner.rest)
    case .kubectl:
      guard scanner.skip("[pod/"), let source = scanner.take(upTo: "] ") else { return nil }
      return Line(text: scanner.rest, source: String(decoding: source, as: UTF8.self))
    case .stern: return Self.sternLine(&scanner)
    case .logcat:
      return LogcatLine(line).map { found in
        // The limit is 4,000 bytes, or what fits into one entry of the log.
        let isFull =
          (4000...4076).contains(found.text.count)
          || (found.text.count > 4000 && found.text.count { $0 & 0xC0 != 0x80 } == 4000)
        return Line(text: found.text, source: found.tag, time: found.time, isFull: isFull)
      }
    case .docker:
      guard let time = Self.time(&scanner) else { return nil }
      return Line(text: Self.joined(scanner.rest), time: time)
    case .kubernetes:
      guard let time = Self.time(&scanner),
        let stream = ["stdout", "stderr"].first(where: { scanner.skip("\($0) ") })
      else { return nil }
      let isPartial = scanner.skip("P ")
      guard isPartial || scanner.skip("F ") else { return nil }
      return Line(text: scanner.rest, stream: stream, time: time, isPartial: isPartial)
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
        object["stream"] != nil, object["time"] != nil,
        let text = object["log"]?.string.map({ Array($0.utf8)[...] })
      else { return nil }
      let isPartial = text.last != UInt8(ascii: "\n")
      let time = object["time"]?.string.flatMap { LogTime.isoTime(in: Array($0.utf8)[...]) }
      let stream = object["stream"]?.string ?? ""
      let ending = text.ends(with: Array("\r\n".utf8)) ? 2 : 1
      return Line(
        text: isPartial ? text : text.dropLast(ending),
        stream: stream == "stdout" || stream == "stderr" ? stream : "",
        time: time, isPartial: isPartial)
    }
  }

  /// Reads `2026-11-21T07:25:14.123456789Z `, with nine digits, which no program's own logger
  /// writes.
  private static func time(_ scanner: inout ByteScanner) -> LogTime? {
    let word = scanner.rest.prefix(36).prefix { $0 != UInt8(ascii: " ") }
    var digits = ByteScanner(word)
    guard digits.digits("0000-00-00") != nil, digits.skip("T"),
      digits.digits("00:00:00.000000000") != nil, word.count < scanner.rest.count
    else { return nil }
    _ = scanner.take(word.count + 1)
    return LogTime.isoTime(in: word)
  }

  /// The text without the times in it: Docker splits lines into parts of 16 KiB and puts a time
  /// before each, which may be in the middle of the line.
  private static func joined(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let part = 16 << 10
    guard text.count > part else { return text }
    var output: [UInt8] = []
    var scanner = ByteScanner(text)
    while !scanner.rest.isEmpty {
      output += scanner.take(part)
      _ = time(&scanner)
    }
    return output[...]
  }
}
