/// Rows of a fixed size as they are stored: of each, how the words differ from those of the row
/// before it, for most of what rows say they say alike, or nearly.
///
///     UInt64: two bits for each word of the row, little-endian: how wide its difference is
///     for each word that differs, by how much: 1, 2 or 4 bytes, little-endian, in zigzag form
///
/// The widths stand before all that they are of, so that no word waits for the one before it.
struct RowCoding<Row: BitwiseCopyable> {
  /// The row that was written or read last.
  private(set) var last: Row

  private static var wordBytes: Int { MemoryLayout<UInt32>.size }
  private static var headBytes: Int { MemoryLayout<UInt64>.size }
  /// How many words a row has. They are at most 32, and there is nothing between them.
  private static var words: Int { MemoryLayout<Row>.size / wordBytes }

  /// - Parameter first: What the first row is compared with.
  init(after first: Row) {
    last = first
  }

  /// Writes the next row.
  mutating func write(_ row: Row, to output: inout CanonicalOutput) {
    let mostBytes = Self.headBytes + Self.wordBytes * Self.words
    output.write(atMost: mostBytes) { space in
      var widths: UInt64 = 0
      var end = Self.headBytes
      withUnsafeBytes(of: row) { row in
        withUnsafeBytes(of: last) { last in
          var word = 0
          while word < Self.words {
            // Most are the same, and are passed by twos.
            if word < Self.words &- 1, Self.areSame(word, in: row, last) {
              word &+= 2
              continue
            }
            let difference = Self.word(word, of: row) &- Self.word(word, of: last)
            let folded = UInt32(bitPattern: (difference &<< 1) ^ (difference &>> 31))
            let width = WordWidth(of: folded)
            // There is room for all words of full width.
            space.storeBytes(of: folded.littleEndian, toByteOffset: end, as: UInt32.self)
            widths |= width.rawValue &<< UInt64(2 &* word)
            end &+= width.bytes
            word &+= 1
          }
        }
      }
      space.storeBytes(of: widths.littleEndian, as: UInt64.self)
      return end
    }
    last = row
  }

  /// Reads the next row, whatever it says.
  @inline(__always)
  mutating func read(from input: inout CanonicalInput) throws(CodecError) -> Row {
    let head = try input.readBytes(Self.headBytes)
    var widths = UInt64(littleEndian: head.loadUnaligned(as: UInt64.self))
    guard widths >> UInt64(2 * Self.words) == 0 else { throw input.invalid }
    // One that is wider than it need be would be a second encoding of the same row.
    var isShortest = true
    while widths != 0 {
      let word = widths.trailingZeroBitCount / 2
      let width = WordWidth(rawValue: widths >> UInt64(2 * word) & 3)
      let folded = try input.readWord(of: width)
      if !input.isSound {
        isShortest = isShortest && WordWidth(of: folded).rawValue == width.rawValue
      }
      let difference = Int32(bitPattern: folded >> 1) ^ -Int32(bitPattern: folded & 1)
      withUnsafeMutableBytes(of: &last) { row in
        let value = Self.word(word, of: UnsafeRawBufferPointer(row)) &+ difference
        row.storeBytes(of: value, toByteOffset: Self.wordBytes * word, as: Int32.self)
      }
      widths &= ~(3 << UInt64(2 * word))
    }
    guard isShortest else { throw input.invalid }
    return last
  }

  /// Whether a word and the one after it are the same in two rows.
  @inline(__always)
  private static func areSame(
    _ word: Int, in one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer
  ) -> Bool {
    one.loadUnaligned(fromByteOffset: wordBytes * word, as: UInt64.self)
      == other.loadUnaligned(fromByteOffset: wordBytes * word, as: UInt64.self)
  }

  private static func word(_ word: Int, of row: UnsafeRawBufferPointer) -> Int32 {
    row.loadUnaligned(fromByteOffset: wordBytes * word, as: Int32.self)
  }
}

/// Of how many bytes a word is stored.
struct WordWidth {
  /// Two bits: 0, 1, 2 or 4 bytes.
  let rawValue: UInt64

  init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The least that a word fits into.
  @inline(__always)
  init(of word: UInt32) {
    // Two bits for each number of bytes at its upper end that are 0, from none to four.
    let widths: UInt32 = 0b00_01_10_11_11
    let zeros = UInt32(truncatingIfNeeded: word.leadingZeroBitCount) &>> 3
    rawValue = UInt64(widths &>> (2 &* zeros) & 3)
  }

  @inline(__always)
  var bytes: Int { Int(truncatingIfNeeded: (0x4210 as UInt64) &>> (4 &* rawValue) & 7) }
}

extension CanonicalInput {
  /// A word of which only so many bytes are stored; the others are 0.
  @inline(__always)
  mutating func readWord(of width: WordWidth) throws(CodecError) -> UInt32 {
    let count = width.bytes
    if rest >= MemoryLayout<UInt32>.size {
      let word = try readWord(taking: count)
      return UInt32(truncatingIfNeeded: UInt64(word) & (1 << UInt64(8 * count) - 1))
    }
    return try readBytes(count).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
