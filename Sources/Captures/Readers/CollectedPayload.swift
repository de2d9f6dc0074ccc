import XMPPStream

/// A payload that is collected over several lines before it is fed, because only its end shows
/// whether it was recognized correctly.
struct CollectedPayload {
  /// The state of a payload.
  enum Progress {
    case unfinished
    case malformed
    /// - Parameter rest: A line of the program itself that follows without a line end.
    case complete(ArraySlice<UInt8>, rest: ArraySlice<UInt8>?)
  }

  let record: ChunkRecord
  /// The required number of bytes; nil for a literal, which marks its own end.
  let count: Int?
  private(set) var bytes: [UInt8]
  /// The lines after the first, to be read again if the payload is malformed; empty for a literal.
  private(set) var lines: [NumberedLine] = []

  init(record: ChunkRecord, count: Int?, _ payload: ArraySlice<UInt8>) {
    self.record = record
    self.count = count
    bytes = Array(payload)
  }

  /// The first line of the payload.
  var firstLine: ArraySlice<UInt8> { bytes.prefix { $0 != UInt8(ascii: "\n") } }

  /// Appends a line.
  mutating func append(_ line: NumberedLine) {
    bytes.append(UInt8(ascii: "\n"))
    bytes += line.bytes
    if count != nil { lines.append(line) }
  }

  /// The state of the payload according to the description of its log.
  func progress(_ log: ChunkLog) -> Progress {
    switch log.payload {
    case .literal(let decode):
      switch decode(bytes[...]) {
      case .unfinished: .unfinished
      case .malformed: .malformed
      case .complete(let decoded): .complete(decoded[...], rest: nil)
      }
    case .verbatim(let suffix): countedProgress(Array(suffix.utf8), log)
    }
  }

  /// Whether the head of another record follows a complete part, so that the count is too high.
  private func holdsOtherRecords(_ log: ChunkLog) -> Bool {
    guard let head = lines.firstIndex(where: { log.head($0.bytes) != nil }) else { return false }
    let following = lines[head...].reduce(0) { $0 + $1.bytes.count + 1 }
    let parser = StreamParser(root: .records, limits: .capture)
    var hasElement = false
    try? parser.feed(bytes.dropLast(following)) { _ in hasElement = true }
    return hasElement && parser.isBetweenElements
  }

  /// The state of a payload that ends after the number of bytes in its head.
  private func countedProgress(_ suffix: [UInt8], _ log: ChunkLog) -> Progress {
    guard let count, bytes.count >= count else { return .unfinished }
    guard !holdsOtherRecords(log) else { return .malformed }
    let rest = bytes[count...]
    if rest.elementsEqual(suffix) { return .complete(bytes[..<count], rest: nil) }
    if suffix.isEmpty, log.isOwnLine(rest) { return .complete(bytes[..<count], rest: rest) }
    return rest.count < suffix.count && suffix.starts(with: rest) ? .unfinished : .malformed
  }
}
