import RawBytes

/// Splits the bytes of a file into lines, in chunks of any size.
///
/// A line ends with a line feed, with or without carriage returns before it, or with the file. A
/// byte-order mark at the start of the file is not part of the first line. A line that is too long
/// is dropped and reported. NULs before a line are left out and reported: a file that was truncated
/// while a program wrote it, or cut off by a crash, can have gigabytes of them. Control sequences
/// for terminals are left out too: their first byte is not allowed in XML.
struct LineSplitter {
  private let maximumBytes: Int
  /// The beginning of a line whose end has not been read yet.
  private var carry: [UInt8] = []
  private var number = 0
  private var isDropping = false
  /// Whether any byte so far is an escape, which begins a color.
  private var mayHaveColors = false
  /// The number of NULs before the line whose end has not been read yet.
  private var padding = 0

  /// One line without its end.
  struct Line {
    let number: Int
    /// Nil if the line was too long.
    var bytes: ArraySlice<UInt8>?
    /// The number of NULs before the line.
    var padding = 0
  }

  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  /// The lines of the first bytes of a file; the last may be cut off.
  static func lines(of head: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var splitter = LineSplitter(maximumBytes: head.count)
    splitter.read(head, handle: { _, _ in false }, { lines.append($0.bytes ?? []) })
    splitter.finish { lines.append($0.bytes ?? []) }
    return lines
  }

  /// Reads the next bytes of the file, and passes on the lines that they complete.
  ///
  /// - Parameters:
  ///   - handle: Receives each line from which nothing has to be left out, in place, with its
  ///     number, and returns whether it consumed the line. A consumed line is not passed to `take`.
  mutating func read(
    _ chunk: [UInt8],
    handle: (RawSpan, Int) throws -> Bool,
    _ take: (Line) throws -> Void
  ) rethrows {
    mayHaveColors = mayHaveColors || chunk.span.bytes.offset(of: 0x1B) != nil
    var start = 0
    while let end = chunk.span.bytes.offset(of: UInt8(ascii: "\n"), from: start) {
      let piece = withoutPadding(chunk, start..<end)
      start = end + 1
      if carry.isEmpty, !isDropping {
        try finishLine(chunk, piece, handle, take)
      } else {
        keep(chunk[piece])
        try finishCarry(handle, take)
      }
    }
    keep(chunk[withoutPadding(chunk, start..<chunk.count)])
  }

  /// Passes on the last line if the file does not end with a line end.
  mutating func finish(_ take: (Line) throws -> Void) rethrows {
    guard !carry.isEmpty || isDropping || padding > 0 else { return }
    try finishCarry({ _, _ in false }, take)
  }

  private mutating func withoutPadding(_ chunk: [UInt8], _ piece: Range<Int>) -> Range<Int> {
    guard !piece.isEmpty, chunk[piece.lowerBound] == 0, carry.isEmpty, !isDropping else {
      return piece
    }
    let rest = chunk[piece].drop { $0 == 0 }
    padding += piece.count - rest.count
    return rest.startIndex..<rest.endIndex
  }

  private mutating func keep(_ piece: ArraySlice<UInt8>) {
    guard !isDropping else { return }
    guard carry.count + piece.count <= maximumBytes else {
      isDropping = true
      carry = []
      return
    }
    carry += piece
  }

  private mutating func finishCarry(
    _ handle: (RawSpan, Int) throws -> Bool, _ take: (Line) throws -> Void
  ) rethrows {
    guard !isDropping else {
      isDropping = false
      return try give(nil, take)
    }
    // The memory is reused unless the receiver keeps the line.
    var whole: [UInt8] = []
    swap(&whole, &carry)
    try finishLine(whole, 0..<whole.count, handle, take)
    whole.removeAll(keepingCapacity: true)
    swap(&whole, &carry)
  }

  /// Passes on the line in a range of bytes. From most lines nothing is left out, and their bytes
  /// are sliced only once.
  private mutating func finishLine(
    _ bytes: [UInt8], _ range: Range<Int>,
    _ handle: (RawSpan, Int) throws -> Bool, _ take: (Line) throws -> Void
  ) rethrows {
    guard range.count <= maximumBytes else { return try give(nil, take) }
    var (start, end) = (range.lowerBound, range.upperBound)
    if number == 0, bytes[range].starts(with: [0xEF, 0xBB, 0xBF]) { start += 3 }
    while end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    guard mayHaveColors, bytes[start..<end].position(of: 0x1B) != nil else {
      let isTaken =
        try padding == 0 && handle(bytes.span.bytes[start..<end], number + 1)
      guard !isTaken else { return number += 1 }
      return try give(bytes[start..<end], take)
    }
    try give(Self.withoutColors(bytes[start..<end]), take)
  }

  private mutating func give(
    _ bytes: ArraySlice<UInt8>?, _ take: (Line) throws -> Void
  ) rethrows {
    number += 1
    defer { padding = 0 }
    try take(Line(number: number, bytes: bytes, padding: padding))
  }

  /// The line without the control sequences of terminals such as `ESC [ 1 ; 34 m` (ECMA-48 §5.4),
  /// and without the links that some programs print, `ESC ] 8 ; ; … BEL`.
  private static func withoutColors(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var output: [UInt8] = []
    var rest = line
    while let escape = rest.position(of: 0x1B) {
      output += rest[..<escape]
      let code = rest[escape...].dropFirst()
      switch code.first {
      case UInt8(ascii: "["):
        let parameters = code.dropFirst().drop { (0x20...0x3F).contains($0) }
        let isSequence = parameters.first.map { (0x40...0x7E).contains($0) } ?? false
        if !isSequence { output.append(0x1B) }
        rest = isSequence ? parameters.dropFirst() : code
      case UInt8(ascii: "]"):
        let end = code.prefix(2048).firstIndex { $0 == 0x07 || $0 == 0x1B }
        guard let end else {
          output.append(0x1B)
          rest = code
          continue
        }
        let isString = code[end] == 0x1B
        let isEnded = isString && code[end...].dropFirst().first == 0x5C
        // An escape that does not end the string begins the next sequence.
        rest = code[end...].dropFirst(isEnded ? 2 : isString ? 0 : 1)
      default:
        output.append(0x1B)
        rest = code
      }
    }
    return (output + rest)[...]
  }
}
