import Testing

@testable import RosterCore

/// The bytes of stored rows, written by hand.
@Suite("The stored form of rows")
struct RowFormTests {
  private struct Row: BitwiseCopyable, Equatable {
    var a: UInt32 = 10, b: UInt32 = 10, c: UInt32 = 10, d: UInt32 = 10, e: UInt32 = 10
  }

  /// A row with the maximum number of words.
  private struct LongRow: BitwiseCopyable, Equatable {
    var quarters: (SIMD8<UInt32>, SIMD8<UInt32>, SIMD8<UInt32>, SIMD8<UInt32>) = (
      SIMD8(), SIMD8(), SIMD8(), SIMD8()
    )

    var words: [UInt32] {
      [quarters.0, quarters.1, quarters.2, quarters.3].flatMap { quarter in
        quarter.indices.map { quarter[$0] }
      }
    }

    static func == (a: Self, b: Self) -> Bool { a.words == b.words }
  }

  private func read<R: BitwiseCopyable>(_ bytes: [UInt8], after first: R) throws -> R {
    var input = CanonicalInput(bytes.span.bytes)
    var reading = RowInput(after: first)
    var row = first
    try reading.read(from: &input, into: &row)
    try input.finish()
    return row
  }

  @Test("Differences are in zigzag form, least significant byte first")
  func zigzag() throws {
    // Two more, one less, no difference, 256 more, and the largest decrease; two bits for each
    // width.
    let widths: [UInt8] = [0b00_01_01 | 0b10 << 6, 0b11, 0, 0, 0, 0, 0, 0]
    let bytes = widths + [4, 1, 0, 2, 0xFF, 0xFF, 0xFF, 0xFF]
    let row = Row(a: 12, b: 9, c: 10, d: 266, e: 10 &+ 0x8000_0000)
    #expect(try read(bytes, after: Row()) == row)
    var output = CanonicalOutput()
    var writing = RowOutput(after: Row())
    writing.write(to: &output) { $0 = row }
    #expect(output.bytes == bytes)
  }

  @Test("The longest row is read completely, and a row without differences reads nothing")
  func longest() throws {
    let differences = (0..<128).map { UInt8($0) }
    let row = try read([UInt8](repeating: 0xFF, count: 8) + differences, after: LongRow())
    let expected = (0..<UInt32(32)).map { word in
      let folded = (0..<4).reduce(UInt32(0)) { $0 | (4 * word + $1) << (8 * $1) }
      return folded >> 1 ^ (folded & 1 == 1 ? .max : 0)
    }
    #expect(row.words == expected)
    #expect(try read([UInt8](repeating: 0, count: 8), after: row).words == expected)
  }
}
