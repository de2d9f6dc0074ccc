import XMPPStanza
import XMPPStream

/// Reads the output of Dino with `--print-xmpp=all`: a line with the direction of an element, and
/// then the element, with a tag or a text on each line.
///
/// Texts are unescaped, so indentation decides, not appearance. The content of an element is
/// indented by two spaces more than its tags. In a text of several lines, Dino until 0.4 puts the
/// indentation after each line but the last, and later versions before each line but the first. A
/// line of a message therefore never has the position of a tag or of a record's first line without
/// being recognizable as text. Attribute values contain no `<`. Anything else is not read, and
/// reading continues after an empty line, which Dino never prints inside a text.
final class DinoReader: LineReader {
  private struct Record {
    let head: RecordHead
    let isRoot: Bool
    /// The open elements, outermost first.
    var open: [DinoElement] = []
    /// A start tag whose end has not been read yet.
    var tag: [UInt8]?
    /// A text of the innermost element that may continue.
    var text: [UInt8]?
    /// Whether the next line continues the text, whatever it looks like.
    var textContinues = false
    var bytes = 0
  }

  private let parser: StreamParser
  private let limits: StreamLimits
  private var clock: LogClock
  var lacksYear: Bool { clock.lacksYear }
  private var record: Record?
  private var held: (bytes: ArraySlice<UInt8>, number: Int)?
  private var isSkipping = false
  private(set) var unread = UnreadLines()
  private var isAfterEmptyLine = true

  /// Elements that contain only text.
  private static let textual: Set<String> = [
    "body", "subject", "thread", "status", "show", "priority", "group", "nick", "jid", "resource",
    "text", "value", "reason", "title", "FN", "NICKNAME", "password",
  ]

  init(_ options: ReaderOptions) {
    limits = options.limits
    parser = StreamParser(root: .records, limits: options.limits)
    clock = LogClock(options)
  }

  func take(_ line: ArraySlice<UInt8>, number: Int, _ sink: Sink) throws {
    if let held { try read(held.bytes, held.number, next: line, sink) }
    held = (line, number)
  }

  func finish(_ sink: Sink) throws {
    if let held { try read(held.bytes, held.number, next: nil, sink) }
    held = nil
    if record != nil { try abandon("the record does not end before the capture does", sink) }
  }

  /// Whether a record begins with the line.
  static func isHead(_ line: ArraySlice<UInt8>) -> Bool { head(line) != nil }

  private static func head(
    _ line: ArraySlice<UInt8>
  ) -> (direction: Direction, isRoot: Bool, connection: String, time: LogTime?)? {
    var scanner = ByteScanner(line)
    guard scanner.skip("XMPP ") else { return nil }
    let direction: Direction
    if scanner.skip("IN ") {
      direction = .inbound
    } else if scanner.skip("OUT ") {
      direction = .outbound
    } else {
      return nil
    }
    let isRoot = scanner.skip("ROOT ")
    guard scanner.skip("[") else { return nil }
    // Dino until 0.1 names only the account (`xmpp_log.vala`).
    var older = scanner
    if let account = older.take(upTo: "]", limit: 3200), older.rest.isEmpty,
      !account.contains(UInt8(ascii: " "))
    {
      return (direction, isRoot, String(decoding: account, as: UTF8.self), nil)
    }
    guard scanner.take(upTo: " stream:0x", limit: 3200) != nil,
      let stream = scanner.take(upTo: " thread:0x", limit: 32),
      stream.allSatisfy({ $0.hexValue != nil }),
      let stamp = scanner.take(upTo: "]", limit: 64), scanner.rest.isEmpty
    else { return nil }
    return (
      direction, isRoot, String(decoding: stream, as: UTF8.self), LogTime.isoTime(in: stamp)
    )
  }

  // MARK: Lines

  private func read(
    _ line: ArraySlice<UInt8>, _ number: Int, next: ArraySlice<UInt8>?, _ sink: Sink
  ) throws {
    defer { isAfterEmptyLine = line.isEmpty }
    guard record == nil else { return try readContent(line, number, next: next, sink) }
    guard !isSkipping || isAfterEmptyLine, let head = Self.head(line) else {
      // The rest of a broken element is reported with it.
      if !isSkipping { unread.note(line, number: number) }
      return
    }
    isSkipping = false
    record = Record(
      head: RecordHead(
        line: number, direction: head.direction, connection: head.connection,
        time: clock.milliseconds(head.time)),
      isRoot: head.isRoot)
  }

  private func readContent(
    _ line: ArraySlice<UInt8>, _ number: Int, next: ArraySlice<UInt8>?, _ sink: Sink
  ) throws {
    record?.bytes += line.count
    guard let size = record?.bytes, size <= 2 * limits.bytesPerElement else {
      return try abandon("it has too many bytes", sink)
    }
    if var tag = record?.tag {
      tag += [UInt8(ascii: "\n")] + line
      record?.tag = nil
      return try readTag(tag[...], sink)
    }
    if record?.text != nil, try readText(line, next: next) { return }
    try readStructure(line, next: next, sink)
  }

