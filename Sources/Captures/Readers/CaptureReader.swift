package import Foundation
package import XMPPStanza
package import XMPPStream

/// How a capture is to be read.
package struct ReaderOptions: Hashable, Sendable {
  /// The year in which a log begins whose clock does not say; without it its times are unknown.
  package var year: Int?
  /// The zone of a log's clock that does not say its own; nil is UTC.
  package var zone: TimeZone?
  /// What carried the log and changed its text.
  package var carrier: Carrier
  /// Whose log it is, if somebody has said so: it tells what was sent from what was received.
  package var account: BareJID?
  /// What is taken before an element is refused.
  package var limits: StreamLimits

  /// Options from their parts.
  package init(
    year: Int? = nil, zone: TimeZone? = nil, carrier: Carrier = .none,
    account: BareJID? = nil, limits: StreamLimits = .capture
  ) {
    self.year = year
    self.zone = zone
    self.carrier = carrier
    self.account = account
    self.limits = limits
  }
}

/// Reads a capture of one format from its bytes, in bounded memory.
///
/// Any way to cut the bytes gives the same outputs. Credentials are taken out of every element
/// before it is handed over.
package struct CaptureReader {
  private enum Reader {
    case lines(any LineReader)
    case bytes(any ByteReader)
  }

  private let reader: Reader
  private var inlet: LineInlet
  private var decoder: TextDecoder?
  /// Cuts the lines for a reader of lines.
  private var lines: LineSplitter
  private var outlet: Outlet

  /// A reader at the beginning of a capture.
  package init(format: CaptureFormat, options: ReaderOptions = ReaderOptions()) {
    inlet = LineInlet(options, isText: format.isOfLines)
    decoder = options.carrier.encoding.map { TextDecoder($0) }
    // How many bytes of a line a byte of an element takes at most.
    var escapedBytes = 1
    let made: Reader
    switch format.shape {
    case .native:
      made = .lines(NativeReader(options))
      escapedBytes = 6
    case .raw:
      made = .lines(RawReader(options))
      escapedBytes = 6
    case .lines(let log): made = Self.reader(options) { LineLogReader(log, options) }
    case .chunks(let log):
      made = Self.reader(options) { ChunkLogReader(log, options) }
      // Four of Python's `\xe5`, and `229,` of Erlang's.
      escapedBytes = 4
    case .dino: made = Self.reader(options) { DinoReader(options) }
    case .pasted: made = Self.reader(options) { PastedReader(options) }
    case .wireshark:
      made = .lines(WiresharkReader(options))
      escapedBytes = 2
    case .xml: made = .bytes(RawXMLReader(options))
    case .har: made = .bytes(HARReader(options))
    }
    reader = made
    lines = LineSplitter(maximumBytes: escapedBytes * options.limits.bytesPerElement + (64 << 10))
    outlet = Outlet(directions: format.hasWordsForDirections ? DirectionCheck() : nil)
  }

  /// A reader of text, or one for each program of which a collector gathered the lines.
  private static func reader(
    _ options: ReaderOptions, _ make: @escaping () -> any LineReader
  ) -> Reader {
    .lines(options.carrier.separatesSources ? SeparateReaders(make) : make())
  }

  /// A reader at the beginning of a file that has the bytes of one direction of a stream.
  package init(side: Direction, options: ReaderOptions = ReaderOptions()) {
    reader = .bytes(RawXMLReader(options, side: side))
    inlet = LineInlet(options, isText: false)
    decoder = options.carrier.encoding.map { TextDecoder($0) }
    lines = LineSplitter(maximumBytes: 0)
    outlet = Outlet(directions: nil)
  }

  /// Takes the next bytes and hands over what they complete.
  ///
  /// - Parameter takeInPlace: Given each element that is plain in all respects, with what stands
  ///   beside it, and says whether it took it; what it took does not come as a record. The element
  ///   is borrowed, and valid while this runs: who keeps it keeps its `owned`.
  /// - Throws: `CaptureError` where nothing of the capture can be read, and what `sink` throws.
  package mutating func read(
    _ chunk: [UInt8],
    takeInPlace: (borrowing CapturedHead, borrowing XMPPElement) throws -> Bool = { _, _ in false },
    _ sink: (CaptureOutput) throws -> Void
  ) throws {
    let chunk = decoder?.decode(chunk) ?? chunk
    switch reader {
    case .bytes(let reader): try reader.read(chunk) { try outlet.pass($0, to: sink) }
    case .lines(let reader):
      let isPlain = !inlet.isText
      try lines.read(chunk) { line, number in
        guard isPlain else { return false }
        return try reader.takePlain(line, number: number) { head, node in
          guard outlet.credentials.areAbsent(from: node) else {
            return try outlet.pass(.record(head.record(of: node)), to: sink)
          }
          if try !takeInPlace(head, node) { try sink(.record(head.record(of: node))) }
        }
      } _: { line in
        try inlet.take(line, reader) { try outlet.pass($0, to: sink) }
      }
    }
  }

  /// Hands over what waits for more to be certain of its direction: somebody is following, and
  /// nothing more has come. If it turns out to be wrong, `read` or `finish` throws.
  ///
  /// - Throws: what `sink` throws.
  package mutating func release(_ sink: (CaptureOutput) throws -> Void) throws {
    guard case .lines(let reader) = reader else { return }
    try reader.release { try outlet.pass($0, to: sink) }
    try outlet.release(sink)
  }

  /// Says that the capture has ended.
  ///
  /// - Throws: as `read` does.
  package mutating func finish(_ sink: (CaptureOutput) throws -> Void) throws {
    switch reader {
    case .bytes(let reader): try reader.finish { try outlet.pass($0, to: sink) }
    case .lines(let reader):
      try lines.finish { line in
        try inlet.take(line, reader) { try outlet.pass($0, to: sink) }
      }
      try inlet.finish(reader) { try outlet.pass($0, to: sink) }
      try reader.finish { try outlet.pass($0, to: sink) }
      try outlet.finish(sink)
    }
  }

  /// Whether times were left out because nobody said their year.
  package var lacksYear: Bool {
    switch reader {
    case .lines(let reader): reader.lacksYear || inlet.lacksYear
    case .bytes: false
    }
  }

  /// What had to be guessed of the directions; nil if the format says them.
  package var guessed: GuessedDirections? {
    switch reader {
    case .lines(let reader): reader.guessed
    case .bytes(let reader): reader.guessed
    }
  }

  /// The lines so far that hold the beginning of a stanza and began no record.
  package var unread: UnreadLines {
    switch reader {
    case .lines(let reader): reader.unread.adding(inlet.unread)
    case .bytes: UnreadLines()
    }
  }
}

