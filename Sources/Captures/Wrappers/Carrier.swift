/// How a log was carried to its reader and changed on the way: an encoding, and layers around its
/// lines, outermost first.
///
/// Each layer except `newestFirst` takes memory for at most one line of each program whose lines it
/// joins, and time in proportion to the text.
package struct Carrier: Hashable, Sendable {
  package var encoding: TextEncoding?
  package var layers: [Layer]
  /// Whether the day or the month comes first in numeric dates; nil if unknown.
  package var dateOrder: DateOrder?
  /// Whether there are numeric dates whose order was not found.
  package var hasUnclearDates = false
  /// The word that names the device of a stanza, in a log of several devices that are not told
  /// apart otherwise.
  package var connectionWord: ConnectionWord?

  /// A log as its program wrote it, without any carrier.
  package static let none = Carrier(layers: [])

  package enum Layer: Hashable, Sendable {
    /// `> ` before each line, as in mails and Markdown, at most this many times.
    case quote(Int)
    /// This many white-space characters before each line.
    case indentation(Int)
    /// The number of each line before it, as editors and web pages show it.
    case lineNumbers
    /// `=3D` for `=`, and `=` at the end of a line that continues on the next (RFC 2045 §6.7).
    case quotedPrintable
    /// Lines cut at one width.
    case wrap(LineWrap)
    /// A table of comma-separated values (RFC 4180) with the lines in one column.
    case table(TableColumns)
    /// The text that a log collector put around each line.
    case wrapper(LineWrapper)
    /// `&lt;` for `<`, as in the source of a web page.
    case entities
    /// Entries in the opposite order, the newest first.
    case newestFirst(ReversalUnit)
  }

  package init(encoding: TextEncoding? = nil, layers: [Layer]) {
    self.encoding = encoding
    self.layers = layers
  }

  /// What the user should know about how the text is read.
  package var notes: [String] {
    var notes: [String] = []
    for case .newestFirst in layers {
      notes.append("the log begins with its newest entry: it is read from its end")
    }
    if hasUnclearDates {
      notes.append(
        "nothing says whether the day or the month comes first in dates such as 01/12/2026: those "
          + "times are unknown")
    }
    return notes
  }

  /// Whether the lines of each program are read as a separate log.
  var separatesSources: Bool {
    layers.contains { if case .wrapper(let wrapper) = $0 { wrapper.separates } else { false } }
  }

  /// The first bytes of a file without their encoding and layers.
  package func content(of head: [UInt8]) -> [UInt8] {
    let text = encoding.map { $0.decoded(head) } ?? head
    guard !layers.isEmpty || TextLayers.needsRepair(text) else { return text }
    return Self.text(of: LineSplitter.lines(of: text), within: layers)
  }

  /// The lines without the layers, each with a line end.
  static func text(of lines: [ArraySlice<UInt8>], within layers: [Layer]) -> [UInt8] {
    var text: [UInt8] = []
    for line in Self.lines(of: lines, within: layers) {
      text += line.bytes
      text.append(UInt8(ascii: "\n"))
    }
    return text
  }

  /// The lines without the layers.
  static func lines(of lines: [ArraySlice<UInt8>], within layers: [Layer]) -> [CarriedLine] {
    let remover = LayerRemover(layers, maximumBytes: .max)
    var found: [CarriedLine] = []
    for (number, line) in lines.enumerated() {
      try? remover.process(CarriedLine(bytes: line, number: number + 1)) { found.append($0) }
    }
    try? remover.finish { found.append($0) }
    return found
  }
}

/// A line while the layers around it are being removed.
struct CarriedLine {
  var bytes: ArraySlice<UInt8>
  /// The number, from 1, of the file's line on which it begins.
  var number: Int
  /// When the line was collected; nil if no layer says so.
  var time: LogTime?
  /// Whether it belongs to the entry of the line before it.
  var isContinuation = false
  /// The program that wrote it, if a collector gathered the lines of several.
  var source = ""

  /// The line without its bytes, to which the bytes of several lines are appended.
  var cleared: CarriedLine {
    var line = self
    line.bytes = []
    return line
  }

  init(bytes: ArraySlice<UInt8>, number: Int, time: LogTime? = nil, isContinuation: Bool = false) {
    (self.bytes, self.number, self.time) = (bytes, number, time)
    self.isContinuation = isContinuation
  }
}

/// Removes one layer from the lines of a file.
protocol LineStep: AnyObject {
  typealias Emit = (CarriedLine) throws -> Void

  /// Processes the next line and emits the lines that it completes.
  func process(_ line: CarriedLine, _ emit: Emit) throws
  /// Emits the lines that are still held at the end of the file.
  func finish(_ emit: Emit) throws
  /// The lines that contain the beginning of an element and were not emitted.
  var unread: UnreadLines { get }
}

extension LineStep {
  var unread: UnreadLines { UnreadLines() }
}

/// Removes all layers from the lines of a file.
struct LayerRemover {
  private let steps: [any LineStep]

  /// - Parameter maximumBytes: The maximum length of a line that is joined from several.
  init(_ layers: [Carrier.Layer], maximumBytes: Int) {
    steps = layers.map { $0.step(maximumBytes: maximumBytes) }
  }

