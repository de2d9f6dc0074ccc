import CXXHash

/// What vouches for bytes that are derived: XXH3 of 128 bits, 16 bytes in place.
///
/// It finds damage as surely as SHA-256 does, at a tenth of the cost. Against those who mean to
/// deceive neither helps: whoever can write to a file can write any checksum. What is compared with
/// elsewhere, the chain over the records, is of `LogDigest`.
package struct Checksum: Hashable, Sendable {
  /// How many bytes it has.
  static let size = 16

  // Laid out as they are stored.
  private let low: UInt64
  private let high: UInt64

  /// The checksum of bytes. Complexity: linear in them.
  package init(of bytes: RawSpan) {
    self = bytes.withUnsafeBytes { Checksum(of: $0) }
  }

  /// - Parameter seed: What tells these bytes from others, which may be the same.
  init(of bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) {
    let hash = XXH3_128bits_withSeed(bytes.baseAddress, bytes.count, seed)
    (low, high) = (hash.low64.littleEndian, hash.high64.littleEndian)
  }

  /// From the first 16 of these bytes; the caller has made sure that they are there.
  init(stored bytes: UnsafeRawBufferPointer) {
    low = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
    high = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
  }

  /// The seed of what a label and a number say.
  static func seed(_ label: String, _ number: UInt64) -> UInt64 {
    var label = label
    return label.withUTF8 { XXH3_64bits_withSeed($0.baseAddress, $0.count, number) }
  }

  /// The first eight bytes: enough to tell apart what nobody means to be alike.
  package var prefix: UInt64 { UInt64(littleEndian: low) }
}
