import CByteMarks
import TestSupport
import Testing

/// What a mark means, byte by byte.
private struct Mark: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let marks: @Sendable (UnsafeRawPointer) -> UInt32
  let isMeant: @Sendable (UInt8) -> Bool

  init(
    _ name: String, _ marks: @escaping @Sendable (UnsafeRawPointer) -> UInt32,
    _ isMeant: @escaping @Sendable (UInt8) -> Bool
  ) {
    testDescription = name
    self.marks = marks
    self.isMeant = isMeant
  }

  static let all = [
    Mark("beyond ASCII", { rollcall_marks_beyond_ascii($0) }, { $0 > 127 }),
    Mark(
      "in JSON", { rollcall_marks_in_json($0) },
      { $0 < 32 || Array("\"\\".utf8).contains($0) }),
    Mark(
      "in a value", { rollcall_marks_in_value($0) },
      { $0 <= UInt8(ascii: "'") || $0 == UInt8(ascii: "<") }),
    Mark(
      "in a text", { rollcall_marks_in_text($0) },
      { $0 < 32 || Array("<&]".utf8).contains($0) }),
    Mark("no graphics", { rollcall_marks_of_no_graphics($0) }, { !(33...126).contains($0) }),
    Mark(
      "in an address", { rollcall_marks_in_address($0) },
      { !Array("abcdefghijklmnopqrstuvwxyz0123456789_".utf8).contains($0) }),
  ]
}

@Suite("Sixteen bytes that are looked at at once, compared with one after the other")
struct ByteMarksTests {
  @Test("Each byte is marked as it is, in each place", arguments: Mark.all)
  fileprivate func everyByte(mark: Mark) {
    // None of them means it.
    let usual = UInt8(ascii: "a")
    for byte in UInt8.min...UInt8.max {
      for place in 0..<16 {
        var bytes = [UInt8](repeating: usual, count: 16)
        bytes[place] = byte
        #expect(mark.marks(bytes) == (mark.isMeant(byte) ? 1 << UInt32(place) : 0), "\(byte)")
      }
    }
  }

  @Test("The bytes beside one change nothing", arguments: Mark.all)
  fileprivate func manyBytes(mark: Mark) {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<8000 {
      let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      let expected = bytes.enumerated().reduce(0 as UInt32) {
        mark.isMeant($1.element) ? $0 | 1 << UInt32($1.offset) : $0
      }
      #expect(mark.marks(bytes) == expected, "\(bytes)")
    }
  }

  @Test("Words are marked where they differ in any bit")
  func words() {
    let words: [UInt32] = [0, 1, .max, 0x8000_0000]
    #expect(rollcall_marks_of_other_words(words, words) == 0)
    for place in words.indices {
      for bit in 0..<32 {
        var others = words
        others[place] ^= 1 << UInt32(bit)
        #expect(rollcall_marks_of_other_words(words, others) == 1 << UInt32(place), "\(bit)")
      }
    }
    #expect(rollcall_marks_of_other_words(words, words.map(~)) == 0xF)
  }
}
