import XMPPStanza

extension CaptureFormat {
  /// The format of a capture by its first bytes, 64 KiB of which are enough; nil where they look
  /// like none that is known.
  ///
  /// What starts with an object of JSON is told by its keys. Of a text log every line is compared
  /// with each format, and the one that most lines belong to is it: a single line may be a message
  /// that somebody wrote to deceive.
  package static func detect(_ head: [UInt8]) -> CaptureFormat? {
    detect(head, within: Carrier(head))
  }

  /// The same of a capture whose carrier is known.
  package static func detect(_ head: [UInt8], within carrier: Carrier) -> CaptureFormat? {
    // Lines that look like a program's fit nothing if none of its records is among them.
    let text = carrier.content(of: head)
    guard let known = detectUnwrapped(text) else {
      return isPasted(head, carrier) ? .pasted : detectXML(text)?.format
    }
    guard known.isOfLines else { return known }
    let found = known.records(in: head, carrier)
    if !found.isFitting { return isPasted(head, carrier) ? .pasted : known }
    // Where nearly every record is broken, something has changed what the program wrote.
    guard found.broken > found.elements.count else { return known }
    let isPastedMore = pasted.records(in: head, carrier).elements.count > found.elements.count
    return isPastedMore && isPasted(head, carrier) ? .pasted : known
  }

  /// What a reader of a format finds in the beginning of a capture.
  private struct Findings {
    var elements: [(direction: Direction, node: XMPPElement)] = []
    /// The lines that it does not read.
    var unread = UnreadLines()
    /// How many problems it has, but for lines that quote a record: those somebody may have
    /// written to deceive.
    var broken = 0

    /// Whether there are elements, and not those of one direction only while as many others are
    /// passed over, for which that program has another word.
    var isFitting: Bool {
      let directions = Set(elements.map(\.direction))
      return !elements.isEmpty && (directions.count > 1 || unread.count * 2 < elements.count)
    }
  }

  /// Whether a text has an element that only a stream has, and that says more than its name.
  private static func isPasted(_ head: [UInt8], _ carrier: Carrier) -> Bool {
    guard carrier.encoding != nil || UnreadableFile(head) == nil else { return false }
    return CaptureFormat.pasted.records(in: head, carrier).elements.contains { _, node in
      TopLevel.holds(node) && ["type", "to", "from", "id"].contains { node.attribute($0) != nil }
    }
  }

