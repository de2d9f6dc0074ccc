import CXXHash
import RawBytes

/// A 128-bit XXH3 checksum, for derived data and to recognize a capture.
///
/// It detects damage as reliably as SHA-256, at a tenth of the cost. It does not protect against
/// forgery, and need not: an attacker who can write to a log can write any checksum, and only one
/// author can make two captures with equal checksums. The chain over the records, which other
/// people compare, uses `LogDigest`.
package struct Checksum: Hashable, Sendable, BitwiseCopyable {
  /// Its size in bytes.
  static let size = 16

  // In memory as in the file.
  private let low: UInt64
  private let high: UInt64

  /// The checksum of bytes. Complexity: linear in them.
  ///
  /// - Parameter seed: Distinguishes equal bytes with different purposes.
  package init(of bytes: RawSpan, seed: UInt64 = 0) {
    // XXH3 reads exactly these bytes and keeps no reference to them.
    let hash = bytes.withUnsafeBytes { XXH3_128bits_withSeed($0.baseAddress, $0.count, seed) }
    (low, high) = (hash.low64.littleEndian, hash.high64.littleEndian)
  }

  /// Reads a checksum from 16 bytes at an offset, which must exist.
  init(stored bytes: RawSpan, at offset: Int = 0) {
    // Any 16 bytes are a valid checksum, and the load checks its bounds.
    self = bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Checksum.self)
  }

  /// The seed for a label and a number.
  static func seed(_ label: String, _ number: UInt64) -> UInt64 {
    label.withUTF8Bytes { bytes in
      bytes.withUnsafeBytes { XXH3_64bits_withSeed($0.baseAddress, $0.count, number) }
    }
  }

  /// The first eight bytes, enough to distinguish values that are not forged.
  package var prefix: UInt64 { UInt64(littleEndian: low) }
}

extension Checksum: CustomStringConvertible {
  /// 32 hexadecimal digits: the upper half, then the lower half.
  package var description: String {
    [high, low].map { half in
      let digits = String(UInt64(littleEndian: half), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

/// A checksum of bytes that arrive in pieces: the checksum of the checksums of their blocks.
package struct RunningChecksum: Sendable {
  /// The size of a block in bytes; the last block is smaller.
  private static let blockBytes = 64 << 10

  /// The checksums of the complete blocks.
  private var blocks: [UInt8] = []
  /// The bytes of the incomplete block.
  private var rest: [UInt8] = []

  /// A checksum of no bytes yet.
  package init() {}

  /// Adds the next bytes. Complexity: linear in their number.
  package mutating func update(_ bytes: RawSpan) {
    var start = 0
    while rest.count + bytes.byteCount - start >= Self.blockBytes {
      let end = start + Self.blockBytes - rest.count
      let piece = bytes[start..<end]
      start = end
      if rest.isEmpty {
        append(Checksum(of: piece))
      } else {
        rest.append(bytes: piece)
        append(Checksum(of: rest.span.bytes))
        rest.removeAll(keepingCapacity: true)
      }
    }
    rest.append(bytes: bytes[start..<bytes.byteCount])
  }

  private mutating func append(_ block: Checksum) {
    blocks.append(atMost: Checksum.size) { space in
      space.storeBytes(of: block, as: Checksum.self)
      return Checksum.size
    }
  }

  /// The checksum of the bytes so far; more can follow. Complexity: linear in the blocks.
  package var checksum: Checksum {
    var all = self
    all.append(Checksum(of: rest.span.bytes))
    return Checksum(of: all.blocks.span.bytes)
  }
}
