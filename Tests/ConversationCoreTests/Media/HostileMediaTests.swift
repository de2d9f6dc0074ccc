import Foundation
import RawBytes
import TestSupport
import Testing

@testable import ConversationCore

/// The readers of pictures, recordings and Base64 against bytes that were made to harm them.
/// `ROLLCALL_SEEDS=1000-4999` tries other seeds.
@Suite("Hostile media")
struct HostileMediaTests {
  /// Values of lengths and offsets that readers get wrong.
  private static let lengths: [Int] = [
    0, 1, 2, 7, 8, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF,
    .max, .min, -1,
  ]

  /// Changes bytes in one of the ways that a length, a loop or a cut can be wrong.
  private static func harm(_ bytes: inout [UInt8], using random: inout SeededGenerator) {
    guard !bytes.isEmpty else { return }
    let index = Int.random(in: bytes.indices, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes.removeSubrange(index...)
    case 1: bytes[index] = UInt8.random(in: 0...255, using: &random)
    case 2:
      // A length of two, three, four or eight bytes, in either order.
      let count = [2, 3, 4, 8].randomElement(using: &random) ?? 4
      let value = lengths.randomElement(using: &random) ?? 0
      let length = Bool.random(using: &random) ? big(value, count) : little(value, count)
      let end = min(index + count, bytes.count)
      bytes.replaceSubrange(index..<end, with: length.prefix(end - index))
    case 3:
      // A part that follows itself, as in a chain of chunks that leads back.
      let end = min(index + Int.random(in: 1...64, using: &random), bytes.count)
      let part = Array(bytes[index..<end])
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        bytes.insert(contentsOf: part, at: index)
      }
    case 4:
      let end = min(index + Int.random(in: 1...32, using: &random), bytes.count)
      bytes.removeSubrange(index..<end)
    default:
      // The beginning of another format.
      let other = MediaSample.all.randomElement(using: &random)?.bytes.prefix(48) ?? []
      bytes.insert(contentsOf: other, at: index)
    }
  }

  /// What is true of every description, whatever its bytes say.
  private static func isPossible(_ found: MediaDescription?) -> Bool {
    guard let found else { return true }
    let length = found.milliseconds ?? 0
    let hasPossibleSize =
      found.pixels.map { pixels in
        (1...1 << 20).contains(pixels.width) && (1...1 << 20).contains(pixels.height)
      } ?? true
    let hasPossibleLength = (0...366 * 86_400_000).contains(length)
    return switch found.format.kind {
    case .picture: hasPossibleSize && found.milliseconds == nil
    case .voice: hasPossibleLength && found.pixels == nil
    case .video: hasPossibleSize && hasPossibleLength
    case .file: false
    }
  }

  @Test("Each reader gives an answer that is possible")
  func readers() {
    for seed in Seeds.chosen(or: 0...99) {
      var random = SeededGenerator(seed: seed)
      for sample in MediaSample.all {
        var bytes = Array(sample.bytes.prefix(2000))
        for _ in 0..<Int.random(in: 1...8, using: &random) { Self.harm(&bytes, using: &random) }
        let found = described(bytes)
        #expect(
          Self.isPossible(found),
          "ROLLCALL_SEEDS=\(seed)-\(seed), \(sample.name): \(String(describing: found))")
      }
    }
  }

  @Test("Bytes of a length that no header may believe are bounded by what is there")
  func unbelievableLengths() {
    for sample in MediaSample.all {
      for value in Self.lengths {
        for offset in stride(from: 0, to: min(sample.bytes.count, 64), by: 4) {
          for length in [big(value, 4), little(value, 4), big(value, 8)] {
            var bytes = Array(sample.bytes.prefix(600))
            let end = min(offset + length.count, bytes.count)
            bytes.replaceSubrange(offset..<end, with: length.prefix(end - offset))
            #expect(Self.isPossible(described(bytes)), "\(sample.name), \(value) at \(offset)")
          }
        }
      }
    }
  }

  @Test("Base64 is decoded exactly if encoding gives the same text")
  func base64() {
    let alphabet = Array("AQgwZz09+/= \n\rB_-é".utf8)
    for seed in Seeds.chosen(or: 0...1999) {
      var random = SeededGenerator(seed: seed)
      var text: [UInt8]
      if Bool.random(using: &random) {
        text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
          alphabet.randomElement(using: &random) ?? 0
        }
      } else {
        let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
        text = Array(Base64.encode(bytes).utf8)
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          let index = Int.random(in: 0...text.count, using: &random)
          text.insert(alphabet.randomElement(using: &random) ?? 0, at: index)
        }
      }
      // Foundation ignores the bits after the last byte, so only the round trip is exact.
      let dense = String(decoding: text.filter { !" \t\r\n".utf8.contains($0) }, as: UTF8.self)
      let decoded = Data(base64Encoded: dense)
      let wanted: [UInt8]? = decoded.flatMap { data in
        data.isEmpty || data.base64EncodedString() != dense ? nil : [UInt8](data)
      }
      #expect(
        Base64.decode(text.span.bytes) == wanted,
        "ROLLCALL_SEEDS=\(seed)-\(seed): \(String(decoding: text, as: UTF8.self).debugDescription)")
    }
  }

  @Test("The tutorials' media is a picture, a voice message or a text, whatever its bytes are")
  func messages() {
    for seed in Seeds.chosen(or: 0...19) {
      var random = SeededGenerator(seed: seed)
      for sample in MediaSample.all {
        var bytes = Array(sample.bytes.prefix(400))
        for _ in 0..<3 { Self.harm(&bytes, using: &random) }
        var encoded = Base64.encode(bytes)
        if Int.random(in: 0..<4, using: &random) == 0 { encoded.removeLast(min(1, encoded.count)) }
        let dialogue = Dialogue.online(
          .received(
            message(
              from: "bob@example.test/peer", "ImageMessage",
              "<subject>ImageMessage</subject><ImageMessage>\(encoded)</ImageMessage>")))
        let shown = dialogue.messages().first
        let isRead = Base64.decode(Array(encoded.utf8).span.bytes) != nil
        #expect(
          shown?.attachments.count == (isRead ? 1 : 0)
            && shown?.body == (isRead ? "" : "ImageMessage")
            && dialogue.findings.contains("media-unreadable") == !isRead,
          "ROLLCALL_SEEDS=\(seed)-\(seed), \(sample.name)")
      }
    }
  }
}
