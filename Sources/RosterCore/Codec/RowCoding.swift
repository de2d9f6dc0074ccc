import CByteMarks
import CRowDifferences
import RawBytes

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
      // Both rows have as many words, and each word that is looked at is one of them.
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
            space.write(littleEndian: folded, at: end)
            widths |= width.rawValue &<< UInt64(2 &* word)
            end &+= width.bytes
            rest &= rest &- 1
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
  private(set) var last: Row

  /// - Parameter first: What the first row is compared with.
  init(after first: Row) {
    last = first
  }

  /// Reads the next row, whatever it says, into the place of another one.
  ///
  /// Where it throws, neither the row nor this value is of use any more.
  @inline(__always)
  mutating func read(from input: inout CanonicalInput, into row: inout Row) throws(CodecError) {
    let words = RowWords.count(of: Row.self)
    let widths: UInt64 = try input.readBytes(RowWords.headBytes).littleEndian(at: 0)
    guard widths >> UInt64(2 * words) == 0 else { throw input.invalid }
    // One that is wider than it need be would be a second encoding of the same row.
    var isShortest = true
    let isSound = input.isSound
    try input.read(atMost: RowWords.groupedBytes(of: Row.self)) { differences in
      if !isSound { isShortest = WordWidth.areLeast(widths, for: differences) }
      return differences.withUnsafeBytes { differences in
        withUnsafeMutablePointer(to: &last) { last in
          withUnsafeMutablePointer(to: &row) { row in
            // As many bytes are there as all groups of words can have, and so they have an address;
            // both rows have as many words.
            rollcall_add_differences(
              differences.baseAddress.unsafelyUnwrapped, widths, last, row, words)
          }
        }
      }
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

  /// How many bytes the words of a row take at most, counted in whole groups.
  @inline(__always)
  static func groupedBytes<Row: BitwiseCopyable>(of row: Row.Type) -> Int {
    (count(of: row) + group - 1) / group * group * bytes
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

  /// Whether no difference of a row would fit into fewer bytes.
  static func areLeast(_ widths: UInt64, for differences: RawSpan) -> Bool {
    var (rest, end) = (widths, 0)
    while rest != 0 {
      let width = WordWidth(rawValue: rest & 3)
      var word: UInt32 = 0
      for place in 0..<width.bytes {
        word |= UInt32(differences[end + place]) << (8 * place)
      }
      guard WordWidth(of: word).rawValue == width.rawValue else { return false }
      end += width.bytes
      rest >>= 2
    }
    return true
  }
}
