import XMPPStanza

/// What a collector of logs puts around each line that a program writes, and whose lines are read:
/// it may collect those of several programs.
package struct LineWrapper: Hashable, Sendable {
  package enum Kind: Hashable, Sendable, CaseIterable {
    /// journald in any of its short formats, and syslog: `Nov 21 07:25:14 host prosody[123]: `, or
    /// with another time.
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
    /// Docker's own file of a container: `{"log":"…\n","stream":"stdout","time":"…"}`.
    case dockerFile
    /// Entries of a collector or a logger as JSON, of which one member is the text.
    case json
    /// `kubectl logs --prefix`: `[pod/xmpp-0/prosody] `.
    case kubectl
    /// stern: `xmpp-0 prosody `, also with a `›`.
    case stern
    /// Android's logcat: `11-21 07:25:14.147  1234  5678 D SMACK   : `, `D/SMACK   ( 1234): `.
    case logcat
  }

  package let kind: Kind
  /// The programs or services whose lines are read, as the collector names them: empty text where
  /// it names none.
  package let sources: Set<String>
  /// Whether more than one of them wrote both directions of a stream, so that each has a stream of
  /// its own; else they are parts of one program.
  package let separates: Bool

  /// A line of the program, or a part of one.
  struct Line {
    let text: ArraySlice<UInt8>
    var source = ""
    /// Which of the program's outputs it is from, where the collector says so.
    var stream = ""
    /// When it was collected.
    var time: LogTime?
    /// Whether the next one goes on with it.
    var goesOn = false
    /// Whether it is as long as the collector's longest lines, so that the next may go on with it.
    var isFull = false
    /// Whether it is another line of the entry of the one before.
    var isContinuation = false
    /// Whether it is what is left of an entry that cannot be read.
    var isRest = false
  }

  /// Looks at the lines of a file. They are wrapped if nearly all look so and no less can be read
  /// within, or if more can: a report may have other things before a log.
  init?(_ plain: PlainScore) {
    let lines = plain.lines
    let whole = lines.filter { !$0.isEmpty }
    let kinds = Kind.allCases.map { kind in
      (kind: kind, count: whole.count { kind.line($0) != nil })
    }
    .filter { kind, count in
      count > 0 && (!kind.isEscaped || !CarrierDetection.isPlain(lines, beside: kind))
    }
    .sorted { $0.count > $1.count }.prefix(Self.maximumKinds)
    guard !kinds.isEmpty else { return nil }
    var best: (wrapper: LineWrapper, rank: (isFound: Int, value: Int))?
    for (kind, count) in kinds {
      guard let wrapper = Self.readable(kind, lines) else { continue }
      let inner = wrapper.score(lines)
      // A program may write some lines that are not collected as such.
      let isUsual = whole.count >= 3 && count * 10 >= whole.count * 9
      // What stands in strings has their escapes, although it may be read with them.
      let keeps = isUsual || (kind.isEscaped && inner.value > 0)
      // A program's format knows which stanzas the program writes twice.
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

  /// How many kinds are tried, those first that more lines look like.
  private static let maximumKinds = 4

  /// The lines of a kind by the sources that wrote elements, or by the first whose log can be read.
  private static func readable(_ kind: Kind, _ lines: [ArraySlice<UInt8>]) -> LineWrapper? {
    var counts: [String: (elements: Int, lines: Int)] = [:]
    for line in lines {
      for inner in kind.lines(line) ?? [] where !inner.isRest {
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
    let talks = holding.prefix(maximumReadSources).map { source in
      SourceTalk(LineWrapper(kind, [source]).unwrapped(lines))
    }
    return LineWrapper(kind, Set(holding), separates: SourceTalk.areSeparate(talks))
  }

  /// How many programs are read whose lines one collector gathered.
  private static let maximumSources = 32
  /// How many of them are read on trial.
  private static let maximumReadSources = 4

  private init(_ kind: Kind, _ sources: Set<String>, separates: Bool = false) {
    (self.kind, self.sources, self.separates) = (kind, sources, separates)
  }

  /// How well the programs' lines can be read.
  private func score(_ lines: [ArraySlice<UInt8>]) -> ReadingScore {
    guard separates else { return CarrierDetection.score(unwrapped(lines)) }
    return sources.reduce(into: ReadingScore(isKnown: true)) { sum, source in
      let score = CarrierDetection.score(LineWrapper(kind, [source]).unwrapped(lines))
      sum.value += score.value
      sum.isKnown = sum.isKnown && score.isKnown
    }
  }

  /// Whether a line is one of a program's that are read.
  func holds(_ line: Line) -> Bool { !line.isRest && sources.contains(line.source) }

  /// Whether a line around which there is nothing is the program's, and not the collector's.
  func passes(_ line: ArraySlice<UInt8>) -> Bool { !kind.isOwnLine(line) }

  /// The lines of the program among the first of a file.
  private func unwrapped(_ lines: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
    LineSplitter.lines(of: Carrier.text(of: lines, within: [.wrapper(self)]))
  }
}

extension LineWrapper.Kind {
  /// Whether the collector says something itself: `-- Boot 1234 --`, `--------- beginning of main`.
  fileprivate func isOwnLine(_ line: ArraySlice<UInt8>) -> Bool {
    switch self {
    case .journal: line.starts(with: "-- ".utf8)
    case .logcat: line.starts(with: "--------- ".utf8)
    case .journalFields:
      // Another field of the entry, or its head.
      line.drop(while: \.isXMLSpace).first.map { $0 != UInt8(ascii: "<") } ?? true
    case .json: Self.isStructure(line)
    case .kubernetes, .docker, .compose, .dockerFile, .syslog, .kubectl, .stern: false
    }
  }

  /// Whether the lines stand in strings.
  fileprivate var isEscaped: Bool {
    switch self {
    case .json, .dockerFile: true
    case .journal, .syslog, .journalFields, .kubernetes, .docker, .compose, .kubectl, .stern,
      .logcat:
      false
    }
  }

  /// Brackets and other members around the entries of a document.
  private static func isStructure(_ line: ArraySlice<UInt8>) -> Bool {
    guard let first = line.first(where: { !$0.isXMLSpace }) else { return true }
    return "{}[],\"".utf8.contains(first)
  }

  /// What a line has within, which may be several lines; nil where it is not wrapped so.
  func lines(_ line: ArraySlice<UInt8>) -> [LineWrapper.Line]? {
    self == .json ? JSONEntry.lines(line) : self.line(line).map { [$0] }
  }

  /// What a line has within first; nil where it is not wrapped so.
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
        // 4,000 bytes, or up to what one entry of the log holds.
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
      let goesOn = scanner.skip("P ")
      guard goesOn || scanner.skip("F ") else { return nil }
      return Line(text: scanner.rest, stream: stream, time: time, goesOn: goesOn)
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
      let goesOn = text.last != UInt8(ascii: "\n")
      let time = object["time"]?.string.flatMap { LogTime.isoTime(in: Array($0.utf8)[...]) }
      let stream = object["stream"]?.string ?? ""
      let ending = text.ends(with: Array("\r\n".utf8)) ? 2 : 1
      return Line(
        text: goesOn ? text : text.dropLast(ending),
        stream: stream == "stdout" || stream == "stderr" ? stream : "",
        time: time, goesOn: goesOn)
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

  /// Docker keeps 16 KiB of a line at a time, and gives each part its time, in the middle of the
  /// line.
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
