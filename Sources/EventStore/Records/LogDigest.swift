import Digests

/// A SHA-256 digest, either of a pack of records and all packs before it, or of an entry of `meta`.
package struct LogDigest: Hashable, Sendable, BitwiseCopyable {
  /// Its size in bytes.
  static let size = 32

  // In memory as in the file.
  private let a: UInt64
  private let b: UInt64
  private let c: UInt64
  private let d: UInt64

  /// The digest of bytes. Complexity: linear in them.
  package init(of bytes: RawSpan) {
    self.init { $0.update(bytes) }
  }

  /// The digest of everything that `feed` adds to the hash.
  init(_ feed: (inout SHA256Hash) -> Void) {
    var hash = SHA256Hash()
    feed(&hash)
    (a, b, c, d) = hash.finish()
  }

  /// Reads a digest from the first 32 bytes, which must exist.
  init(stored bytes: RawSpan) {
    // Any 32 bytes are a valid digest, and the load checks its bounds.
    self = bytes.unsafeLoadUnaligned(as: LogDigest.self)
  }

  /// The 32 bytes, in their stored order.
  package var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }
}

extension SHA256Hash {
  /// Adds the bytes of a digest.
  mutating func update(_ digest: LogDigest) {
    withUnsafeBytes(of: digest) { update($0.bytes) }
  }
}

extension LogDigest: CustomStringConvertible {
  /// 64 lowercase hexadecimal digits.
  package var description: String { bytes.hexadecimal }
}
