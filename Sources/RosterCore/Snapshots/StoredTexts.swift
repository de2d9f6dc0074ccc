import RawBytes
import XMPPStanza

// Texts of a table as they are stored: where each of them ends, and their bytes side by side, so
// that they are read with one look at each, and none of their bytes is copied alone.
//
//     count, bytes: LEB128
//     UInt32 for each text: where it ends, little-endian
//     the bytes

extension TextTable {
  /// Writes the texts down that have a number or a later one.
  func write(from first: Int, to output: inout CanonicalOutput) {
    let numbers = UInt32(first)..<UInt32(count)
    var end = 0
    let ends = numbers.map { number in
      end += bytes(of: number).byteCount
      // All bytes of a snapshot together are fewer.
      return UInt32(truncatingIfNeeded: end).littleEndian
    }
    output.write(UInt64(ends.count))
    output.write(UInt64(end))
    output.write(encoded: ends.span.bytes)
    for number in numbers { output.write(encoded: bytes(of: number)) }
  }
}

extension CanonicalInput {
  /// Reads a list of texts into a table, in which they have the same numbers.
  ///
  /// - Parameter isValid: Whether a text can stand in the list.
  mutating func readTexts(
    where isValid: (RawSpan) -> Bool
  ) throws(CodecError) -> TextTable {
    let list = try readTextList()
    guard let table = TextTable(list, where: isValid) else { throw invalid }
    return table
  }

  /// Reads a list of texts, and hands each to `body` with its number.
  ///
  /// - Parameters:
  ///   - first: The number of the first one.
  ///   - isRight: Whether a text can have that number.
  /// - Returns: The number after the last one's.
  mutating func readTexts(
    from first: Int, where isRight: (Int, RawSpan) -> Bool
  ) throws(CodecError) -> Int {
    let list = try readTextList()
    var start = 0
    for place in 0..<list.count {
      guard let end = list.end(of: place, from: start),
        isRight(first + place, list.bytes[start..<end])
      else { throw invalid }
      start = end
    }
    guard start == list.bytes.byteCount else { throw invalid }
    return first + list.count
  }

  @_lifetime(copy self)
  private mutating func readTextList() throws(CodecError) -> TextList {
    let count = try readCount()
    let size = try readCount()
    let (ends, overflows) = count.multipliedReportingOverflow(by: TextTable.endBytes)
    guard !overflows else { throw invalid }
    return TextList(ends: try readBytes(ends), bytes: try readBytes(size))
  }
}

/// Texts that stand side by side.
struct TextList: ~Escapable {
  /// Where each of them ends, as it is stored.
  private let ends: RawSpan
  let bytes: RawSpan

  @_lifetime(copy ends, copy bytes)
  init(ends: RawSpan, bytes: RawSpan) {
    self.ends = ends
    self.bytes = bytes
  }

  /// How many there are.
  var count: Int { ends.byteCount / TextTable.endBytes }

  /// Where a text ends that begins at an offset; nil where it cannot.
  @inline(__always)
  func end(of place: Int, from start: Int) -> Int? {
    let end = Int(ends.littleEndian(at: place &* TextTable.endBytes, as: UInt32.self))
    return start <= end && end <= bytes.byteCount ? end : nil
  }
}
