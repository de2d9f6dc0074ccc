import XMPPStanza

extension Carrier {
  /// Finds how the log in the first bytes of a file was carried; 64 KiB are enough.
  ///
  /// A layer is removed if the text has its marks throughout and no fewer stanzas can be read
  /// without it, or if more stanzas can be read without it.
  ///
  /// - Parameter encoding: The encoding, if given; nil to detect it.
  package init(_ head: [UInt8], encoding: TextEncoding? = nil) {
    self.encoding = encoding ?? TextEncoding(head)
    layers = []
    let text = self.encoding.map { $0.decoded(head) } ?? head
    if let plain = CaptureFormat.detectUnwrapped(text), !plain.isOfLines { return }
    let outer = CarrierDetection.wholeLines(of: text).map(TextLayers.repaired)
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
  /// Whether an element of a stream may begin in a part of a file. Much faster than detecting a
  /// format.
  package static func mayHoldElement(_ part: [UInt8]) -> Bool {
    // Older Erlang prints bytes as numbers.
    ElementStart.occurs(in: part[...]) || part[...].position(of: Array("<<60,".utf8)) != nil
  }
}

/// A measure of how well lines can be read.
struct ReadingScore {
  /// More is better; 0 means not at all.
  var value = 0
  /// Whether the lines are in the format of a known program.
  var isKnown = false
}

/// The score of lines with all their layers, computed when first needed.
final class PlainScore {
  let lines: [ArraySlice<UInt8>]
  private(set) lazy var score = CarrierDetection.score(lines)

  init(_ lines: [ArraySlice<UInt8>]) {
    self.lines = lines
  }
}

extension [ArraySlice<UInt8>] {
  /// The lines as one text, each with a line end.
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

  /// The lines of the first bytes of a file, without a last one that may be cut off.
  static func wholeLines(of head: [UInt8]) -> [ArraySlice<UInt8>] {
    let lines = LineSplitter.lines(of: head)
    let isCut = head.count >= 60 << 10 && head.last != UInt8(ascii: "\n")
    // A single line is kept, even if it is cut off.
    return Array((isCut && lines.count > 1 ? lines.dropLast() : lines[...]).prefix(maximumLines))
  }

  /// The number of lines that are examined: many short lines would take longer than those of a log.
  private static let maximumLines = 4096

  /// The score of lines: in a program's format if they contain any of its records, otherwise as any
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

  /// Whether records or elements begin on lines that are not of `kind`. If so, a contact may have
  /// written the lines of that kind into an element.
  static func hasRecords(
    in lines: [ArraySlice<UInt8>], outside kind: LineWrapper.Kind
  ) -> Bool {
    let text = lines.text
    let format = CaptureFormat.detectUnwrapped(text) ?? .pasted
    guard format.isOfLines else { return false }
    // The reader misses an element whose end is not in the first bytes of the file.
    let begins = { (line: ArraySlice<UInt8>) in
      format.shape.begins(line) && holdsStanza(line) && kind.line(line) == nil
    }
    if lines.contains(where: begins) { return true }
    var isFound = false
    let note = { (output: CaptureOutput) in
      guard case .record(let record) = output, case .element = record.content,
        lines.indices.contains(record.line - 1)
      else { return }
      isFound = isFound || kind.line(lines[record.line - 1]) == nil
    }
    var reader = CaptureReader(format: format)
    try? reader.read(text, note)
    try? reader.finish(note)
    return isFound
  }

  /// Whether lines are in a known line format, or at least contain stanzas.
  static func isReadable(_ lines: [ArraySlice<UInt8>]) -> Bool {
    let text = lines.text
    return CaptureFormat.detectUnwrapped(text)?.isOfLines == true
      || lines.contains(where: holdsStanza)
  }

  /// Whether the first tag of a line is that of a stanza or a stream header, with attributes in XML
  /// syntax.
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
    if LineNumbers.arePresent(in: lines), gains(.lineNumbers, plain, orKeeps: true) {
      return .lineNumbers
    }
    if let columns = TableColumns(filled),
      gains(.table(columns), plain, orKeeps: true)
    {
      return .table(columns)
    }
    if let wrapper = LineWrapper(plain) { return .wrapper(wrapper) }
    // Escapes inside a stanza come from the text of a message, not from a web page with a log.
    let hasStanza = filled.contains(where: holdsStanza)
    if !hasStanza, filled.contains(where: hasEscapedTag), gains(.entities, plain) {
      return .entities
    }
    return nil
  }

  /// Whether more can be read without the layer, or, with `orKeeps`, at least as much.
  private static func gains(
    _ layer: Carrier.Layer, _ plain: PlainScore, orKeeps: Bool = false
  ) -> Bool {
    let inner = score(LineSplitter.lines(of: Carrier.text(of: plain.lines, within: [layer]))).value
    let outer = plain.score.value
    return inner > outer || (orKeeps && inner > 0 && inner == outer)
  }

  /// The number of quote marks that most lines begin with; nil if a line with a tag has none. A
  /// line whose own text begins with `>` has one more.
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

  /// The smallest indentation of the lines from the first with a tag to the last with one; nil if
  /// 0.
  private static func indentation(_ lines: [ArraySlice<UInt8>]) -> Int? {
    guard let first = lines.firstIndex(where: { $0.contains(UInt8(ascii: "<")) }),
      let last = lines.lastIndex(where: { $0.contains(UInt8(ascii: "<")) })
    else { return nil }
    let count = lines[first...last].map(TextLayers.indentation).min() ?? 0
    return count > 0 ? count : nil
  }

  /// Whether attributes are in quoted-printable and none is plain: otherwise a contact may have
  /// written the escapes into an element.
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
