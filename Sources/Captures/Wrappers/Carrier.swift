/// What carried a log to its reader and changed its text on the way: an encoding, and layers around
/// its lines, the outermost first.
///
/// Each layer but the order takes memory for one line at most of each program whose lines it joins,
/// and time in proportion to the text.
package struct Carrier: Hashable, Sendable {
  package var encoding: TextEncoding?
  package var layers: [Layer]
  /// Whether the day or the month comes first in dates of numbers; nil where nothing says it.
  package var dateOrder: DateOrder?
  /// Whether there are such dates, and the order was not found.
  package var hasUnclearDates = false
  /// The word that says which device a stanza is of, where a log has several that do not say so
  /// otherwise.
  package var connectionWord: ConnectionWord?

  /// The text as its program wrote it.
  package static let none = Carrier(layers: [])

  package enum Layer: Hashable, Sendable {
    /// `> ` before each line, as in mails and Markdown, up to this many times.
    case quote(Int)
    /// So much white space before each line.
    case indentation(Int)
    /// Its number before each line, as editors and web pages show it.
    case lineNumbers
    /// `=3D` for `=`, and `=` at the end of a line that goes on (RFC 2045 §6.7).
    case quotedPrintable
    /// Lines cut at one width.
    case wrap(LineWrap)
    /// A table of comma-separated values (RFC 4180) with the lines in one column.
    case table(TableColumns)
    /// What a collector of logs put around each line.
    case wrapper(LineWrapper)
    /// `&lt;` for `<`, as in the source of a web page.
    case entities
    /// The newest entry before all others.
    case newestFirst(TurnedUnit)
  }

  package init(encoding: TextEncoding? = nil, layers: [Layer]) {
    self.encoding = encoding
    self.layers = layers
  }

  /// What a person should know of how the text is read.
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

  /// Whether the lines of each program are a log of its own.
  var separatesSources: Bool {
    layers.contains { if case .wrapper(let wrapper) = $0 { wrapper.separates } else { false } }
  }

  /// The first bytes of a file without what carried them.
  package func unloaded(_ head: [UInt8]) -> [UInt8] {
    let text = encoding.map { $0.decoded(head) } ?? head
    guard !layers.isEmpty || TextLayers.needsMending(text) else { return text }
    return Self.text(of: LineSplitter.lines(of: text), within: layers)
  }

  /// The lines that the layers hold, each with a line end.
  static func text(of lines: [ArraySlice<UInt8>], within layers: [Layer]) -> [UInt8] {
    var text: [UInt8] = []
    for line in Self.lines(of: lines, within: layers) {
      text += line.bytes
      text.append(UInt8(ascii: "\n"))
    }
    return text
  }

  /// The lines that the layers hold.
  static func lines(of lines: [ArraySlice<UInt8>], within layers: [Layer]) -> [CarriedLine] {
    let unloading = Unloading(layers, maximumBytes: .max)
    var found: [CarriedLine] = []
    for (number, line) in lines.enumerated() {
      try? unloading.take(CarriedLine(bytes: line, number: number + 1)) { found.append($0) }
    }
    try? unloading.finish { found.append($0) }
    return found
  }
}

/// A line on its way through the layers around it.
struct CarriedLine {
  var bytes: ArraySlice<UInt8>
  /// The number of the file's line that it begins on, from 1.
  var number: Int
  /// When it was collected, where a layer says so.
  var time: LogTime?
  /// Whether it goes on with the entry of the line before it.
  var isContinuation = false
  /// The program that wrote it, where a collector gathered those of several.
  var source = ""

  /// The line without its bytes: the beginning of one that several are joined to.
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

/// Takes one layer off the lines of a file.
protocol LineStep: AnyObject {
  typealias Give = (CarriedLine) throws -> Void

  /// Takes the next line and gives those that it completes.
  func take(_ line: CarriedLine, _ give: Give) throws
  /// Gives what still waits at the end of the file.
  func finish(_ give: Give) throws
  /// The lines that hold the beginning of an element and were not given.
  var unread: UnreadLines { get }
}

extension LineStep {
  var unread: UnreadLines { UnreadLines() }
}

/// Takes all layers off the lines of a file.
struct Unloading {
  private let steps: [any LineStep]

