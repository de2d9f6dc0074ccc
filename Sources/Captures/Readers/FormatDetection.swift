import XMPPStanza

extension CaptureFormat {
  /// The format of a capture from its first bytes; nil if it is unknown. 64 KiB are enough.
  ///
  /// A capture that starts with a JSON object is recognized by its keys. In a text log, every line
  /// is compared with each format, and the format of the most lines wins: a single line may be part
  /// of a message that was written to deceive.
  package static func detect(_ head: [UInt8]) -> CaptureFormat? {
    detect(head, within: Carrier(head))
  }

  /// The format of a capture from its first bytes, if its carrier is known; nil if the format is
  /// unknown.
  package static func detect(_ head: [UInt8], within carrier: Carrier) -> CaptureFormat? {
    // Lines that look like those of a program do not count unless its records are among them.
    let text = carrier.content(of: head)
    guard let known = detectUnwrapped(text) else {
      return isPasted(head, carrier) ? .pasted : detectXML(text)?.format
    }
    guard known.isOfLines else { return known }
    let found = known.records(in: head, carrier)
    if !found.isPlausible { return isPasted(head, carrier) ? .pasted : known }
    // If nearly every record is broken, the program's output was changed on the way.
    guard found.broken > found.elements.count else { return known }
    let isPastedMore = pasted.records(in: head, carrier).elements.count > found.elements.count
    return isPastedMore && isPasted(head, carrier) ? .pasted : known
  }

  /// The results of reading the beginning of a capture in a format.
  private struct Findings {
    var elements: [(direction: Direction, node: XMPPElement)] = []
    /// The lines that the reader did not read.
    var unread = UnreadLines()
    /// The number of problems, without those about lines that quote a record, because these may
    /// have been written to deceive.
    var broken = 0

    /// Whether there are elements, and either both directions or few unread ones: otherwise the
    /// program has another word for the other direction.
    var isPlausible: Bool {
      let directions = Set(elements.map(\.direction))
      return !elements.isEmpty && (directions.count > 1 || unread.count * 2 < elements.count)
    }
  }

  /// Whether a text has an element that occurs only in streams and has more than its name.
  private static func isPasted(_ head: [UInt8], _ carrier: Carrier) -> Bool {
    guard carrier.encoding != nil || UnreadableFile(head) == nil else { return false }
    return CaptureFormat.pasted.records(in: head, carrier).elements.contains { _, node in
      TopLevel.isStreamOnly(node)
        && ["type", "to", "from", "id"].contains { node.attribute($0) != nil }
    }
  }

  /// The results of reading the beginning of a capture in this format.
  private func records(in head: [UInt8], _ carrier: Carrier) -> Findings {
    var found = Findings()
    let quoteMessages = [QuotedRecords.message, RecordShapes.message]
    var reader = CaptureReader(format: self, options: ReaderOptions(carrier: carrier))
    func note(_ output: CaptureOutput) {
      switch output {
      case .problem(let problem):
        if !quoteMessages.contains(problem.message) { found.broken += 1 }
      case .record(let record):
        guard case .element(let direction, let node, _) = record.content else { return }
        found.elements.append((direction, node))
      }
    }
    try? reader.read(head, note)
    try? reader.finish(note)
    found.unread = reader.unread
    return found
  }

  /// The format of a capture that is still being written; nil until it has a record and further
  /// lines cannot change its format.
  ///
  /// - Parameter known: The format, if it is already known.
  package static func detect(
    beginning head: [UInt8], as known: CaptureFormat? = nil
  ) -> CaptureFormat? {
    guard let format = known ?? detect(head), known != nil || format.id != pasted.id else {
      return nil
    }
    var whole = head
    if format.isOfLines {
      // The last line may be cut off and look different when complete.
      whole = Array(head[..<(head.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)])
      let lines = LineSplitter.lines(of: whole).filter { !$0.isEmpty }
      let mayBeWrapped = lines.contains { line in
        LineWrapper.Kind.allCases.contains { $0.line(line) != nil }
      }
      // Only several lines show whether a collector added that text.
      guard !mayBeWrapped || lines.count > 3, known != nil || detect(whole)?.id == format.id
      else { return nil }
    }
    var hasRecord = false
    var reader = CaptureReader(
      format: format, options: ReaderOptions(carrier: Carrier(whole)))
    func note(_ output: CaptureOutput) { if case .record = output { hasRecord = true } }
    try? reader.read(whole, note)
    try? reader.release(note)
    return hasRecord ? format : nil
  }

  /// The format of a capture whose lines are as its program wrote them; nil if it is unknown.
  static func detectUnwrapped(_ head: [UInt8]) -> CaptureFormat? {
    let lines = LineSplitter.lines(of: head)
    guard let first = lines.first(where: { !$0.allSatisfy(\.isXMLSpace) }) else { return nil }
    if first.withoutLeadingSpace.first == UInt8(ascii: "{") {
      return isArchive(head[...]) ? named("har") : detectJSON(first)
    }
    let isMarkup = first.withoutLeadingSpace.first == UInt8(ascii: "<")
    let found = isMarkup ? detectXML(head) : nil
    let stream = found.flatMap { isPastedText($0.format, head) ? nil : $0 }
    // If there is nothing between the elements, lines that look like those of a log are part of a
    // text.
    if let stream, stream.isWhole { return stream.format }
    return detectText(lines) ?? stream?.format
  }

