package import Foundation
package import XMPPStanza
package import XMPPStream

/// Options for reading a capture.
package struct ReaderOptions: Hashable, Sendable {
  /// The year in which a log begins, for a clock that does not show it; without it, such times are
  /// unknown.
  package var year: Int?
  /// The zone for a clock that does not show its own; nil is UTC.
  package var zone: TimeZone?
  /// How the log was carried and changed on the way.
  package var carrier: Carrier
  /// The account of the log, if the user gave it. It tells sent elements from received ones.
  package var account: BareJID?
  /// The limits above which an element is refused.
  package var limits: StreamLimits

  /// Creates options.
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
/// The outputs do not depend on how the bytes are split into chunks. Credentials are removed from
/// every element before it is passed on.
package struct CaptureReader {
  private enum Reader {
    case lines(any LineReader)
    case bytes(any ByteReader)
  }

  private let reader: Reader
  private var inlet: LineInlet
  private var decoder: TextDecoder?
  /// Splits the bytes into lines for a line reader.
  private var lines: LineSplitter
  private var outlet: Outlet

  /// Creates a reader at the beginning of a capture.
  package init(format: CaptureFormat, options: ReaderOptions = ReaderOptions()) {
    inlet = LineInlet(options, isText: format.isOfLines)
    decoder = options.carrier.encoding.map { TextDecoder($0) }
    // The maximum number of bytes that one byte of an element takes in a line.
    var escapedBytes = 1
    let made: Reader
    switch format.shape {
    case .native:
      made = .lines(NativeReader(options))
      escapedBytes = 6
    case .spool:
      made = .lines(SpoolReader(options))
      escapedBytes = 6
    case .raw:
      made = .lines(RawReader(options))
      escapedBytes = 6
    case .lines(let log): made = Self.reader(options) { LineLogReader(log, options) }
    case .chunks(let log):
      made = Self.reader(options) { ChunkLogReader(log, options) }
      // Four for Python's `\xe5` and for Erlang's `229,`.
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

  /// A line reader, or one for each program whose lines a collector gathered.
  private static func reader(
    _ options: ReaderOptions, _ make: @escaping () -> any LineReader
  ) -> Reader {
    .lines(options.carrier.separatesSources ? SeparateReaders(make) : make())
  }

  /// Creates a reader at the beginning of a file with the bytes of one direction of a stream.
  package init(side: Direction, options: ReaderOptions = ReaderOptions()) {
    reader = .bytes(RawXMLReader(options, side: side))
    inlet = LineInlet(options, isText: false)
    decoder = options.carrier.encoding.map { TextDecoder($0) }
    lines = LineSplitter(maximumBytes: 0)
    outlet = Outlet(directions: nil)
  }

  /// Reads the next bytes and passes on the outputs that they complete.
  ///
  /// - Parameter handle: Receives each element without anything unusual, and its head, and
  ///   returns whether it consumed the element. A consumed element is not passed to `sink`. The
  ///   element is borrowed and valid during the call; to keep it, keep its `owned`.
  /// - Throws: `CaptureError` if the capture cannot be read at all, and what `sink` throws.
  package mutating func read(
    _ chunk: [UInt8],
    handle: (borrowing CapturedHead, borrowing XMPPElement) throws -> Bool = { _, _ in false },
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
          if try !handle(head, node) { try sink(.record(head.record(of: node))) }
        }
      } _: { line in
        try inlet.process(line, reader) { try outlet.pass($0, to: sink) }
      }
    }
  }

  /// Passes on outputs that are held until their direction is certain.
  ///
  /// For a user who follows a log to which nothing is being added. If a direction turns out to be
  /// wrong, `read` or `finish` throws.
  ///
  /// - Throws: What `sink` throws.
  package mutating func release(_ sink: (CaptureOutput) throws -> Void) throws {
    guard case .lines(let reader) = reader else { return }
    try reader.release { try outlet.pass($0, to: sink) }
    try outlet.release(sink)
  }

  /// Ends the capture and passes on the remaining outputs.
  ///
  /// - Throws: `CaptureError` if the capture cannot be read at all, and what `sink` throws.
  package mutating func finish(_ sink: (CaptureOutput) throws -> Void) throws {
    switch reader {
    case .bytes(let reader): try reader.finish { try outlet.pass($0, to: sink) }
    case .lines(let reader):
      try lines.finish { line in
        try inlet.process(line, reader) { try outlet.pass($0, to: sink) }
      }
      try inlet.finish(reader) { try outlet.pass($0, to: sink) }
      try reader.finish { try outlet.pass($0, to: sink) }
      try outlet.finish(sink)
    }
  }

  /// Whether times were left out because their year is unknown.
  package var lacksYear: Bool {
    switch reader {
    case .lines(let reader): reader.lacksYear || inlet.lacksYear
    case .bytes: false
    }
  }

  /// The guesses about directions; nil if the format states directions.
  package var guessed: GuessedDirections? {
    switch reader {
    case .lines(let reader): reader.guessed
    case .bytes(let reader): reader.guessed
    }
  }

  /// The runs of a server that the capture has said so far to be about; nil if it is no spool.
  package var runs: ServerRuns? {
    switch reader {
    case .lines(let reader): reader.runs
    case .bytes: nil
    }
  }

  /// The lines so far that contain the beginning of a stanza and began no record.
  package var unread: UnreadLines {
    switch reader {
    case .lines(let reader): reader.unread.adding(inlet.unread)
    case .bytes: UnreadLines()
    }
  }
}

