#if canImport(CryptoKit)
  import CryptoKit
#else
  import CNettle
#endif

// Digests as CryptoKit computes them on Apple's systems, and nettle elsewhere. Both use the
// processor's instructions for them.

/// A SHA-256 hash that bytes are added to (FIPS 180-4).
package struct SHA256Hash {
  /// A digest in memory order.
  package typealias Digest = (UInt64, UInt64, UInt64, UInt64)

  #if canImport(CryptoKit)
    private var hash = SHA256()

    /// The hash of no bytes.
    package init() {}

    /// Adds bytes, which are not kept. Complexity: linear in them.
    package mutating func update(_ bytes: RawSpan) {
      bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
    }

    /// The digest of everything that was added. The hash must not be used again.
    package mutating func finish() -> Digest {
      hash.finalize().withUnsafeBytes { $0.loadUnaligned(as: Digest.self) }
    }
  #else
    private var context = sha256_ctx()

    /// The hash of no bytes.
    package init() { nettle_sha256_init(&context) }

    /// Adds bytes, which are not kept. Complexity: linear in them.
    package mutating func update(_ bytes: RawSpan) {
      bytes.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        nettle_sha256_update(&context, bytes.count, start.assumingMemoryBound(to: UInt8.self))
      }
    }

    /// The digest of everything that was added. The hash must not be used again.
    package mutating func finish() -> Digest {
      var digest: Digest = (0, 0, 0, 0)
      withUnsafeMutableBytes(of: &digest) { bytes in
        guard let start = bytes.baseAddress else { return }
        nettle_sha256_digest(&context, bytes.count, start.assumingMemoryBound(to: UInt8.self))
      }
      return digest
    }
  #endif
}

/// Digests of bytes that are all in memory.
package enum Digest {
  /// The 32 bytes of the SHA-256 digest. Complexity: linear in the bytes.
  package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var hash = SHA256Hash()
    hash.update(bytes.span.bytes)
    return withUnsafeBytes(of: hash.finish()) { Array($0) }
  }

  #if canImport(CryptoKit)
    /// The 20 bytes of the SHA-1 digest. It protects nothing; specifications name pictures by it.
    ///
    /// Complexity: linear in the bytes.
    package static func sha1(_ bytes: [UInt8]) -> [UInt8] {
      Array(Insecure.SHA1.hash(data: bytes))
    }

    /// The 64 bytes of the SHA-512 digest. Complexity: linear in the bytes.
    package static func sha512(_ bytes: [UInt8]) -> [UInt8] { Array(SHA512.hash(data: bytes)) }
  #else
    /// The 20 bytes of the SHA-1 digest. It protects nothing; specifications name pictures by it.
    ///
    /// Complexity: linear in the bytes.
    package static func sha1(_ bytes: [UInt8]) -> [UInt8] {
      var context = sha1_ctx()
      var digest = [UInt8](repeating: 0, count: Int(SHA1_DIGEST_SIZE))
      nettle_sha1_init(&context)
      nettle_sha1_update(&context, bytes.count, bytes)
      nettle_sha1_digest(&context, digest.count, &digest)
      return digest
    }

    /// The 64 bytes of the SHA-512 digest. Complexity: linear in the bytes.
    package static func sha512(_ bytes: [UInt8]) -> [UInt8] {
      var context = sha512_ctx()
      var digest = [UInt8](repeating: 0, count: Int(SHA512_DIGEST_SIZE))
      nettle_sha512_init(&context)
      nettle_sha512_update(&context, bytes.count, bytes)
      nettle_sha512_digest(&context, digest.count, &digest)
      return digest
    }
  #endif
}

extension Sequence<UInt8> {
  /// The bytes as lowercase hexadecimal digits, two for each. Complexity: linear in the bytes.
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    let text = flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }
}
