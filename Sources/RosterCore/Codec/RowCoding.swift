/// Rows of a fixed size as they are stored: of each, how the words differ from those of the row
/// before it, for most of what rows say they say alike, or nearly.
///
///     UInt32: a bit for each word of the row that differs, little-endian
///     for each of those words, by how much: LEB128 in zigzag form
struct RowCoding<Row: BitwiseCopyable> {
  /// The row that was written or read last.
  private(set) var last: Row

  private static var wordBytes: Int { MemoryLayout<UInt32>.size }
  /// How many words a row has. They are at most 32, and there is nothing between them.
  private static var words: Int { MemoryLayout<Row>.size / wordBytes }

  /// - Parameter first: What the first row is compared with.
  init(after first: Row) {
    last = first
  }

  /// Writes the next row.
  mutating func write(_ row: Row, to output: inout CanonicalOutput) {
    withUnsafeBytes(of: row) { row in
      withUnsafeBytes(of: last) { last in
        var mask: UInt32 = 0
        for word in 0..<Self.words where Self.difference(at: word, last, row) != 0 {
          mask |= 1 << UInt32(word)
        }
        withUnsafeBytes(of: mask.littleEndian) { output.write(encoded: $0) }
        while mask != 0 {
          let difference = Self.difference(at: mask.trailingZeroBitCount, last, row)
          output.write(signed: Int64(difference))
          mask &= mask - 1
        }
      }
    }
    last = row
  }

  private static func difference(
    at word: Int, _ last: UnsafeRawBufferPointer, _ row: UnsafeRawBufferPointer
  ) -> Int32 {
    row.loadUnaligned(fromByteOffset: wordBytes * word, as: Int32.self)
      &- last.loadUnaligned(fromByteOffset: wordBytes * word, as: Int32.self)
  }

  /// Reads the next row, whatever it says.
  @inline(__always)
  mutating func read(from input: inout CanonicalInput) throws(CodecError) -> Row {
    var mask = UInt32(
      littleEndian: try input.readBytes(Self.wordBytes).loadUnaligned(as: UInt32.self))
    guard mask >> UInt32(Self.words) == 0 else { throw input.invalid }
    while mask != 0 {
      guard let difference = Int32(exactly: try input.readSigned()) else { throw input.invalid }
      withUnsafeMutableBytes(of: &last) { row in
        let offset = Self.wordBytes * mask.trailingZeroBitCount
        let word = row.loadUnaligned(fromByteOffset: offset, as: Int32.self)
        row.storeBytes(of: word &+ difference, toByteOffset: offset, as: Int32.self)
      }
      mask &= mask - 1
    }
    return last
  }
}
