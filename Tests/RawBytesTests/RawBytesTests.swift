import TestSupport
import Testing

@testable import RawBytes

/// Bytes in place, compared with the results of byte arrays.
@Suite("Bytes in place")
struct RawBytesTests {
  /// Bytes of few values, so that many arrays are equal, with lengths around the word boundaries.
  private static func bytes(_ random: inout SeededGenerator) -> [UInt8] {
    let kinds: [UInt8] = [0x00, 0x61, 0x62, 0x7F, 0x80, 0xFF]
    return (0..<Int.random(in: 0...20, using: &random)).map { _ in
      Int.random(in: 0..<8, using: &random) > 0
        ? 0x61 : kinds[Int.random(in: 0..<kinds.count, using: &random)]
    }
  }

  @Test("They compare like arrays", arguments: 0..<UInt64(4))
  func comparing(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (same, hashes) = (0, 0)
    for _ in 0..<20_000 {
      let (a, b) = (Self.bytes(&random), Self.bytes(&random))
      let (first, second) = (a.span.bytes, b.span.bytes)
      let comparison = (first.isSame(as: second), first.precedes(second), first.isASCII)
      #expect(
        comparison == (a == b, a.lexicographicallyPrecedes(b), a.allSatisfy { $0 < 0x80 }),
        "seed \(seed): \(a) and \(b)")
      let isHashSame = first.hash(from: seed) == second.hash(from: seed)
      if a == b {
        same += 1
        #expect(isHashSame, "seed \(seed): \(a)")
      } else if isHashSame {
        hashes += 1
      }
    }
    #expect(same > 100)
    // Collisions of 64-bit hashes are rare; short texts with leading zeros may collide.
    #expect(hashes < 10)
  }

  @Test("A rank is eight bytes, padded with zeros", arguments: 0...20)
  func ranks(count: Int) {
    let bytes = (0..<count).map { UInt8($0 + 1) }
    for offset in 0...count {
      let eight = (bytes[offset...].prefix(8) + Array(repeating: 0, count: 8)).prefix(8)
      let wanted = eight.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let rank = bytes.span.bytes.rank(at: offset)
      #expect(rank == wanted, "from \(offset)")
    }
  }

  @Test(
    "Texts are sorted by their bytes, and equal ones keep their order", arguments: 0..<UInt64(4))
  func orders(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let all = (0..<500).map { _ in Self.bytes(&random) }
    func precedes(_ a: [UInt8], _ b: [UInt8]) -> Bool { a.span.bytes.precedes(b.span.bytes) }
    let order = ByteRank.order(of: all.count) { index, rank in
      let bytes = all[index]
      return rank(bytes.span.bytes)
    } precedes: {
      precedes(all[$0], all[$1])
    }
    let wanted = all.indices.sorted { a, b in
      all[a] == all[b] ? a < b : all[a].lexicographicallyPrecedes(all[b])
    }
    #expect(order.map(\.index) == wanted, "seed \(seed)")
  }

  @Test("Numbers are read as they were written, at any offset", arguments: 0...8)
  func numbers(offset: Int) {
    var bytes: [UInt8] = [0xAA]
    bytes.append(atMost: 24) { space in
      for index in 0..<20 { space[index] = 0xEE }
      space.write(bigEndian: 0x0102_0304_0506_0708 as UInt64, at: offset)
      space.write(littleEndian: 0x0102_0304 as UInt32, at: offset + 8)
      return 20
    }
    #expect(bytes.count == 21)
    #expect(bytes[(1 + offset)..<(13 + offset)] == [1, 2, 3, 4, 5, 6, 7, 8, 4, 3, 2, 1])
    let span = bytes.span.bytes
    let read: (UInt64, UInt32, UInt8) = (
      span.bigEndian(at: 1 + offset), span.littleEndian(at: 9 + offset), span[0]
    )
    #expect(read == (0x0102_0304_0506_0708, 0x0102_0304, 0xAA))
  }

  @Test("Bytes are appended, and replaced up to the end", arguments: 0...17)
  func writing(count: Int) {
    let piece = (0..<count).map { UInt8($0) }
    let appended: [UInt8] = [1, 2, 3] + piece
    var bytes: [UInt8] = [1, 2, 3]
    bytes.append(bytes: piece.span.bytes)
    #expect(bytes == appended)
    bytes.replace(at: 1, with: piece.span.bytes)
    let replaced: [UInt8] = [1] + piece + appended[(1 + count)...]
    #expect(bytes == replaced)
    bytes.replace(at: 3, with: piece.span.bytes)
    #expect(bytes.suffix(count) == piece[...])
    #expect([UInt8](piece.span.bytes) == piece)
  }

  @Test("Sixteen bytes are marked and copied from any offset")
  func sixteen() {
    let bytes = (0..<40).map { UInt8($0) }
    for offset in 0...24 {
      let first = bytes.span.bytes.marks(uncheckedAt: offset) {
        UInt32($0.load(as: UInt8.self))
      }
      #expect(first == UInt32(offset))
      var copy: [UInt8] = []
      copy.append(atMost: 16) { space in
        space.write(sixteenOf: bytes.span.bytes, uncheckedFrom: offset, uncheckedAt: 0)
        return 16
      }
      #expect(copy == Array(bytes[offset..<(offset + 16)]))
    }
  }

  @Test("A text equals its bytes, and a missing text equals missing bytes")
  func texts() {
    let decomposed = "e\u{301}"
    for text in ["", "a", "é", decomposed, "fifteen letters", "more than fifteen letters: 你好"] {
      let bytes = Array(text.utf8)
      let (copy, has) = (String(utf8: bytes.span.bytes), text.hasBytes(bytes.span.bytes))
      #expect(copy.hasSameBytes(as: text) && has)
      let (isSame, isNone) = (
        String?.some(text).hasBytes(bytes.span.bytes), String?.none.hasBytes(bytes.span.bytes)
      )
      #expect(isSame && !isNone && !String?.some(text).hasBytes(nil))
      let optional = String?(decoding: bytes.span.bytes)
      #expect(optional.hasSameBytes(as: text as String?))
    }
    #expect(String?.none.hasBytes(nil) && String?(decoding: nil) == nil)
    #expect(!"é".hasSameBytes(as: decomposed))
    let broken: [UInt8] = [0x61, 0xFF]
    #expect(String(utf8: broken.span.bytes) == nil)
    #expect(String(decoding: broken.span.bytes) == "a\u{FFFD}")
    let literal: StaticString = "literal"
    let spelt = String(decoding: literal.utf8Bytes)
    #expect(spelt == "literal")
  }
}
