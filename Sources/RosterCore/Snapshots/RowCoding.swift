import RawBytes

// The stored form of fixed-size rows. Each row is stored as the difference of its words from those
// of the previous row, because most rows are nearly equal.
//
//     UInt64: two bits for each word of the row, little-endian: the width of its difference
//     each difference that is not zero: 1, 2 or 4 bytes, little-endian, in zigzag form
//
// A row has at most 32 words and no padding.

/// Writes rows.
struct RowOutput<Row: BitwiseCopyable> {
  /// The row that was written last.
  private var last: Row
  /// A copy of the last row, which is changed into the next one in place.
  private var next: Row

  /// - Parameter first: The row that the first one is compared with.
  init(after first: Row) {
    last = first
    next = first
  }

  /// Writes the row that results from applying `change` to the previous one.
  @inline(__always)
  mutating func write(to output: inout CanonicalOutput, _ change: (inout Row) -> Void) {
    change(&next)
    output.write(atMost: RowWords.headBytes + RowWords.bytes * RowWords.count(of: Row.self)) {
      space in
      var widths: UInt64 = 0
      var end = RowWords.headBytes
      // Both rows have this many words, and every index below is less than that.
      withUnsafeBytes(of: &next) { next in
        withUnsafeMutableBytes(of: &last) { last in
          for word in 0..<RowWords.count(of: Row.self) {
            let value = RowWords.load(word, of: next)
            let difference = value &- RowWords.load(word, of: UnsafeRawBufferPointer(last))
            guard difference != 0 else { continue }
            RowWords.store(value, at: word, of: last)
            let folded = UInt32(bitPattern: (difference &<< 1) ^ (difference &>> 31))
            let width = WordWidth(of: folded)
            // The space is large enough for all words at full width.
            space.write(littleEndian: folded, at: end)
            widths |= width.rawValue &<< UInt64(2 &* word)
            end &+= width.bytes
          }
        }
      }
      space.write(littleEndian: widths, at: 0)
      return end
    }
  }
}

/// Reads rows.
struct RowInput<Row: BitwiseCopyable> {
  /// The row that was read last.
  private var last: Row

  /// - Parameter first: The row that the first one is compared with.
  init(after first: Row) {
    last = first
  }

  /// Reads the next row in place of another one, without interpreting it.
  ///
  /// After an error, neither the row nor this value may be used.
  @inline(__always)
  mutating func read(from input: inout CanonicalInput, into row: inout Row) throws(CodecError) {
    let words = RowWords.count(of: Row.self)
    let widths: UInt64 = try input.readBytes(RowWords.headBytes).littleEndian(at: 0)
    guard widths >> UInt64(2 * words) == 0 else { throw input.invalid }
    try input.read(atMost: RowWords.bytes * words) { differences in
      withUnsafeMutableBytes(of: &last) { RowWords.add(differences, widths, to: $0) }
    }
    row = last
  }
}

/// The words of a row, which has no padding.
private enum RowWords {
  static let bytes = MemoryLayout<UInt32>.size
  static let headBytes = MemoryLayout<UInt64>.size

  /// The number of words in a row.
  @inline(__always)
  static func count<Row: BitwiseCopyable>(of row: Row.Type) -> Int {
    MemoryLayout<Row>.size / bytes
  }

  @inline(__always)
  static func load(_ word: Int, of row: UnsafeRawBufferPointer) -> Int32 {
    row.loadUnaligned(fromByteOffset: bytes &* word, as: Int32.self)
  }

  @inline(__always)
  static func store(_ value: Int32, at word: Int, of row: UnsafeMutableRawBufferPointer) {
    row.storeBytes(of: value, toByteOffset: bytes &* word, as: Int32.self)
  }

  /// Adds the differences to the words of a row.
  ///
  /// - Parameters:
  ///   - differences: The differences, followed by any bytes up to the length of a row.
  ///   - widths: The width of each difference; zero beyond the words of the row.
  /// - Returns: The length of the differences in bytes.
  static func add(
    _ differences: RawSpan, _ widths: UInt64, to row: UnsafeMutableRawBufferPointer
  ) -> Int {
    var (rest, word, end) = (widths, 0, 0)
    while rest != 0 {
      // Most words are equal to those of the previous row.
      let equal = rest.trailingZeroBitCount / 2
      rest &>>= UInt64(2 &* equal)
      word &+= equal
      let width = WordWidth(rawValue: rest & 3)
      let folded: UInt32 = differences.littleEndian(at: end) & width.mask
      let difference = Int32(bitPattern: (folded &>> 1) ^ (0 &- (folded & 1)))
      store(load(word, of: UnsafeRawBufferPointer(row)) &+ difference, at: word, of: row)
      end &+= width.bytes
      rest &>>= 2
      word &+= 1
    }
    return end
  }
}

/// The number of bytes in which a word is stored.
struct WordWidth {
  /// Two bits: 0, 1, 2 or 4 bytes.
  let rawValue: UInt64

  init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The smallest width that fits a word.
  @inline(__always)
  init(of word: UInt32) {
    // Two bits for each number of zero bytes at the upper end, from none to four.
    let widths: UInt32 = 0b00_01_10_11_11
    let zeros = UInt32(truncatingIfNeeded: word.leadingZeroBitCount) &>> 3
    rawValue = UInt64(widths &>> (2 &* zeros) & 3)
  }

  @inline(__always)
  var bytes: Int { Int(truncatingIfNeeded: (0x4210 as UInt64) &>> (4 &* rawValue) & 7) }

  /// The mask of the bits that a difference of this width can set.
  var mask: UInt32 { UInt32(truncatingIfNeeded: (1 as UInt64) &<< UInt64(8 &* bytes) &- 1) }
}