  /// - Parameter maximumBytes: How long a line can become that several are joined to.
  init(_ layers: [Carrier.Layer], maximumBytes: Int) {
    steps = layers.map { $0.step(maximumBytes: maximumBytes) }
  }

  /// Whether the lines stay as they are.
  var isEmpty: Bool { steps.isEmpty }

  /// The lines that hold the beginning of an element and were not given.
  var unread: UnreadLines { steps.reduce(UnreadLines()) { $0.adding($1.unread) } }

  func take(_ line: CarriedLine, _ give: LineStep.Give) throws {
    try pass(line, from: 0, give)
  }

  func finish(_ give: LineStep.Give) throws {
    for (index, step) in steps.enumerated() {
      try step.finish { try pass($0, from: index + 1, give) }
    }
  }

  /// A line is mended before each layer: what a web page changed, it changed in all of them.
  private func pass(_ line: CarriedLine, from index: Int, _ give: LineStep.Give) throws {
    var line = line
    line.bytes = TextLayers.mended(line.bytes)
    guard index < steps.count else { return try give(line) }
    try steps[index].take(line) { try pass($0, from: index + 1, give) }
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

/// A layer that changes each line by itself.
private final class ChangeStep: LineStep {
  private let change: (ArraySlice<UInt8>) -> ArraySlice<UInt8>

  init(_ change: @escaping (ArraySlice<UInt8>) -> ArraySlice<UInt8>) {
    self.change = change
  }

  func take(_ line: CarriedLine, _ give: Give) throws {
    var line = line
    line.bytes = change(line.bytes)
    try give(line)
  }

  func finish(_ give: Give) throws {}
}

/// Takes off what a collector put around lines, and joins those that it has cut.
private final class WrapperStep: LineStep {
  /// What one program writes to one of its streams: a line of another may stand between two parts.
  private struct Lane: Hashable {
    let source: String
    let stream: String
  }

  /// The beginning of a line that goes on with the next.
  private struct Carry {
    var line: CarriedLine
    /// Whether it goes on unless the next begins as it does.
    var isUncertain: Bool
  }

  private let wrapper: LineWrapper
  private let maximumBytes: Int
  private var carries: [Lane: Carry] = [:]
  private(set) var unread = UnreadLines()

  init(_ wrapper: LineWrapper, _ maximumBytes: Int) {
    (self.wrapper, self.maximumBytes) = (wrapper, maximumBytes)
  }

  func take(_ line: CarriedLine, _ give: Give) throws {
    guard let lines = wrapper.kind.lines(line.bytes) else {
      if wrapper.passes(line.bytes) { return try give(line) }
      return unread.note(line.bytes, number: line.number)
    }
    for inner in lines {
      if wrapper.holds(inner) {
        try take(inner, line, give)
      } else {
        unread.note(inner.text, number: line.number)
      }
    }
  }

  private func take(_ inner: LineWrapper.Line, _ line: CarriedLine, _ give: Give) throws {
    // What a second collector does not name, the first has named.
    let source = inner.source.isEmpty ? line.source : inner.source
    let lane = Lane(source: source, stream: inner.stream)
    // Removed first, so that what is appended copies nothing.
    var carry = carries.removeValue(forKey: lane)
    if let open = carry, open.isUncertain,
      LineWrap.start(of: open.line.bytes) == LineWrap.start(of: inner.text)
    {
      carry = nil
      try give(open.line)
    }
    // What no element can be as long as ends where it is.
    let isBounded = (carry?.line.bytes.count ?? 0) <= maximumBytes
    var whole = carry?.line ?? line.cleared
    if carry == nil { whole.isContinuation = inner.isContinuation || line.isContinuation }
    carry = nil
    if whole.bytes.isEmpty { whole.bytes = inner.text } else { whole.bytes += inner.text }
    // The last part says when the whole was there.
    whole.time = inner.time ?? whole.time ?? line.time
    whole.source = source
    guard inner.goesOn || inner.isFull, isBounded else { return try give(whole) }
    carries[lane] = Carry(line: whole, isUncertain: inner.isFull)
  }

  func finish(_ give: Give) throws {
    for carry in carries.values.sorted(by: { $0.line.number < $1.line.number }) {
      try give(carry.line)
    }
    carries = [:]
  }
}
