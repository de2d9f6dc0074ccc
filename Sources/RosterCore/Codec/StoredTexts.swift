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
      end += withBytes(of: number) { $0.count }
      // All bytes of a snapshot together are fewer.
      return UInt32(truncatingIfNeeded: end).littleEndian
    }
    output.write(UInt64(ends.count))
    output.write(UInt64(end))
    ends.withUnsafeBytes { output.write(encoded: $0) }
    for number in numbers { withBytes(of: number) { output.write(encoded: $0) } }
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
