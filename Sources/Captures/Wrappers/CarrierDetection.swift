import XMPPStanza

extension Carrier {
  /// Looks at the first bytes of a file, 64 KiB of which are enough, for what carried the log in
  /// them.
  ///
  /// A layer is taken off if the text has its marks throughout and no fewer stanzas can be read
  /// without it, or if more can be read.
  ///
  /// - Parameter encoding: the encoding if it was given; nil to find it by looking.
  package init(_ head: [UInt8], encoding: TextEncoding? = nil) {
    self.encoding = encoding ?? TextEncoding(head)
    layers = []
    let text = self.encoding.map { $0.decoded(head) } ?? head
    if let plain = CaptureFormat.detectUnwrapped(text), !plain.isOfLines { return }
    let outer = CarrierDetection.wholeLines(of: text).map(TextLayers.mended)
    var lines = outer
    while layers.count < CarrierDetection.maximumLayers,
      let layer = CarrierDetection.outermost(of: lines)
    {
      layers.append(layer)
      lines = LineSplitter.lines(of: Self.text(of: lines, within: [layer]))
    }
    let carried = Self.lines(of: outer, within: layers)
    let dates = carried.compactMap { line -> NumericDate? in
      guard case .numeric(let date)? = line.stamp else { return nil }
      return date
    }
    dateOrder = DateOrder.order(of: dates)
    connectionWord = ConnectionWord(carried)
    hasUnclearDates = dates.contains { $0.time(dateOrder) == nil }
    if let unit = CarrierDetection.newestFirst(carried, dateOrder) {
      layers.append(.newestFirst(unit))
    }
  }
}

extension Carrier {
  /// Whether an element of a stream may begin in a part of a file: to look for one costs far less
  /// than to look for a format.
  package static func mayHoldElement(_ part: [UInt8]) -> Bool {
    // Older Erlang prints bytes as numbers.
    ElementStart.isIn(part[...]) || part[...].position(of: Array("<<60,".utf8)) != nil
  }
}

/// How well lines can be read.
struct ReadingScore {
  /// More is better, and 0 is not at all.
  var value = 0
  /// Whether they are in the format of a program.
  var isKnown = false
}

/// How well lines can be read as they are; found once, where anything asks for it.
final class PlainScore {
  let lines: [ArraySlice<UInt8>]
  private(set) lazy var score = CarrierDetection.score(lines)

  init(_ lines: [ArraySlice<UInt8>]) {
    self.lines = lines
  }
}

extension [ArraySlice<UInt8>] {
  /// The lines with their ends.
  var text: [UInt8] {
    var text: [UInt8] = []
    for line in self {
      text += line
      text.append(UInt8(ascii: "\n"))
    }
    return text
  }
}

/// Finds the layers around the lines of a file.
enum CarrierDetection {
  static let maximumLayers = 5

  /// The lines of the first bytes of a file but for a last one that may be cut off.
  static func wholeLines(of head: [UInt8]) -> [ArraySlice<UInt8>] {
    let lines = LineSplitter.lines(of: head)
    let isCut = head.count >= 60 << 10 && head.last != UInt8(ascii: "\n")
    // What is one line says no more when it is whole.
    return Array((isCut && lines.count > 1 ? lines.dropLast() : lines[...]).prefix(maximumLines))
  }

  /// How many lines of the first bytes are looked at: shorter ones than a log's cost more.
  private static let maximumLines = 4096

  /// How well lines can be read: as a program's if any of its records is among them, else as any
  /// text.
  static func score(_ lines: [ArraySlice<UInt8>]) -> ReadingScore {
    let text = lines.text
    guard Carrier.mayHoldElement(text) else { return ReadingScore() }
    if let known = CaptureFormat.detectUnwrapped(text) {
      guard known.isOfLines else { return ReadingScore() }
      let value = value(of: text, as: known)
      if value > 0 { return ReadingScore(value: value + 1, isKnown: true) }
    }
    return ReadingScore(value: value(of: text, as: .pasted))
  }

  private static func value(of text: [UInt8], as format: CaptureFormat) -> Int {
    var (elements, problems) = (0, 0)
    var reader = CaptureReader(format: format)
    let count = { (output: CaptureOutput) in
      switch output {
      case .problem: problems += 1
      case .record(let record): if case .element = record.content { elements += 1 }
      }
    }
    try? reader.read(text, count)
    try? reader.finish(count)
    let doubtful = reader.guessed?.doubtful ?? 0
    return elements > 0 ? max(1, 4 * elements - 2 * problems - doubtful) : 0
  }

  /// Whether records or elements begin on lines that are not of a kind: then a contact may have
  /// written those of the kind into an element.
  static func isPlain(_ lines: [ArraySlice<UInt8>], beside kind: LineWrapper.Kind) -> Bool {
    let text = lines.text
    let format = CaptureFormat.detectUnwrapped(text) ?? .pasted
    guard format.isOfLines else { return false }
    // An element that is longer than the beginning of the file has no end there.
    let begins = { (line: ArraySlice<UInt8>) in
      format.shape.begins(line) && holdsStanza(line) && kind.line(line) == nil
    }
    if lines.contains(where: begins) { return true }
    var isPlain = false
    let note = { (output: CaptureOutput) in
      guard case .record(let record) = output, case .element = record.content,
        lines.indices.contains(record.line - 1)
      else { return }
      isPlain = isPlain || kind.line(lines[record.line - 1]) == nil
    }
    var reader = CaptureReader(format: format)
    try? reader.read(text, note)
    try? reader.finish(note)
    return isPlain
  }

