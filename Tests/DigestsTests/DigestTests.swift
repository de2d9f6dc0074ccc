import Digests
import TestSupport
import Testing

/// The digests are those of FIPS 180-4, whatever the pieces in which the bytes come.
@Suite("Digests") struct DigestTests {
  /// The examples that NIST publishes for the algorithms.
  private static let examples: [(text: String, sha1: String, sha256: String, sha512: String)] = [
    (
      "", "da39a3ee5e6b4b0d3255bfef95601890afd80709",
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
        + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
    ),
    (
      "abc", "a9993e364706816aba3e25717850c26c9cd0d89d",
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
      "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c335"
        + "96fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445"
    ),
  ]

  @Test("Examples", arguments: examples.indices)
  func example(_ index: Int) {
    let (text, sha1, sha256, sha512) = Self.examples[index]
    let bytes = Array(text.utf8)
    #expect(Digest.sha1(bytes).hexadecimal == sha1)
    #expect(Digest.sha256(bytes).hexadecimal == sha256)
    #expect(Digest.sha512(bytes).hexadecimal == sha512)
  }

  @Test("Any pieces of the bytes give the same digest", arguments: UInt64(1)...20)
  func pieces(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
      UInt8.random(in: .min ... .max, using: &random)
    }
    var hash = SHA256Hash()
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(Int.random(in: 0...70, using: &random)))
      hash.update(piece.span.bytes)
      rest = rest.dropFirst(piece.count)
    }
    let digest = withUnsafeBytes(of: hash.finish()) { Array($0) }
    #expect(digest == Digest.sha256(bytes), "seed \(seed)")
  }
}