/// The stage before the reader: removes from each line how the log was carried.
private struct LineInlet {
  /// Whether the format is text written by programs, which carriers change.
  let isText: Bool
  private let remover: LayerRemover
  /// Converts the times that the carrier gives.
  private var clock: LogClock

  init(_ options: ReaderOptions, isText: Bool) {
    self.isText = isText
    remover = LayerRemover(
      isText ? options.carrier.layers : [], maximumBytes: 6 * options.limits.bytesPerElement)
    clock = LogClock(options)
  }

  var lacksYear: Bool { clock.lacksYear }
  var unread: UnreadLines { remover.unread }

  mutating func process(
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
    guard isText else { return try forward(carried, reader, sink) }
    let remover = remover
    try remover.process(carried) { line in try forward(line, reader, sink) }
  }

  /// Ends the file.
  mutating func finish(_ reader: any LineReader, _ sink: LineReader.Sink) throws {
    let remover = remover
    try remover.finish { line in try forward(line, reader, sink) }
  }

  /// Passes a line to its reader, and the reader's outputs to `sink`.
  private mutating func forward(
    _ line: CarriedLine, _ reader: any LineReader, _ sink: LineReader.Sink
  ) throws {
    if let readers = reader as? SeparateReaders { readers.source = line.source }
    try reader.take(line.bytes, number: line.number, time: clock.milliseconds(line.time), sink)
  }
}

/// The stage after the reader: checks directions, and removes credentials.
private struct Outlet {
  var credentials = Credentials()
  /// Nil if the directions do not come from the words of a program: a recorder knows them from the
  /// connection, and those of bare elements are inferred from the content.
  private var directions: DirectionCheck?

  init(directions: DirectionCheck?) {
    self.directions = directions
  }

  /// Passes on an output once its direction is known.
  mutating func pass(_ output: CaptureOutput, to sink: (CaptureOutput) throws -> Void) throws {
    guard var check = directions.take() else { return try credentials.pass(output, to: sink) }
    defer { directions = check }
    try check.pass(output) { try credentials.pass($0, to: sink) }
  }

  /// Passes on the outputs that are held, although later ones could still contradict them.
  mutating func release(_ sink: (CaptureOutput) throws -> Void) throws {
    try directions?.release { try credentials.pass($0, to: sink) }
  }

  /// Passes on the outputs that are still held at the end of the capture.
  mutating func finish(_ sink: (CaptureOutput) throws -> Void) throws {
    try directions?.finish { try credentials.pass($0, to: sink) }
  }
}

/// A reader of the bytes of a capture that has no lines.
protocol ByteReader: AnyObject {
  typealias Sink = (CaptureOutput) throws -> Void

  /// Reads the next bytes.
  func read(_ bytes: [UInt8], _ sink: Sink) throws
  /// Ends the capture.
  func finish(_ sink: Sink) throws
  /// The guesses about directions; nil if the format states directions.
  var guessed: GuessedDirections? { get }
}

extension ByteReader {
  var guessed: GuessedDirections? { nil }
}

/// A reader of the lines of a capture.
protocol LineReader: AnyObject {
  typealias Sink = (CaptureOutput) throws -> Void

  /// Passes on the element of a line that contains one without anything unusual.
  ///
  /// The element is borrowed and valid while `take` runs. `take` does not call the reader.
  ///
  /// - Returns: False for any other line. Such a line has had no effect, and must be passed to the
  ///   other `take`.
  func takePlain(
    _ line: RawSpan, number: Int,
    _ take: (borrowing CapturedHead, borrowing XMPPElement) throws -> Void
  ) rethrows -> Bool
  /// Reads the next line, without its end.
  func take(_ line: ArraySlice<UInt8>, number: Int, _ sink: Sink) throws
  /// Reads the next line, without its end, with the time that its carrier gives it. Records without
  /// a time of their own get this time.
  func take(_ line: ArraySlice<UInt8>, number: Int, time: Int64?, _ sink: Sink) throws
  /// Passes on outputs that are held only until their direction can be guessed better.
  func release(_ sink: Sink) throws
  /// Ends the capture and passes on the remaining outputs.
  func finish(_ sink: Sink) throws
  /// Whether times were left out because their year is unknown.
  var lacksYear: Bool { get }
  /// The guesses about directions; nil if the format states directions.
  var guessed: GuessedDirections? { get }
  /// The lines that contain the beginning of a stanza and began no record.
  var unread: UnreadLines { get }
  /// The runs of a server that the lines are about; nil for all but the spool of a tap.
  var runs: ServerRuns? { get }
}

extension LineReader {
  var lacksYear: Bool { false }
  var guessed: GuessedDirections? { nil }
  var unread: UnreadLines { UnreadLines() }
  var runs: ServerRuns? { nil }

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
  /// The output with this time, if it is a record without one.
  fileprivate func timed(_ time: Int64) -> CaptureOutput {
    guard case .record(var record) = self, record.time == nil else { return self }
    record.time = time
    return .record(record)
  }
}
