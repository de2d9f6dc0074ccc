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
    let count = try readCount()
    let size = try readCount()
    let (ends, overflows) = count.multipliedReportingOverflow(by: TextTable.endBytes)
    guard !overflows else { throw invalid }
    let places = try readBytes(ends)
    guard let table = TextTable(try readBytes(size), ends: places, where: isValid) else {
      throw invalid
    }
    return table
  }
}