  /// Reads a line of an open text; false if the text has ended.
  private func readText(_ line: ArraySlice<UInt8>, next: ArraySlice<UInt8>?) throws -> Bool {
    guard var current = record, var text = current.text, let element = current.open.last else {
      return false
    }
    let indent = [UInt8](repeating: 0x20, count: 2 * current.open.count)
    if current.textContinues {
      let end = indent.dropLast(2) + DinoTag.end(of: element.name)
      // A text may end with a line like an end tag, and the real end tag follows it.
      let isEnd = line.elementsEqual(end) && !(next?.elementsEqual(end) ?? false)
      if !isEnd {
        current.textContinues = line.ends(with: indent)
        text += [UInt8(ascii: "\n")] + (current.textContinues ? line.dropLast(indent.count) : line)
        current.text = text
        record = current
        return true
      }
    } else if line.starts(with: indent),
      Self.textual.contains(element.name.local) || !Self.isTag(line.dropFirst(indent.count))
    {
      let rest = line.dropFirst(indent.count)
      current.text = text + [UInt8(ascii: "\n")] + rest
      record = current
      return true
    }
    current.text = nil
    current.textContinues = false
    current.open[current.open.count - 1].content
      .append(.text(String(decoding: text, as: UTF8.self)))
    record = current
    return false
  }

  private static func isTag(_ text: ArraySlice<UInt8>) -> Bool { text.starts(with: "<{".utf8) }

  private func readStructure(
    _ line: ArraySlice<UInt8>, next: ArraySlice<UInt8>?, _ sink: Sink
  ) throws {
    guard let open = record?.open else { return }
    guard let innermost = open.last else {
      if line.elementsEqual("</stream:stream>".utf8) { return try emit(Array(line), sink) }
      guard Self.isTag(line) else { return try abandon("it has no element", sink) }
      return try readTag(line, sink)
    }
    let indent = [UInt8](repeating: 0x20, count: 2 * open.count)
    if line.starts(with: indent) {
      let rest = line.dropFirst(indent.count)
      let isText = Self.textual.contains(innermost.name.local) || !Self.isTag(rest)
      guard isText else { return try readTag(rest, sink) }
      let continues = line.count > indent.count && rest.ends(with: indent)
      record?.text = Array(continues ? rest.dropLast(indent.count) : rest)
      record?.textContinues = continues
      return
    }
    if line.elementsEqual(indent.dropLast(2) + DinoTag.end(of: innermost.name)) {
      return try close(sink)
    }
    // An empty element with a start tag and an end tag is printed without the end tag.
    guard innermost.content.isEmpty else {
      return try abandon("a tag is not where the indentation says", sink)
    }
    try close(sink)
    if record != nil { try readStructure(line, next: next, sink) }
  }

  private func readTag(_ text: ArraySlice<UInt8>, _ sink: Sink) throws {
    guard DinoTag.isWhole(text) else {
      record?.tag = Array(text)
      return
    }
    guard let tag = DinoTag(text) else { return try abandon("a tag is malformed", sink) }
    guard let depth = record?.open.count, depth < limits.depth else {
      return try abandon("elements are nested too deeply", sink)
    }
    if record?.isRoot == true { return try emitHeader(tag.element, sink) }
    record?.open.append(tag.element)
    if tag.isEmpty { try close(sink) }
  }

  /// Ends the innermost element.
  private func close(_ sink: Sink) throws {
    guard let element = record?.open.popLast() else { return }
    guard let depth = record?.open.count, depth > 0 else {
      return try emit(element.node.serialized(), sink)
    }
    record?.open[depth - 1].content.append(.element(element.node))
  }

  // MARK: Records

  private func emitHeader(_ element: DinoElement, _ sink: Sink) throws {
    var tag = "<stream:stream".utf8.map { $0 }
    for attribute in element.attributes where attribute.name.namespace.isEmpty {
      tag += " \(attribute.name.local)='".utf8
      tag += attribute.value.utf8.flatMap { byte in
        "&<>'".utf8.contains(byte) ? Array("&#\(byte);".utf8) : [byte]
      }
      tag += "'".utf8
    }
    try emit(tag + ">".utf8, sink)
  }

  /// Parses the XML of the record and passes on its events.
  private func emit(_ bytes: [UInt8], _ sink: Sink) throws {
    guard let record else { return }
    var events: [StreamEvent] = []
    do {
      try parser.feed(bytes) { events.append($0) }
      guard parser.isBetweenElements else { return try abandon("it is not whole", sink) }
    } catch let error as StreamError {
      return try abandon(error.kind.description, sink)
    }
    self.record = nil
    for event in events { try record.head.emit(event, sink) }
  }

  private func abandon(_ reason: String, _ sink: Sink) throws {
    guard let record else { return }
    self.record = nil
    isSkipping = true
    parser.reset()
    let message = "the record cannot be read: \(reason)"
    try sink(.problem(CaptureProblem(line: record.head.line, message: message)))
  }
}
