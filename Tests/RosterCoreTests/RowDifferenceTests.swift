import CRowDifferences
import TestSupport
import Testing

@Suite("Four words of a row at once, compared with one after the other")
struct RowDifferenceTests {
  private static let mostWords = 32

  @Test("Both add the same, and touch nothing else", arguments: 0..<UInt64(16))
  func differences(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let words = Int.random(in: 1...Self.mostWords, using: &random)
      // Rows whose words all differ, and such as are usual.
      let isUsual = Bool.random(using: &random)
      let widths = (0..<words).map { _ in
        isUsual && Int.random(in: 0..<3, using: &random) > 0
          ? 0 : UInt64.random(in: 0...3, using: &random)
      }
      let head = widths.enumerated().reduce(UInt64(0)) { $0 | $1.element << UInt64(2 * $1.offset) }
      // No more than are promised.
      let count = (words + 3) / 4 * 16
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let last = (0..<Self.mostWords).map { _ in UInt32.random(in: 0 ... .max, using: &random) }
      let others = [UInt32](repeating: 7, count: Self.mostWords)
      var (oneLast, one, otherLast, other) = (last, others, last, others)
      let taken = rollcall_add_differences(bytes, head, &oneLast, &one, words)
      let expected = rollcall_add_differences_by_word(bytes, head, &otherLast, &other, words)
      #expect(taken == expected && expected == widths.reduce(0) { $0 + Int($1 == 3 ? 4 : $1) })
      #expect(one == other && oneLast == otherLast, "seed \(seed), \(words) words, \(head)")
      #expect(one[words...].allSatisfy { $0 == 7 } && oneLast[words...] == last[words...])
      #expect(one[..<words] == oneLast[..<words])
    }
  }

  @Test("The longest row is added whole, and of one without differences nothing is read")
  func longest() {
    let bytes = (0..<4 * Self.mostWords).map { UInt8($0) }
    var (last, row) = ([UInt32](repeating: 0, count: 32), [UInt32](repeating: 7, count: 32))
    #expect(rollcall_add_differences(bytes, .max, &last, &row, Self.mostWords) == 128)
    let expected = (0..<UInt32(Self.mostWords)).map { word in
      let folded = (0..<4).reduce(UInt32(0)) { $0 | (4 * word + $1) << (8 * $1) }
      return folded >> 1 ^ (folded & 1 == 1 ? .max : 0)
    }
    #expect(row == expected && last == expected)
    row = [UInt32](repeating: 7, count: 32)
    #expect(rollcall_add_differences(bytes, 0, &last, &row, Self.mostWords) == 0)
    #expect(row == expected && last == expected)
  }

  @Test("Differences are in zigzag form, the lowest byte first")
  func zigzag() {
    var (last, row): ([UInt32], [UInt32]) = ([10, 10, 10, 10, 10], [0, 0, 0, 0, 0])
    // Two more, one less, nothing, 256 more, and as much less as fits.
    let bytes: [UInt8] = [4, 1, 0, 2, 0xFF, 0xFF, 0xFF, 0xFF] + Array(repeating: 9, count: 24)
    let taken = rollcall_add_differences(bytes, 0b11_10_00_01_01, &last, &row, 5)
    #expect(taken == 8)
    #expect(row == [12, 9, 10, 266, 10 &+ 0x8000_0000] && last == row)
  }
}
