import RawBytes
import XMPPStanza

// The stored form of the texts of a table: all their ends, and then their bytes without gaps, so
// that each text is read with one access and none is copied individually.
//
//     count, bytes: LEB128
//     UInt32 for each text: its end, little-endian
//     the bytes

extension TextTable {
  /// Writes the texts from a number on.
  func write(from first: Int, to output: inout CanonicalOutput) {
    let numbers = UInt32(first)..<UInt32(count)
    var end = 0
    let ends = numbers.map { number in
      end += bytes(of: number).byteCount
      // A snapshot as a whole is smaller than that.
      return UInt32(truncatingIfNeeded: end).littleEndian
    }
    output.write(UInt64(ends.count))
    output.write(UInt64(end))
    output.write(encoded: ends.span.bytes)
    for number in numbers { output.write(encoded: bytes(of: number)) }
  }
}

extension CanonicalInput {
  /// Reads a list of texts into a table, where they keep their numbers.
  ///
  /// - Parameter isValid: Whether a text is allowed in the list.
  mutating func readTexts(
    where isValid: (RawSpan) -> Bool
  ) throws(CodecError) -> TextTable {
    let list = try readTextList()
    guard let table = TextTable(list, where: isValid) else { throw invalid }
    return table
  }

  /// Reads a list of texts and passes each one with its number to `body`.
  ///
  /// - Parameters:
  ///   - first: The number of the first text.
  ///   - isRight: Whether a text may have that number.
  /// - Returns: The number after the last text.
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

/// Texts stored without gaps.
struct TextList: ~Escapable {
  /// The end of each text, in stored form.
  private let ends: RawSpan
  let bytes: RawSpan

  @_lifetime(copy ends, copy bytes)
  init(ends: RawSpan, bytes: RawSpan) {
    self.ends = ends
    self.bytes = bytes
  }

  /// The number of texts.
  var count: Int { ends.byteCount / TextTable.endBytes }

  /// The end of a text that begins at an offset; nil if it is invalid.
  @inline(__always)
  func end(of place: Int, from start: Int) -> Int? {
    let end = Int(ends.littleEndian(at: place &* TextTable.endBytes, as: UInt32.self))
    return start <= end && end <= bytes.byteCount ? end : nil
  }
}
