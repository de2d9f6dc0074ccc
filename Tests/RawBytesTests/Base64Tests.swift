import RawBytes
import TestSupport
import Testing

/// White space is ignored, and everything else is strict.
@Suite("Base64 in messages")
struct Base64Tests {
  private func decoded(_ text: String) -> String? {
    Base64.decode(Array(text.utf8).span.bytes).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The test vectors of RFC 4648 §10.
  @Test(
    "The vectors of the RFC are decoded",
    arguments: [
      ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
      ("Zm9vYmFy", "foobar"),
    ])
  func vectors(text: String, bytes: String) {
    #expect(decoded(text) == bytes)
    #expect(Base64.encode(Array(bytes.utf8)) == text)
  }

  @Test(
    "White space is ignored wherever it is",
    arguments: ["Zm9v\r\nYmFy", " Zm9vYmFy\n", "Z m\t9 v Y m F y", "Zm9vYmFy\r\n\r\n"])
  func whiteSpace(text: String) {
    #expect(decoded(text) == "foobar")
    #expect(decoded("Zg=\r\n=") == "f")
  }

  @Test(
    "What merely resembles Base64 is refused",
    arguments: [
      "", " \r\n", "=", "====", "Z", "Zg", "Zg=", "Zm8", "Zm9vY", "Zg===", "Zg==Zg==", "Z=g=",
      "Zm9v=", "Zm9v====", "Zm-v", "Zm_v", "Zm9v!", "!!! no base64 !!!", "在吗在吗", "Zm9v&#13;",
      "Zm9v\0", "Zm9v\u{A0}",
      // The bits after the last byte are not zero.
      "Zh==", "Zm9=",
    ])
  func refused(text: String) {
    #expect(decoded(text) == nil)
  }

  @Test("Any bytes are decoded from lines of any length", arguments: 0..<UInt64(8))
  func property(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    for _ in 0..<200 {
      let bytes = (0..<Int.random(in: 1..<200, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      // The encoder works on a string of bits, unlike the decoder.
      let bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
      var text: [UInt8] = []
      for start in stride(from: 0, to: bits.count, by: 6) {
        let group = (0..<6).map { start + $0 < bits.count ? Int(bits[start + $0]) : 0 }
        text.append(digits[group.reduce(0) { $0 * 2 + $1 }])
        if Int.random(in: 0..<20, using: &random) == 0 { text += [0x0D, 0x0A] }
      }
      text += Array(repeating: UInt8(ascii: "="), count: (3 - bytes.count % 3) % 3)
      #expect(Base64.decode(Array(Base64.encode(bytes).utf8).span.bytes) == bytes, "seed \(seed)")
      #expect(Base64.decode(text.span.bytes) == bytes, "seed \(seed): \(bytes)")
    }
  }
}