/// What each line goes through before it is read: what carried the log is taken off it.
private struct LineInlet {
  /// Whether programs write such logs as text, which carriers change.
  let isText: Bool
  private let remover: LayerRemover
  /// For the times that the carrier says.
  private var clock: LogClock

  init(_ options: ReaderOptions, isText: Bool) {
    self.isText = isText
    remover = LayerRemover(
      isText ? options.carrier.layers : [], maximumBytes: 6 * options.limits.bytesPerElement)
    clock = LogClock(options)
  }

  var lacksYear: Bool { clock.lacksYear }
  var unread: UnreadLines { remover.unread }

  mutating func take(
    _ line: LineSplitter.Line, _ reader: any LineReader, _ sink: LineReader.Sink
  ) throws {
    if line.padding > 0 {
      let message = "\(line.padding) NUL bytes before the line were left out"
      try sink(.problem(CaptureProblem(line: line.number, message: message)))
    }
    guard let bytes = line.bytes else {
      let problem = CaptureProblem(line: line.number, message: "the line is too long")
      return try sink(.problem(problem))
    }
    let carried = CarriedLine(bytes: bytes, number: line.number)
    guard isText else { return try give(carried, reader, sink) }
    let remover = remover
    try remover.process(carried) { line in try give(line, reader, sink) }
  }

  /// Takes the end of the file.
  mutating func finish(_ reader: any LineReader, _ sink: LineReader.Sink) throws {
    let remover = remover
    try remover.finish { line in try give(line, reader, sink) }
  }

