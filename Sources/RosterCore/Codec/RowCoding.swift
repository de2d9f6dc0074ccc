import CByteMarks

// Rows of a fixed size as they are stored: of each, how the words differ from those of the row
// before it, for most of what rows say they say alike, or nearly.
//
//     UInt64: two bits for each word of the row, little-endian: how wide its difference is
//     for each word that differs, by how much: 1, 2 or 4 bytes, little-endian, in zigzag form
//
// The widths stand before all that they are of, so that no word waits for the one before it. A row
// has 4 to 32 words, with nothing between them.

/// Writes rows.
struct RowOutput<Row: BitwiseCopyable> {
  /// The row that was written last.
  private var last: Row
  /// The same, to be made the next one where it stands.
  private var next: Row

  /// - Parameter first: What the first row is compared with.
  init(after first: Row) {
    last = first
    next = first
  }

  /// Writes the row that `change` makes of the one before.
  @inline(__always)
  mutating func write(to output: inout CanonicalOutput, _ change: (inout Row) -> Void) {
    change(&next)
    output.write(atMost: RowWords.headBytes + RowWords.bytes * RowWords.count(of: Row.self)) {
      space in
      var widths: UInt64 = 0
      var end = RowWords.headBytes
      withUnsafeBytes(of: &next) { next in
        withUnsafeMutableBytes(of: &last) { last in
          var rest = RowWords.differing(next, UnsafeRawBufferPointer(last))
          while rest != 0 {
            let word = rest.trailingZeroBitCount
            let value = RowWords.load(word, of: next)
            let difference = value &- RowWords.load(word, of: UnsafeRawBufferPointer(last))
            RowWords.store(value, at: word, of: last)
            let folded = UInt32(bitPattern: (difference &<< 1) ^ (difference &>> 31))
            let width = WordWidth(of: folded)
            // There is room for all words of full width.
            space.storeBytes(of: folded.littleEndian, toByteOffset: end, as: UInt32.self)
            widths |= width.rawValue &<< UInt64(2 &* word)
            end &+= width.bytes
            rest &= rest &- 1
          }
        }
      }
      space.storeBytes(of: widths.littleEndian, as: UInt64.self)
      return end
    }
  }
}

/// Reads rows.
struct RowInput<Row: BitwiseCopyable> {
  /// The row that was read last.
  private(set) var last: Row

  /// - Parameter first: What the first row is compared with.
  init(after first: Row) {
    last = first
  }

  /// Reads the next row, whatever it says, into the place of another one.
  ///
  /// The words that differ are stored one by one, there and in `last`. A processor that loads many
  /// of them at once waits until those that were just stored have left it: so `last` is copied
  /// first, whose words were stored a row ago, and nothing is copied afterwards.
  ///
  /// Where it throws, neither the row nor this value is of use any more.
  @inline(__always)
  mutating func read(from input: inout CanonicalInput, into row: inout Row) throws(CodecError) {
    row = last
    let words = RowWords.count(of: Row.self)
    let head = try input.readBytes(RowWords.headBytes)
    let widths = UInt64(littleEndian: head.loadUnaligned(as: UInt64.self))
    guard widths >> UInt64(2 * words) == 0 else { throw input.invalid }
    // One that is wider than it need be would be a second encoding of the same row.
    var isShortest = true
    let isSound = input.isSound
    try input.read(atMost: RowWords.bytes * words) { differences in
      var end = 0
      var rest = widths
      while rest != 0 {
        let word = rest.trailingZeroBitCount / 2
        let width = WordWidth(rawValue: rest &>> UInt64(2 &* word) & 3)
        let folded = width.word(at: differences + end)
        end &+= width.bytes
        if !isSound {
          isShortest = isShortest && WordWidth(of: folded).rawValue == width.rawValue
        }
        let difference = Int32(bitPattern: folded &>> 1) ^ -Int32(bitPattern: folded & 1)
        let value = withUnsafeMutableBytes(of: &last) { last in
          let value = RowWords.load(word, of: UnsafeRawBufferPointer(last)) &+ difference
          RowWords.store(value, at: word, of: last)
          return value
        }
        withUnsafeMutableBytes(of: &row) { RowWords.store(value, at: word, of: $0) }
        rest &= ~(3 &<< UInt64(2 &* word))
      }
      return end
    }
    guard isShortest else { throw input.invalid }
  }
}

/// The words that a row consists of, with nothing between them.
private enum RowWords {
  static let bytes = MemoryLayout<UInt32>.size
  static let headBytes = MemoryLayout<UInt64>.size
  /// So many words are looked at at once.
  private static let group = 4

  /// How many words a row has.
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

  /// A bit for each word in which two rows differ that have as many.
  @inline(__always)
  static func differing(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> UInt32 {
    guard let first = one.baseAddress, let second = other.baseAddress else { return 0 }
    // The last four may be some of those before, too.
    let last = one.count / bytes &- group
    var marks: UInt32 = 0
    var word = 0
    while word < last {
      marks |=
        rollcall_marks_of_other_words(first + bytes &* word, second + bytes &* word)
        &<< UInt32(truncatingIfNeeded: word)
      word &+= group
    }
    return marks
      | rollcall_marks_of_other_words(first + bytes &* last, second + bytes &* last)
      &<< UInt32(truncatingIfNeeded: last)
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

  /// The word that is stored at a place from which on four bytes are there; those of them that are
  /// not stored are 0 in it.
  @inline(__always)
  func word(at place: UnsafeRawPointer) -> UInt32 {
    let four = UInt32(littleEndian: place.loadUnaligned(as: UInt32.self))
    return UInt32(truncatingIfNeeded: UInt64(four) & (1 &<< UInt64(8 &* bytes) &- 1))
  }
}