  /// Whether the lines are passed on unchanged.
  var isEmpty: Bool { steps.isEmpty }

  /// The lines that contain the beginning of an element and were not emitted.
  var unread: UnreadLines { steps.reduce(UnreadLines()) { $0.adding($1.unread) } }

  func process(_ line: CarriedLine, _ emit: LineStep.Emit) throws {
    try pass(line, from: 0, emit)
  }

  func finish(_ emit: LineStep.Emit) throws {
    for (index, step) in steps.enumerated() {
      try step.finish { try pass($0, from: index + 1, emit) }
    }
  }

  /// Repairs the line before each layer, because a web page changes the text of all layers.
  private func pass(_ line: CarriedLine, from index: Int, _ emit: LineStep.Emit) throws {
    var line = line
    line.bytes = TextLayers.repaired(line.bytes)
    guard index < steps.count else { return try emit(line) }
    try steps[index].process(line) { try pass($0, from: index + 1, emit) }
  }
}

extension Carrier.Layer {
  func step(maximumBytes: Int) -> any LineStep {
    switch self {
    case .quote(let depth): ChangeStep { TextLayers.unquoted($0, by: depth) }
    case .indentation(let count): ChangeStep { TextLayers.unindented($0, by: count) }
    case .lineNumbers: ChangeStep(LineNumbers.removed)
    case .entities: ChangeStep(TextLayers.withoutEntities)
    case .quotedPrintable: QuotedPrintableStep(maximumBytes)
    case .wrap(let wrap): WrapStep(wrap, maximumBytes)
    case .table(let columns): TableStep(columns, maximumBytes)
    case .wrapper(let wrapper): WrapperStep(wrapper, maximumBytes)
    case .newestFirst(let unit): NewestFirstStep(unit)
    }
  }
}

/// A layer that changes each line independently.
private final class ChangeStep: LineStep {
  private let change: (ArraySlice<UInt8>) -> ArraySlice<UInt8>

  init(_ change: @escaping (ArraySlice<UInt8>) -> ArraySlice<UInt8>) {
    self.change = change
  }

  func process(_ line: CarriedLine, _ emit: Emit) throws {
    var line = line
    line.bytes = change(line.bytes)
    try emit(line)
  }

  func finish(_ emit: Emit) throws {}
}

/// Removes the text that a collector put around lines, and joins lines that it split.
private final class WrapperStep: LineStep {
  /// One output stream of one program. A line of another stream may come between two parts of a
  /// line.
  private struct StreamKey: Hashable {
    let source: String
    let stream: String
  }

  /// The beginning of a line that continues on the next.
  private struct PartialLine {
    var line: CarriedLine
    /// Whether the next line continues this one only if it begins differently.
    var isUncertain: Bool
  }

  private let wrapper: LineWrapper
  private let maximumBytes: Int
  private var partialLines: [StreamKey: PartialLine] = [:]
  private(set) var unread = UnreadLines()

  init(_ wrapper: LineWrapper, _ maximumBytes: Int) {
    (self.wrapper, self.maximumBytes) = (wrapper, maximumBytes)
  }

  func process(_ line: CarriedLine, _ emit: Emit) throws {
    guard let lines = wrapper.kind.lines(line.bytes) else {
      if wrapper.keepsUnwrapped(line.bytes) { return try emit(line) }
      return unread.note(line.bytes, number: line.number)
    }
    for inner in lines {
      if wrapper.includes(inner) {
        try process(inner, line, emit)
      } else {
        unread.note(inner.text, number: line.number)
      }
    }
  }

  private func process(_ inner: LineWrapper.Line, _ line: CarriedLine, _ emit: Emit) throws {
    // The outer collector's name is used if the inner one gives none.
    let source = inner.source.isEmpty ? line.source : inner.source
    let key = StreamKey(source: source, stream: inner.stream)
    // Removed first, so that appending does not copy.
    var partial = partialLines.removeValue(forKey: key)
    if let open = partial, open.isUncertain,
      LineWrap.start(of: open.line.bytes) == LineWrap.start(of: inner.text)
    {
      partial = nil
      try emit(open.line)
    }
    // A line longer than the element limit cannot become an element: stop joining.
    let isBounded = (partial?.line.bytes.count ?? 0) <= maximumBytes
    var whole = partial?.line ?? line.cleared
    if partial == nil { whole.isContinuation = inner.isContinuation || line.isContinuation }
    partial = nil
    if whole.bytes.isEmpty { whole.bytes = inner.text } else { whole.bytes += inner.text }
    // The line was complete at the time of its last part.
    whole.time = inner.time ?? whole.time ?? line.time
    whole.source = source
    guard inner.isPartial || inner.isFull, isBounded else { return try emit(whole) }
    partialLines[key] = PartialLine(line: whole, isUncertain: inner.isFull)
  }

  func finish(_ emit: Emit) throws {
    for partial in partialLines.values.sorted(by: { $0.line.number < $1.line.number }) {
      try emit(partial.line)
    }
    partialLines = [:]
  }
}
