/// Reads the lines of several programs that a collector gathered. Each program has streams of its
/// own, and so a reader of its own.
final class SeparateReaders: LineReader {
  private let make: () -> any LineReader
  private var readers: [(source: String, reader: any LineReader)] = []

  /// The program of the next line. A line of unknown origin, for which it is set to an empty text,
  /// belongs to the program of the line before.
  var source = "" {
    didSet { if source.isEmpty { source = oldValue } }
  }

  init(_ make: @escaping () -> any LineReader) {
    self.make = make
  }

  func take(_ line: ArraySlice<UInt8>, number: Int, _ sink: Sink) throws {
    try take(line, number: number, time: nil, sink)
  }

  func take(_ line: ArraySlice<UInt8>, number: Int, time: Int64?, _ sink: Sink) throws {
    let source = source
    try reader(of: source).take(line, number: number, time: time) { try sink($0.of(source)) }
  }

  func release(_ sink: Sink) throws {
    for (source, reader) in readers { try reader.release { try sink($0.of(source)) } }
  }

  func finish(_ sink: Sink) throws {
    for (source, reader) in readers { try reader.finish { try sink($0.of(source)) } }
  }

  private func reader(of source: String) -> any LineReader {
    if let known = readers.first(where: { $0.source == source }) { return known.reader }
    let reader = make()
    readers.append((source, reader))
    return reader
  }

  var lacksYear: Bool { readers.contains { $0.reader.lacksYear } }

  var unread: UnreadLines { readers.reduce(UnreadLines()) { $0.adding($1.reader.unread) } }

  var guessed: GuessedDirections? {
    readers.compactMap(\.reader.guessed).reduce(nil) { $0?.adding($1) ?? $1 }
  }
}

extension CaptureOutput {
  /// The output with the program's name before that of its connection.
  fileprivate func of(_ source: String) -> CaptureOutput {
    guard case .record(var record) = self else { return self }
    record.connection = record.connection.isEmpty ? source : "\(source) \(record.connection)"
    return .record(record)
  }
}