  /// What a reader of the format finds in the beginning of a capture.
  private func records(in head: [UInt8], _ carrier: Carrier) -> Findings {
    var found = Findings()
    let ofQuotes = [QuotedRecords.message, RecordShapes.message]
    var reader = CaptureReader(format: self, options: ReaderOptions(carrier: carrier))
    func note(_ output: CaptureOutput) {
      switch output {
      case .problem(let problem):
        if !ofQuotes.contains(problem.message) { found.broken += 1 }
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

  /// The format of a capture of which no more than a beginning is there yet; nil while that has no
  /// record, or what is to come could still say another one.
  ///
  /// - Parameter known: the format, where it need not be found.
  package static func detect(
    beginning head: [UInt8], as known: CaptureFormat? = nil
  ) -> CaptureFormat? {
    guard let format = known ?? detect(head), known != nil || format.id != pasted.id else {
      return nil
    }
    var whole = head
    if format.isOfLines {
      // The last line may be cut off, and be another one when it is whole.
      whole = Array(head[..<(head.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)])
      let lines = LineSplitter.lines(of: whole).filter { !$0.isEmpty }
      let mayBeWrapped = lines.contains { line in
        LineWrapper.Kind.allCases.contains { $0.line(line) != nil }
      }
      // Only several lines say whether a collector has put that around them.
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

  /// The same where no collector has put anything around the lines.
  static func detectUnwrapped(_ head: [UInt8]) -> CaptureFormat? {
    let lines = LineSplitter.lines(of: head)
    guard let first = lines.first(where: { !$0.allSatisfy(\.isXMLSpace) }) else { return nil }
    if first.withoutLeadingSpace.first == UInt8(ascii: "{") {
      return isArchive(head[...]) ? named("har") : detectJSON(first)
    }
    let isMarkup = first.withoutLeadingSpace.first == UInt8(ascii: "<")
    let found = isMarkup ? detectXML(head) : nil
    let stream = found.flatMap { isTorn($0.format, head) ? nil : $0 }
    // Where nothing stands between the elements, what looks like lines of a log stands in a text.
    if let stream, stream.isWhole { return stream.format }
    return detectText(lines) ?? stream?.format
  }

  /// Whether what begins like a stream is rather a text that somebody pasted: a stream is read no
  /// further than to the first text between its elements, or to one that was cut off. One with its
  /// header is what a program saved, and may be of one direction.
  private static func isTorn(_ format: CaptureFormat, _ head: [UInt8]) -> Bool {
    let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]
    return !TopLevel.isStreamHeader(text.withoutLeadingSpace)
      && pasted.records(in: head, .none).elements.count
        > format.records(in: head, .none).elements.count
  }

  /// A stream by itself has at least a header or a whole element that stands in streams.
  private static func detectXML(_ head: [UInt8]) -> (format: CaptureFormat, isWhole: Bool)? {
    let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]
    let trimmed = text.withoutLeadingSpace
    let isPsi = trimmed.starts(with: "<!-- TS:".utf8)
    guard isPsi || TopLevel.isStreamHeader(trimmed) || TopLevel.isElement(trimmed) else {
      return nil
    }
    var hasElement = isPsi
    // No text has a comment that is not escaped, and consoles have them between elements.
    var isWhole = isPsi || text.position(of: Array("<!--".utf8)) == nil
    // Whose it is does not matter here.
    let reader = RawXMLReader(ReaderOptions(), side: .inbound)
    try? reader.read(Array(text)) { output in
      guard case .record(let record) = output else { return isWhole = false }
      switch record.content {
      case .streamHeader(_, let node, _): hasElement = hasElement || TopLevel.isHeader(node)
      case .element(_, let node, _): hasElement = hasElement || TopLevel.holds(node)
      case .lifecycle, .streamEnd, .annotation, .unreadable: break
      }
    }
    guard hasElement, let format = named(isPsi ? "psi" : "raw-stream") else { return nil }
    return (format, isWhole && !reader.isLost)
  }

  /// Each line is evidence for the format that says most by it; of those that could have written
  /// as many, the one that more records begin in, or that more lines belong to.
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
    let heads = lines.count(where: best.format.shape.begins)
    var rival: (format: CaptureFormat, begun: Int)?
    for format in bySpecificity where format.id != best.format.id {
      guard let owned = count(lines, atLeast: best.count, where: format.shape.owns) else {
        continue
      }
      let begun = lines.count(where: format.shape.begins)
      guard begun > heads || (begun == heads && owned > best.count), begun > rival?.begun ?? -1
      else { continue }
      rival = (format, begun)
    }
    return rival?.format ?? best.format
  }

  /// How many lines fit; nil if fewer than `minimum` do, which is known before the last of them.
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

  /// Whether an object begins as an HTTP Archive does: `{"log":{"version":"1.2","creator":`.
  private static func isArchive(_ head: ArraySlice<UInt8>) -> Bool {
    let start = head.prefix(4096)
    return start.position(of: Array("\"log\"".utf8)) != nil
      && ["\"creator\"", "\"entries\""].contains { start.position(of: Array($0.utf8)) != nil }
  }

  /// A first line may be cut off where it is very long; its first keys tell all the same.
  private static func detectJSON(_ line: ArraySlice<UInt8>) -> CaptureFormat? {
    func hasKey(_ key: String) -> Bool {
      let quoted = Array("\"\(key)\"".utf8)
      return line.prefix(1024).position(of: quoted) != nil
    }
    if let object = try? JSONScanner.object(line) {
      if object[Lifecycle.versionKey] != nil { return named("native") }
      let isRaw = object["conn"] != nil && (object["event"] != nil || object["dir"] != nil)
      return isRaw ? named("raw-jsonl") : nil
    }
    if hasKey(Lifecycle.versionKey) { return named("native") }
    return hasKey("conn") && hasKey("dir") ? named("raw-jsonl") : nil
  }
}

extension CaptureFormat.Shape {
  /// Whether a line of text is one that the format's program writes.
  fileprivate func owns(_ line: ArraySlice<UInt8>) -> Bool {
    switch self {
    case .native, .raw, .xml, .har, .pasted: false
    case .dino: DinoReader.isHead(line)
    case .wireshark: WiresharkReader.Kind(line) != nil
    case .lines(let log): log.isOwnLine(line)
    case .chunks(let log): log.isOwnLine(line)
    }
  }

  /// Whether a record of the format begins on a line.
  func begins(_ line: ArraySlice<UInt8>) -> Bool {
    switch self {
    case .native, .raw, .xml, .har, .pasted: false
    case .dino, .wireshark: owns(line)
    case .lines(let log): log.isHead(line)
    case .chunks(let log): log.head(line) != nil
    }
  }
}
