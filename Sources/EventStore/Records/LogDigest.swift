import Crypto

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
  init(_ feed: (inout SHA256) -> Void) {
    var hash = SHA256()
    feed(&hash)
    self = hash.finalize().withUnsafeBytes { LogDigest(stored: $0.bytes) }
  }

  /// Reads a digest from the first 32 bytes, which must exist.
  init(stored bytes: RawSpan) {
    // Any 32 bytes are a valid digest, and the load checks its bounds.
    self = bytes.unsafeLoadUnaligned(as: LogDigest.self)
  }

  /// The 32 bytes, in their stored order.
  package var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }
}

extension SHA256 {
  /// Adds bytes, which the hash does not keep.
  mutating func update(_ bytes: RawSpan) {
    bytes.withUnsafeBytes { update(bufferPointer: $0) }
  }

  /// Adds the bytes of a digest.
  mutating func update(_ digest: LogDigest) {
    withUnsafeBytes(of: digest) { update(bufferPointer: $0) }
  }
}

extension LogDigest: CustomStringConvertible {
  /// 64 lowercase hexadecimal digits.
  package var description: String {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }
}
