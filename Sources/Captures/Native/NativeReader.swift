import XMPPStanza
import XMPPStream

/// Reads the native capture: JSON Lines, a header first.
final class NativeReader: LineReader {
  private let parser: StreamParser
  private var hasHeader = false
  /// Not checked for conflicts at each access: there are none, as one thread uses a reader, and
  /// what is called while it is used here does not call back.
  @exclusivity(unchecked) private var commonLine = NativeLine()

  /// A line of its own kind of mistake, which is skipped.
  private struct Mistake: Error {
    let message: String

    init(_ message: String) {
      self.message = message
    }
  }

  /// The parser says where credentials can be, so that not every element is searched for them.
  let takesCredentialsOut = true

  /// - Parameter isRead: Which children of an element the caller looks at; nil for all.
  init(_ options: ReaderOptions, readingChildren isRead: ElementInterest.Rule?) {
    let isBuilt: ElementInterest.Rule = { name in
      isRead.map { $0(name) || AccountFilter.readsChild(name) } ?? true
    }
    parser = StreamParser(
      root: .records, limits: options.limits,
      interest: ElementInterest(
        keepingChildren: isBuilt, allWith: { mayHoldCredentials($0) }))
  }

  func take(_ line: ArraySlice<UInt8>, number: Int, _ sink: Sink) throws {
    if hasHeader, let record = commonRecord(line, number) { return try sink(.record(record)) }
    guard !line.allSatisfy(\.isBlank) else { return }
    let content: CapturedRecord.Content
    var time: Int64?
    if hasHeader {
      do throws(Mistake) {
        let object = try Self.object(line)
        time = try Self.time(object)
        // Captures can be put one behind the other; each begins with its header.
        content =
          object["rollcall-capture"] == nil
          ? try self.content(object) : try Self.nextHeader(line, number)
      } catch {
        return try sink(.problem(CaptureProblem(line: number, message: error.message)))
      }
    } else {
      content = try Self.header(line, number)
      hasHeader = true
    }
    try sink(
      .record(CapturedRecord(connection: "", time: time, line: number, content: content)))
  }

  func finish(_ sink: Sink) throws {
    guard hasHeader else { throw CaptureError.badHeader(line: 1, "the capture is empty") }
  }

  // MARK: The header

  private static func header(
    _ line: ArraySlice<UInt8>, _ number: Int
  ) throws(CaptureError) -> CapturedRecord.Content {
    let object: JSONScanner.Object
    do {
      object = try JSONScanner.object(line)
    } catch {
      throw .badHeader(line: number, error.description)
    }
    switch object["rollcall-capture"] {
    case .integer(1): break
    case .integer(let version): throw .unknownVersion(line: number, version)
    case nil: throw .badHeader(line: number, "it has no key \"rollcall-capture\"")
    default: throw .badHeader(line: number, "\"rollcall-capture\" is not a whole number")
    }
    let inboundOnly: Bool
    switch object["directions"] {
    case nil, .null: inboundOnly = false
    case .string(Array("in".utf8)): inboundOnly = true
    default: throw .badHeader(line: number, "\"directions\" is not \"in\"")
    }
    return .header(account: try account(object, number), inboundOnly: inboundOnly)
  }

  private static func nextHeader(
    _ line: ArraySlice<UInt8>, _ number: Int
  ) throws(Mistake) -> CapturedRecord.Content {
    do {
      return try header(line, number)
    } catch {
      throw Mistake(error.description)
    }
  }

  private static func account(
    _ object: JSONScanner.Object, _ number: Int
  ) throws(CaptureError) -> JID? {
    guard let value = object["account"], value != .null else { return nil }
    guard let text = value.text else {
      throw .badHeader(line: number, "\"account\" is not a string")
    }
    do {
      return try JID(parsing: text)
    } catch {
      throw .badHeader(line: number, "\"account\" is no address: \(error)")
    }
  }

  // MARK: The records

  /// The record of a line as nearly all are. Nil for any other, and for one with a mistake.
  private func commonRecord(_ line: ArraySlice<UInt8>, _ number: Int) -> CapturedRecord? {
    guard commonLine.read(line) else { return nil }
    if let element = parser.takeElement(commonLine.xml) {
      return record(.element(element), number)
    }
    var found: StreamEvent?
    var count = 0
    do {
      try parser.feed(commonLine.xml) { event in
        found = event
        count += 1
      }
      try parser.finish()
    } catch {
      parser.reset()
      return nil
    }
    guard count == 1, let found else { return nil }
    return record(found, number)
  }

