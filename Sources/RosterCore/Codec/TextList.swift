import XMPPStanza

/// Texts as they are stored of a table: where each of them ends, and their bytes side by side, so
/// that they are read with one look at each, and none of their bytes is copied alone.
///
///     count, bytes: LEB128
///     UInt32 for each text: where it ends, little-endian
///     the bytes
struct TextList {
  private var ends: [UInt32] = []
  private var bytes: [UInt8] = []

  /// How many texts there are.
  var count: Int { ends.count }

  /// Adds a text.
  mutating func append(_ text: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: text)
    // All bytes of a snapshot together are fewer.
    ends.append(UInt32(truncatingIfNeeded: bytes.count))
  }

  /// Writes the list down.
  func write(to output: inout CanonicalOutput) {
    output.write(UInt64(ends.count))
    output.write(UInt64(bytes.count))
    for end in ends {
      withUnsafeBytes(of: end.littleEndian) { output.write(encoded: $0) }
    }
    bytes.withUnsafeBytes { output.write(encoded: $0) }
  }
}

extension CanonicalInput {
  /// Reads a list of texts into a table, in which they have the same numbers.
  ///
  /// - Parameter isValid: Whether a text can stand in the list.
  mutating func readTexts(
    where isValid: (UnsafeRawBufferPointer) -> Bool
  ) throws(CodecError) -> TextTable {
    let (ends, bytes) = try readTextList()
    guard let table = TextTable(bytes, ends: ends, where: isValid) else { throw invalid }
    return table
  }

  /// Reads a list of texts, and hands each to `body` with its number.
  ///
  /// - Parameters:
  ///   - first: The number of the first one.
  ///   - isRight: Whether a text can have that number.
  /// - Returns: The number after the last one's.
  mutating func readTexts(
    from first: Int, where isRight: (Int, UnsafeRawBufferPointer) -> Bool
  ) throws(CodecError) -> Int {
    let (ends, bytes) = try readTextList()
    var (number, start) = (first, 0)
    for offset in stride(from: 0, to: ends.count, by: TextTable.endBytes) {
      let end = Int(
        UInt32(littleEndian: ends.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      guard start <= end, end <= bytes.count,
        isRight(number, UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      else { throw invalid }
      (number, start) = (number + 1, end)
    }
    guard start == bytes.count else { throw invalid }
    return number
  }

  private mutating func readTextList() throws(CodecError) -> (
    ends: UnsafeRawBufferPointer, bytes: UnsafeRawBufferPointer
  ) {
    let count = try readCount()
    let size = try readCount()
    let (ends, overflows) = count.multipliedReportingOverflow(by: TextTable.endBytes)
    guard !overflows else { throw invalid }
    return (try readBytes(ends), try readBytes(size))
  }
}
