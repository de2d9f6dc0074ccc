import XMPPStanza
import XMPPStream

/// Reads native captures: JSON Lines that begin with a header.
final class NativeReader: LineReader {

  private let parser: StreamParser
  private var hasHeader = false

  // Accesses need no check for conflicts: one thread uses a reader, and the code that is called
  // during an access does not call back (a rule of `LineReader.takePlain`).

  /// The capture's names for its connections.
  @exclusivity(unchecked) private var names: [UInt32: String] = [:]
  @exclusivity(unchecked) private var commonLine = NativeLine()

  init(_ options: ReaderOptions) {
    parser = StreamParser(root: .records, limits: options.limits)
  }

  func takePlain(
    _ line: RawSpan, number: Int,
    _ take: (borrowing CapturedHead, borrowing XMPPElement) throws -> Void
  ) rethrows -> Bool {
    guard hasHeader, commonLine.read(line) else { return false }
    let head = CapturedHead(
      connection: name(of: commonLine.connection), connectionNumber: commonLine.connection,
      time: commonLine.time, line: number, direction: commonLine.direction)
    return try commonLine.withPaddedXML { xml in
      try parser.takeElement(padded: xml) { try take(head, $0) }
    }
  }

  func take(_ line: ArraySlice<UInt8>, number: Int, _ sink: Sink) throws {
    if hasHeader, let record = commonRecord(line, number) { return try sink(.record(record)) }
    guard !line.allSatisfy(\.isXMLSpace) else { return }
    let content: CapturedRecord.Content
    var time: Int64?
    var connection: UInt32 = 1
    if hasHeader {
      do throws(LineProblem) {
        let object = try Self.object(line)
        time = try Self.time(object)
        connection = try self.connection(object)
        content = try self.content(object, number)
      } catch {
        return try sink(.problem(CaptureProblem(line: number, message: error.message)))
      }
    } else {
      content = .lifecycle(try Self.firstHeader(line, number))
      hasHeader = true
    }
    try sink(.record(record(content, time, on: connection, number)))
  }

  func finish(_ sink: Sink) throws {
    guard hasHeader else { throw CaptureError.badHeader(line: 1, "the capture is empty") }
  }

  // MARK: The header

  private static func firstHeader(
    _ line: ArraySlice<UInt8>, _ number: Int
  ) throws(CaptureError) -> Lifecycle {
    let object: [String: JSONValue]
    do {
      object = try Self.object(line)
      _ = try NativeKey.only(of: object)
    } catch {
      throw .badHeader(line: number, error.message)
    }
    return try Lifecycle(header: object, line: number)
  }

  private static func nextHeader(
    _ object: [String: JSONValue], _ number: Int
  ) throws(LineProblem) -> Lifecycle {
    do {
      return try Lifecycle(header: object, line: number)
    } catch {
      throw LineProblem(error.description)
    }
  }

  // MARK: The records

  /// Returns the record of a common line; nil for any other line, and for one with an error.
  private func commonRecord(_ line: ArraySlice<UInt8>, _ number: Int) -> CapturedRecord? {
    guard commonLine.read(line.span.bytes) else { return nil }
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
    return record(
      CapturedRecord.Content(found, commonLine.direction), commonLine.time,
      on: commonLine.connection, number)
  }

  private func record(
    _ content: CapturedRecord.Content, _ time: Int64?, on connection: UInt32, _ number: Int
  ) -> CapturedRecord {
    CapturedRecord(
      connection: name(of: connection), connectionNumber: connection, time: time, line: number,
      content: content)
  }

  private func name(of connection: UInt32) -> String {
    names.isEmpty ? "" : names[connection] ?? ""
  }

  /// The number of a line's connection, 1 if it has none; any line may give the connection a name.
  private func connection(_ object: [String: JSONValue]) throws(LineProblem) -> UInt32 {
    let number: UInt32
    switch object["c"] {
    case nil, .null: number = 1
    case .integer(let value):
      guard value > 0, let exact = UInt32(exactly: value) else {
        throw LineProblem("\"c\" is not the number of a connection")
      }
      number = exact
    default: throw LineProblem("\"c\" is not a number")
    }
    switch object["name"] {
    case nil, .null: break
    case .string(let name): if !name.isEmpty { names[number] = name }
    default: throw LineProblem("\"name\" is not a string")
    }
    return number
  }

  static func object(_ line: ArraySlice<UInt8>) throws(LineProblem) -> [String: JSONValue] {
    do {
      return try JSONScanner.object(line)
    } catch {
      throw LineProblem(error.description)
    }
  }

  static func time(_ object: [String: JSONValue]) throws(LineProblem) -> Int64? {
    let number: Double
    switch object["t"] {
    case nil, .null: return nil
    case .integer(let time): number = Double(time)
    case .decimal(let time): number = time
    default: throw LineProblem("\"t\" is not a number")
    }
    guard let time = LogClock.milliseconds(exactly: number) else {
      throw LineProblem("\"t\" is out of range")
    }
    return time
  }

  private func content(
    _ object: [String: JSONValue], _ number: Int
  ) throws(LineProblem) -> CapturedRecord.Content {
    switch try NativeKey.only(of: object) {
    // Captures can be concatenated; each begins with its header.
    case Lifecycle.versionKey?: return .lifecycle(try Self.nextHeader(object, number))
    case NativeKey.stream?: return .lifecycle(try Lifecycle(stream: object))
    case NativeKey.unreadable?:
      return .unreadable(try UnreadableBytes(try Self.direction(object), object))
    case NativeKey.xml?, nil: break
    case _?:
      if let annotation = try AnnotationLine(in: object) { return .annotation(annotation) }
    }
    let direction = try Self.direction(object)
    guard let xml = object["xml"] else { throw LineProblem("\"xml\" is missing") }
    guard let text = xml.string else { throw LineProblem("\"xml\" is not a string") }
    return CapturedRecord.Content(try parser.onlyEvent(in: text), direction)
  }

  static func direction(_ object: [String: JSONValue]) throws(LineProblem) -> Direction {
    switch object[NativeKey.direction] {
    case .string("in"): return .inbound
    case .string("out"): return .outbound
    case nil: throw LineProblem("\"dir\" is missing")
    default: throw LineProblem("\"dir\" is neither \"in\" nor \"out\"")
    }
  }
}