  /// Whether a text is a log of lines that can be read, or at least has stanzas.
  static func isReadable(_ lines: [ArraySlice<UInt8>]) -> Bool {
    let text = lines.text
    return CaptureFormat.detectUnwrapped(text)?.isOfLines == true
      || lines.contains(where: holdsStanza)
  }

  /// Whether the first tag of a line is one of a stanza, with attributes as XML has them.
  static func holdsStanza(_ line: ArraySlice<UInt8>) -> Bool {
    guard let start = line.position(of: UInt8(ascii: "<")) else { return false }
    let tag = line[start...]
    guard TopLevel.isStanza(tag) || TopLevel.isStreamHeader(tag) else { return false }
    guard let equals = tag.prefix(512).position(of: UInt8(ascii: "=")) else { return true }
    let value = tag[equals...].dropFirst().first
    return value == UInt8(ascii: "'") || value == UInt8(ascii: "\"")
  }

  /// The outermost layer around the lines; nil if there is none.
  static func outermost(of lines: [ArraySlice<UInt8>]) -> Carrier.Layer? {
    let filled = lines.filter { !$0.allSatisfy(\.isXMLSpace) }
    guard !filled.isEmpty else { return nil }
    let plain = PlainScore(lines)
    if let depth = quoteDepth(filled) { return .quote(depth) }
    if let count = indentation(filled) { return .indentation(count) }
    if isQuotedPrintable(filled), gains(.quotedPrintable, plain) { return .quotedPrintable }
    if let wrap = LineWrap(lines), gains(.wrap(wrap), plain, orKeeps: wrap.isRepeated) {
      return .wrap(wrap)
    }
    if LineNumbers.areBefore(lines), gains(.lineNumbers, plain, orKeeps: true) {
      return .lineNumbers
    }
    if let columns = TableColumns(filled),
      gains(.table(columns), plain, orKeeps: true)
    {
      return .table(columns)
    }
    if let wrapper = LineWrapper(plain) { return .wrapper(wrapper) }
    // What is escaped in a stanza is what somebody wrote, not what a web page did to a log.
    let hasStanza = filled.contains(where: holdsStanza)
    if !hasStanza, filled.contains(where: hasEscapedTag), gains(.entities, plain) {
      return .entities
    }
    return nil
  }

  /// Whether more can be read without a layer, or as much.
  private static func gains(
    _ layer: Carrier.Layer, _ plain: PlainScore, orKeeps: Bool = false
  ) -> Bool {
    let inner = score(LineSplitter.lines(of: Carrier.text(of: plain.lines, within: [layer]))).value
    let outer = plain.score.value
    return inner > outer || (orKeeps && inner > 0 && inner == outer)
  }

  /// With how many marks of a quote most lines begin, if every line with a tag has one. A line that
  /// begins with a `>` of its own has one more.
  private static func quoteDepth(_ lines: [ArraySlice<UInt8>]) -> Int? {
    let inJSON = [Array("\\u003c".utf8), Array("\\u003C".utf8)]
    let tagged = lines.filter { line in
      line.contains(UInt8(ascii: "<")) || hasEscapedTag(line)
        || inJSON.contains { line.position(of: $0) != nil }
    }
    guard !tagged.isEmpty || lines.count > 2 else { return nil }
    var counts: [Int: Int] = [:]
    for line in tagged.isEmpty ? lines : tagged {
      counts[TextLayers.quoteDepth(of: line), default: 0] += 1
    }
    guard counts[0] == nil else { return nil }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }

  /// By how much every line from the first with a tag to the last is indented at least.
  private static func indentation(_ lines: [ArraySlice<UInt8>]) -> Int? {
    guard let first = lines.firstIndex(where: { $0.contains(UInt8(ascii: "<")) }),
      let last = lines.lastIndex(where: { $0.contains(UInt8(ascii: "<")) })
    else { return nil }
    let count = lines[first...last].map(TextLayers.indentation).min() ?? 0
    return count > 0 ? count : nil
  }

  /// Whether attributes are escaped so, and none is plain: a contact may have written the escapes
  /// into an element.
  private static func isQuotedPrintable(_ lines: [ArraySlice<UInt8>]) -> Bool {
    let isPlain = lines.contains { line in
      holdsStanza(line) && ["='", "=\""].contains { line.position(of: Array($0.utf8)) != nil }
    }
    return !isPlain
      && lines.contains { line in
        ["=3D'", "=3D\"", "=3D="].contains { line.position(of: Array($0.utf8)) != nil }
          || line.ends(with: Array("=3D".utf8))
      }
  }

  static func hasEscapedTag(_ line: ArraySlice<UInt8>) -> Bool {
    guard let start = line.position(of: Array("&lt;".utf8)) else { return false }
    let tag = TextLayers.withoutEntities(line[start...].prefix(256))
    return TopLevel.isElement(tag) || TopLevel.isStreamHeader(tag)
  }
}