  /// Whether a capture that begins like a stream is rather pasted text.
  ///
  /// A stream is read only up to the first text between its elements, or to an element that was cut
  /// off. A capture with a stream header was saved by a program, and may have only one direction.
  private static func isPastedText(_ format: CaptureFormat, _ head: [UInt8]) -> Bool {
    let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]
    return !TopLevel.isStreamHeader(text.withoutLeadingSpace)
      && pasted.records(in: head, .none).elements.count
        > format.records(in: head, .none).elements.count
  }

  /// The format of a bare stream, which has at least a header or a complete element of a stream.
  private static func detectXML(_ head: [UInt8]) -> (format: CaptureFormat, isWhole: Bool)? {
    let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]
    let trimmed = text.withoutLeadingSpace
    let isPsi = trimmed.starts(with: "<!-- TS:".utf8)
    guard isPsi || TopLevel.isStreamHeader(trimmed) || TopLevel.isElement(trimmed) else {
      return nil
    }
    var hasElement = isPsi
    // No text has an unescaped comment, and consoles put comments between elements.
    var isWhole = isPsi || text.position(of: Array("<!--".utf8)) == nil
    // The side makes no difference here.
    let reader = RawXMLReader(ReaderOptions(), side: .inbound)
    try? reader.read(Array(text)) { output in
      guard case .record(let record) = output else { return isWhole = false }
      switch record.content {
      case .streamHeader(_, let node, _): hasElement = hasElement || TopLevel.isHeader(node)
      case .element(_, let node, _): hasElement = hasElement || TopLevel.isStreamOnly(node)
      case .lifecycle, .streamEnd, .annotation, .unreadable: break
      }
    }
    guard hasElement, let format = named(isPsi ? "psi" : "raw-stream") else { return nil }
    return (format, isWhole && !reader.isLost)
  }

  /// The format of a text log.
  ///
  /// Each line counts for the most specific format that could have written it. If other formats
  /// could have written at least as many lines, the format in which more records begin, or to which
  /// more lines belong, wins.
  private static func detectText(_ lines: [ArraySlice<UInt8>]) -> CaptureFormat? {
    var counts: [String: Int] = [:]
    for line in lines {
      guard let owner = bySpecificity.first(where: { $0.shape.owns(line) }) else { continue }
      counts[owner.id, default: 0] += 1
    }
    var best: (format: CaptureFormat, count: Int)?
    for format in bySpecificity {
      guard let count = counts[format.id], count > best?.count ?? 0 else { continue }
      best = (format, count)
    }
    guard let best else { return nil }
    let bestHeads = lines.count(where: best.format.shape.begins)
    var rival: (format: CaptureFormat, heads: Int)?
    for format in bySpecificity where format.id != best.format.id {
      guard let owned = count(lines, atLeast: best.count, where: format.shape.owns) else {
        continue
      }
      let heads = lines.count(where: format.shape.begins)
      guard heads > bestHeads || (heads == bestHeads && owned > best.count),
        heads > rival?.heads ?? -1
      else { continue }
      rival = (format, heads)
    }
    return rival?.format ?? best.format
  }

  /// The number of lines that fit; nil as soon as fewer than `minimum` can.
  private static func count(
    _ lines: [ArraySlice<UInt8>], atLeast minimum: Int,
    where fits: (ArraySlice<UInt8>) -> Bool
  ) -> Int? {
    var found = 0
    for (index, line) in lines.enumerated() {
      guard found + lines.count - index >= minimum else { return nil }
      if fits(line) { found += 1 }
    }
    return found >= minimum ? found : nil
  }

  /// Whether an object begins like an HTTP Archive: `{"log":{"version":"1.2","creator":`.
  private static func isArchive(_ head: ArraySlice<UInt8>) -> Bool {
    let start = head.prefix(4096)
    return start.position(of: Array("\"log\"".utf8)) != nil
      && ["\"creator\"", "\"entries\""].contains { start.position(of: Array($0.utf8)) != nil }
  }

  /// The JSON format of a first line. A very long line may be cut off, but its first keys are
  /// enough.
  private static func detectJSON(_ line: ArraySlice<UInt8>) -> CaptureFormat? {
    func hasKey(_ key: String) -> Bool {
      let quoted = Array("\"\(key)\"".utf8)
      return line.prefix(1024).position(of: quoted) != nil
    }
    if let object = try? JSONScanner.object(line) {
      if object[Lifecycle.versionKey] != nil { return named("native") }
      if SpoolReader.isLine(object) { return named("tap") }
      let isRaw = object["conn"] != nil && (object["event"] != nil || object["dir"] != nil)
      return isRaw ? named("raw-jsonl") : nil
    }
    if hasKey(Lifecycle.versionKey) { return named("native") }
    if hasKey("stored") && hasKey("a") { return named("tap") }
    return hasKey("conn") && hasKey("dir") ? named("raw-jsonl") : nil
  }
}

extension CaptureFormat.Shape {
  /// Whether a line of text is in the style of the format's program.
  fileprivate func owns(_ line: ArraySlice<UInt8>) -> Bool {
    switch self {
    case .native, .spool, .raw, .xml, .har, .pasted: false
    case .dino: DinoReader.isHead(line)
    case .wireshark: WiresharkReader.Kind(line) != nil
    case .lines(let log): log.isOwnLine(line)
    case .chunks(let log): log.isOwnLine(line)
    }
  }

  /// Whether a record of the format begins on a line.
  func begins(_ line: ArraySlice<UInt8>) -> Bool {
    switch self {
    case .native, .spool, .raw, .xml, .har, .pasted: false
    case .dino, .wireshark: owns(line)
    // What a program announces, it announces with and without the module that logs its stanzas.
    case .lines(let log):
      log.isHead(line) && log.payload(in: line) == line.position(of: UInt8(ascii: "<"))
    case .chunks(let log): log.head(line) != nil
    }
  }
}
