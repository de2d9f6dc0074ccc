import CShims
import TestSupport
import Testing

/// The meaning of a mark, byte by byte.
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

@Suite("Marks of sixteen bytes at once, compared with byte-by-byte checks")
struct ByteMarksTests {
  @Test("Each byte value is marked correctly at each index", arguments: Mark.all)
  fileprivate func everyByte(mark: Mark) {
    // No mark includes this byte.
    let usual = UInt8(ascii: "a")
    for byte in UInt8.min...UInt8.max {
      for index in 0..<16 {
        var bytes = [UInt8](repeating: usual, count: 16)
        bytes[index] = byte
        #expect(mark.marks(bytes) == (mark.isMeant(byte) ? 1 << UInt32(index) : 0), "\(byte)")
      }
    }
  }

  @Test("Neighboring bytes do not influence a mark", arguments: Mark.all)
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
}
