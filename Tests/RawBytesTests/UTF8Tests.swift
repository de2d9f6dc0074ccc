import RawBytes
import TestSupport
import Testing

@Suite("UTF-8 validation, compared with the standard library")
struct UTF8Tests {
  private func agrees(_ bytes: [UInt8]) -> Bool {
    bytes.span.bytes.isUTF8 == (String(validating: bytes, as: UTF8.self) != nil)
  }

  @Test("Every pair of bytes is judged as by the standard library")
  func everyTwoBytes() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        #expect(agrees([first, second]), "\(first) \(second)")
      }
    }
  }

  /// Bytes at the boundaries of the ranges, in sequences that may end anywhere.
  @Test(
    "Sequences at the boundaries of the ranges are judged as by the standard library",
    arguments: 0..<UInt64(4))
  func sequences(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let edges: [UInt8] = [
      0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
      0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ]
    for _ in 0..<20_000 {
      let front = Array(repeating: UInt8(0x41), count: Int.random(in: 0..<40, using: &random))
      let bytes =
        front
        + (0..<Int.random(in: 0..<7, using: &random)).map { _ in
          edges[Int.random(in: 0..<edges.count, using: &random)]
        }
      #expect(agrees(bytes), "seed \(seed): \(bytes)")
    }
  }

  @Test("Every encoded character is valid UTF-8")
  func everyCharacter() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      guard agrees(Array(String(scalar).utf8)) else {
        Issue.record("\(value)")
        return
      }
    }
  }
}