  private func record(_ event: StreamEvent, _ number: Int) -> CapturedRecord {
    CapturedRecord(
      connection: "", time: commonLine.time, line: number,
      content: Self.content(event, commonLine.direction))
  }

  private static func object(_ line: ArraySlice<UInt8>) throws(Mistake) -> JSONScanner.Object {
    do {
      return try JSONScanner.object(line)
    } catch {
      throw Mistake(error.description)
    }
  }

  private static func time(_ object: JSONScanner.Object) throws(Mistake) -> Int64? {
    let number: Double
    switch object["t"] {
    case nil, .null: return nil
    case .integer(let time): number = Double(time)
    case .decimal(let time): number = time
    default: throw Mistake("\"t\" is not a number")
    }
    guard let time = LogClock.milliseconds(exactly: number) else {
      throw Mistake("\"t\" is out of range")
    }
    return time
  }

  private func content(
    _ object: JSONScanner.Object
  ) throws(Mistake) -> CapturedRecord.Content {
    if let stream = object["stream"] {
      guard object["xml"] == nil else {
        throw Mistake("a record has either \"xml\" or \"stream\", not both")
      }
      return try lifecycle(stream, object["jid"])
    }
    if let name = object["bookmark"] { return try bookmark(name, object["back"]) }
    let direction: Direction
    switch object["dir"] {
    case .string(Array("in".utf8)): direction = .inbound
    case .string(Array("out".utf8)): direction = .outbound
    case nil: throw Mistake("\"dir\" is missing")
    default: throw Mistake("\"dir\" is neither \"in\" nor \"out\"")
    }
    guard let xml = object["xml"] else { throw Mistake("\"xml\" is missing") }
    guard case .string(let bytes) = xml else { throw Mistake("\"xml\" is not a string") }
    return Self.content(try event(bytes), direction)
  }

  private func bookmark(
    _ name: JSONValue, _ back: JSONValue?
  ) throws(Mistake) -> CapturedRecord.Content {
    guard let name = name.text else { throw Mistake("\"bookmark\" is not a string") }
    guard case .integer(let steps)? = back, steps >= 0 else {
      throw Mistake("\"back\" is not a number of records")
    }
    return .bookmark(name: name, back: UInt64(steps))
  }

  private func lifecycle(
    _ word: JSONValue, _ jid: JSONValue?
  ) throws(Mistake) -> CapturedRecord.Content {
    var address: JID?
    if let jid, jid != .null {
      guard let text = jid.text else { throw Mistake("\"jid\" is not a string") }
      do {
        address = try JID(parsing: text)
      } catch {
        throw Mistake("\"jid\" is no address: \(error)")
      }
    }
    switch word {
    case .string(Array("opened".utf8)):
      guard let address else { throw Mistake("an opened stream has no \"jid\"") }
      return .opened(address)
    case .string(Array("resumed".utf8)): return .resumed(address)
    case .string(Array("closed".utf8)): return .closed
    default: throw Mistake("\"stream\" is none of \"opened\", \"resumed\", \"closed\"")
    }
  }

  /// What an element, header or end tag becomes, credentials taken out.
  private static func content(
    _ event: StreamEvent, _ direction: Direction
  ) -> CapturedRecord.Content {
    guard case .element(let element) = event, element.asksForAll else {
      return CapturedRecord.Content(event, direction)
    }
    let (node, bytes) = withoutCredentials(element.node, element.bytes)
    return .element(direction, node, bytes: bytes)
  }

  /// The one element, header or end tag that a record holds.
  private func event(_ xml: [UInt8]) throws(Mistake) -> StreamEvent {
    var found: [StreamEvent] = []
    do {
      try parser.feed(xml) { found.append($0) }
      try parser.finish()
    } catch {
      parser.reset()
      throw Mistake("\"xml\" cannot be read: \((error as? StreamError)?.kind.description ?? "")")
    }
    guard let event = found.first else { throw Mistake("\"xml\" is empty") }
    guard found.count == 1 else { throw Mistake("a record holds one element, not \(found.count)") }
    return event
  }
}