  /// Hands a line to its reader, and on what it gives.
  private mutating func give(
    _ line: CarriedLine, _ reader: any LineReader, _ sink: LineReader.Sink
  ) throws {
    if let readers = reader as? SeparateReaders { readers.source = line.source }
    try reader.take(line.bytes, number: line.number, time: clock.milliseconds(line.time), sink)
  }
}

/// What all that a reader gives goes through: the check of its directions, and the removal of
/// credentials.
private struct Outlet {
  var credentials = Credentials()
  /// Nil if the directions are no claim of a program's words: a recorder knows them from the
  /// connection, and for bare elements they are inferred from the content.
  private var directions: DirectionCheck?

  init(directions: DirectionCheck?) {
    self.directions = directions
  }

  /// Hands on an output once its direction is known.
  mutating func pass(_ output: CaptureOutput, to sink: (CaptureOutput) throws -> Void) throws {
    guard var check = directions.take() else { return try credentials.pass(output, to: sink) }
    defer { directions = check }
    try check.pass(output) { try credentials.pass($0, to: sink) }
  }

  /// Hands on what waits, although more could still say something else of it.
  mutating func release(_ sink: (CaptureOutput) throws -> Void) throws {
    try directions?.release { try credentials.pass($0, to: sink) }
  }

  /// Hands on what still waits at the end of the capture.
  mutating func finish(_ sink: (CaptureOutput) throws -> Void) throws {
    try directions?.finish { try credentials.pass($0, to: sink) }
  }
}

/// Makes records of the bytes of a capture that has no lines.
protocol ByteReader: AnyObject {
  typealias Sink = (CaptureOutput) throws -> Void

  /// Takes the next bytes.
  func read(_ bytes: [UInt8], _ sink: Sink) throws
  /// Says that no byte follows.
  func finish(_ sink: Sink) throws
  /// What had to be guessed of the directions; nil if the format says them.
  var guessed: GuessedDirections? { get }
}

extension ByteReader {
  var guessed: GuessedDirections? { nil }
}

/// Makes records of the lines of a capture.
protocol LineReader: AnyObject {
  typealias Sink = (CaptureOutput) throws -> Void

  /// Hands the element of a line over that has one, and is plain in all respects; it is borrowed,
  /// and valid while `take` runs. False for any other line: nothing has happened then, and it is
  /// for the other `take`. What `take` does calls the reader no more.
  func takePlain(
    _ line: RawSpan, number: Int,
    _ take: (borrowing CapturedHead, borrowing XMPPElement) throws -> Void
  ) rethrows -> Bool
  /// Takes the next line, without its end.
  func take(_ line: ArraySlice<UInt8>, number: Int, _ sink: Sink) throws
  /// The same, with the time that its carrier gives the line: that of its records, unless they have
  /// their own.
  func take(_ line: ArraySlice<UInt8>, number: Int, time: Int64?, _ sink: Sink) throws
  /// Hands over what waits only to have its direction guessed better.
  func release(_ sink: Sink) throws
  /// Says that no line follows.
  func finish(_ sink: Sink) throws
  /// Whether times were left out because nobody said their year.
  var lacksYear: Bool { get }
  /// What had to be guessed of the directions; nil if the format says them.
  var guessed: GuessedDirections? { get }
  /// The lines that hold the beginning of a stanza and began no record.
  var unread: UnreadLines { get }
}

extension LineReader {
  var lacksYear: Bool { false }
  var guessed: GuessedDirections? { nil }
  var unread: UnreadLines { UnreadLines() }

  func release(_ sink: Sink) throws {}

  func take(_ line: ArraySlice<UInt8>, number: Int, time: Int64?, _ sink: Sink) throws {
    guard let time else { return try take(line, number: number, sink) }
    try take(line, number: number) { try sink($0.timed(time)) }
  }

  func takePlain(
    _ line: RawSpan, number: Int,
    _ take: (borrowing CapturedHead, borrowing XMPPElement) throws -> Void
  ) rethrows -> Bool { false }
}

extension CaptureOutput {
  /// The same with a time, where it has none.
  fileprivate func timed(_ time: Int64) -> CaptureOutput {
    guard case .record(var record) = self, record.time == nil else { return self }
    record.time = time
    return .record(record)
  }
}
