import XMPPStream

/// A payload that is collected over lines before it is fed, because only its end says whether it is
/// what it was taken for.
struct CollectedPayload {
  /// How far it has come.
  enum Progress {
    case unfinished
    case malformed
    /// - Parameter rest: A line of the program's own that stands after it without a line end.
    case complete(ArraySlice<UInt8>, rest: ArraySlice<UInt8>?)
  }

  let record: ChunkRecord
  /// The bytes that it has to have; nil for a literal, which says itself where it ends.
  let count: Int?
  private(set) var bytes: [UInt8]
  /// The lines after its first, to be read again should it be malformed; none of a literal.
  private(set) var lines: [NumberedLine] = []

  init(record: ChunkRecord, count: Int?, _ payload: ArraySlice<UInt8>) {
    self.record = record
    self.count = count
    bytes = Array(payload)
  }

  /// Its first line.
  var firstLine: ArraySlice<UInt8> { bytes.prefix { $0 != UInt8(ascii: "\n") } }

  /// Takes another line.
  mutating func append(_ line: NumberedLine) {
    bytes.append(UInt8(ascii: "\n"))
    bytes += line.bytes
    if count != nil { lines.append(line) }
  }

  /// How far it has come by the description of its log.
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

  /// Whether the head of another record follows a part that is whole: the count is too high then.
  private func holdsOtherRecords(_ log: ChunkLog) -> Bool {
    guard let head = lines.firstIndex(where: { log.head($0.bytes) != nil }) else { return false }
    let following = lines[head...].reduce(0) { $0 + $1.bytes.count + 1 }
    let parser = StreamParser(root: .records, limits: .capture)
    var hasElement = false
    try? parser.feed(bytes.dropLast(following)) { _ in hasElement = true }
    return hasElement && parser.isBetweenElements
  }

  /// It ends where it has as many bytes as its head said.
  private func countedProgress(_ suffix: [UInt8], _ log: ChunkLog) -> Progress {
    guard let count, bytes.count >= count else { return .unfinished }
    guard !holdsOtherRecords(log) else { return .malformed }
    let rest = bytes[count...]
    if rest.elementsEqual(suffix) { return .complete(bytes[..<count], rest: nil) }
    if suffix.isEmpty, log.isOwnLine(rest) { return .complete(bytes[..<count], rest: rest) }
    return rest.count < suffix.count && suffix.starts(with: rest) ? .unfinished : .malformed
  }
}
