import Crypto

/// A SHA-256 value, 32 bytes in place: of a pack of records and all before it, or of an entry of
/// the meta data.
package struct LogDigest: Hashable, Sendable, BitwiseCopyable {
  /// How many bytes it has.
  static let size = 32

  // Laid out as they are stored.
  private let a: UInt64
  private let b: UInt64
  private let c: UInt64
  private let d: UInt64

  /// The digest of bytes. Complexity: linear in them.
  package init(of bytes: RawSpan) {
    self.init { $0.update(bytes) }
  }

  /// The digest of all that `feed` hands to the hash, one after the other.
  init(_ feed: (inout SHA256) -> Void) {
    var hash = SHA256()
    feed(&hash)
    self = hash.finalize().withUnsafeBytes { LogDigest(stored: $0.bytes) }
  }

  /// From the first 32 of these bytes; the caller has made sure that they are there.
  init(stored bytes: RawSpan) {
    // Any bytes are a digest, and that they are there is checked.
    self = bytes.unsafeLoadUnaligned(as: LogDigest.self)
  }

  /// The 32 bytes, with nothing between them.
  package var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }
}

extension SHA256 {
  /// Feeds in bytes, which the hash is done with when this returns.
  mutating func update(_ bytes: RawSpan) {
    bytes.withUnsafeBytes { update(bufferPointer: $0) }
  }

  /// Feeds in the bytes of a digest.
  mutating func update(_ digest: LogDigest) {
    withUnsafeBytes(of: digest) { update(bufferPointer: $0) }
  }
}

extension LogDigest: CustomStringConvertible {
  /// 64 hexadecimal digits in lower case.
  package var description: String {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }
}
