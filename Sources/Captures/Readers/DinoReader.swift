import XMPPStanza
import XMPPStream

/// Reads what Dino prints with `--print-xmpp=all`: below a line that says which way an element
/// went, the element with a tag or a text on each line.
///
/// Texts stand unescaped, so looks say nothing, and indentation is what tells. An element's
/// content is indented by two more than its tags. Of a text of several lines, Dino until 0.4 puts
/// the indentation after each line but the last, and later ones before each but the first; so no
/// line that somebody wrote stands where a tag or the line of a record does without saying that it
/// is text. A value has no `<`. What cannot be so is not read, and reading goes on after an empty
/// line, which no text of Dino's has.
final class DinoReader: LineReader {
  private struct Record {
    let head: RecordHead
    let isRoot: Bool
    /// The elements whose end is still to come, the outermost first.
    var open: [DinoElement] = []
    /// A start tag whose end has not come.
    var tag: [UInt8]?
    /// A text of the innermost element that may go on.
    var text: [UInt8]?
    /// Whether the text goes on with the next line, whatever that looks like.
    var textGoesOn = false
    var bytes = 0
  }

  private let parser: StreamParser
  private let limits: StreamLimits
  private var clock: LogClock
  var lacksYear: Bool { clock.lacksYear }
  private var record: Record?
  private var held: (bytes: ArraySlice<UInt8>, number: Int)?
  private var isLost = false
  private(set) var unread = UnreadLines()
  private var isAfterEmptyLine = true

  /// Elements that hold text and nothing else.
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
    if record != nil { try giveUp("the record does not end before the capture does", sink) }
  }

  /// Whether a line is one that a record begins with.
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
    // Dino until 0.1 names nothing but the account (`xmpp_log.vala`).
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
    guard !isLost || isAfterEmptyLine, let head = Self.head(line) else {
      // What is left of a broken element is named with it.
      if !isLost { unread.note(line, number: number) }
      return
    }
    isLost = false
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
      return try giveUp("it has too many bytes", sink)
    }
    if var tag = record?.tag {
      tag += [UInt8(ascii: "\n")] + line
      record?.tag = nil
      return try readTag(tag[...], sink)
    }
    if record?.text != nil, try readText(line, next: next) { return }
    try readStructure(line, next: next, sink)
  }

  /// Takes a line of a text that was begun; false where the text has ended.
  private func readText(_ line: ArraySlice<UInt8>, next: ArraySlice<UInt8>?) throws -> Bool {
    guard var current = record, var text = current.text, let element = current.open.last else {
      return false
    }
    let indent = [UInt8](repeating: 0x20, count: 2 * current.open.count)
    if current.textGoesOn {
      let end = indent.dropLast(2) + DinoTag.end(of: element.name)
      // A text may end with this very line, and then the end tag follows it.
      let isEnd = line.elementsEqual(end) && !(next?.elementsEqual(end) ?? false)
      if !isEnd {
        current.textGoesOn = line.ends(with: indent)
        text += [UInt8(ascii: "\n")] + (current.textGoesOn ? line.dropLast(indent.count) : line)
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
    current.textGoesOn = false
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
      if line.elementsEqual("</stream:stream>".utf8) { return try give(Array(line), sink) }
      guard Self.isTag(line) else { return try giveUp("no element stands in it", sink) }
      return try readTag(line, sink)
    }
    let indent = [UInt8](repeating: 0x20, count: 2 * open.count)
    if line.starts(with: indent) {
      let rest = line.dropFirst(indent.count)
      let isText = Self.textual.contains(innermost.name.local) || !Self.isTag(rest)
      guard isText else { return try readTag(rest, sink) }
      let goesOn = line.count > indent.count && rest.ends(with: indent)
      record?.text = Array(goesOn ? rest.dropLast(indent.count) : rest)
      record?.textGoesOn = goesOn
      return
    }
    if line.elementsEqual(indent.dropLast(2) + DinoTag.end(of: innermost.name)) {
      return try close(sink)
    }
    // An element that was written with two tags and nothing between them has no end tag here.
    guard innermost.content.isEmpty else {
      return try giveUp("a tag is not where the indentation says", sink)
    }
    try close(sink)
    if record != nil { try readStructure(line, next: next, sink) }
  }

  private func readTag(_ text: ArraySlice<UInt8>, _ sink: Sink) throws {
    guard DinoTag.isWhole(text) else {
      record?.tag = Array(text)
      return
    }
    guard let tag = DinoTag(text) else { return try giveUp("a tag is malformed", sink) }
    guard let depth = record?.open.count, depth < limits.depth else {
      return try giveUp("elements are nested too deeply", sink)
    }
    if record?.isRoot == true { return try giveHeader(tag.element, sink) }
    record?.open.append(tag.element)
    if tag.isEmpty { try close(sink) }
  }

  /// Ends the innermost element.
  private func close(_ sink: Sink) throws {
    guard let element = record?.open.popLast() else { return }
    guard let depth = record?.open.count, depth > 0 else {
      return try give(element.node.serialized(), sink)
    }
    record?.open[depth - 1].content.append(.element(element.node))
  }

  // MARK: Records

  private func giveHeader(_ element: DinoElement, _ sink: Sink) throws {
    var tag = "<stream:stream".utf8.map { $0 }
    for attribute in element.attributes where attribute.name.namespace.isEmpty {
      tag += " \(attribute.name.local)='".utf8
      tag += attribute.value.utf8.flatMap { byte in
        "&<>'".utf8.contains(byte) ? Array("&#\(byte);".utf8) : [byte]
      }
      tag += "'".utf8
    }
    try give(tag + ">".utf8, sink)
  }

  /// Gives what the XML of the record says, which has to stand up to a parser as any other.
  private func give(_ bytes: [UInt8], _ sink: Sink) throws {
    guard let record else { return }
    var events: [StreamEvent] = []
    do {
      try parser.feed(bytes) { events.append($0) }
      guard parser.isBetweenElements else { return try giveUp("it is not whole", sink) }
    } catch let error as StreamError {
      return try giveUp(error.kind.description, sink)
    }
    self.record = nil
    for event in events { try record.head.give(event, sink) }
  }

  private func giveUp(_ reason: String, _ sink: Sink) throws {
    guard let record else { return }
    self.record = nil
    isLost = true
    parser.reset()
    let message = "the record cannot be read: \(reason)"
    try sink(.problem(CaptureProblem(line: record.head.line, message: message)))
  }
}
