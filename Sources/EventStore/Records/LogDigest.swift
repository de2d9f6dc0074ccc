import Crypto

/// A SHA-256 value, 32 bytes in place: of a pack of records and all before it, or of an entry of
/// the meta data.
package struct LogDigest: Hashable, Sendable {
  /// How many bytes it has.
  static let size = 32

  // Laid out as they are stored.
  private let a: UInt64
  private let b: UInt64
  private let c: UInt64
  private let d: UInt64

  /// The digest of bytes. Complexity: linear in them.
  package init(of bytes: RawSpan) {
    self = bytes.withUnsafeBytes { LogDigest(of: $0) }
  }

  init(of bytes: UnsafeRawBufferPointer) {
    self.init { $0.update(bufferPointer: bytes) }
  }

  /// The digest of all that `feed` hands to the hash, one after the other.
  init(_ feed: (inout SHA256) -> Void) {
    var hash = SHA256()
    feed(&hash)
    self = hash.finalize().withUnsafeBytes { LogDigest(stored: $0) }
  }

  /// From the first 32 of these bytes; the caller has made sure that they are there.
  init(stored bytes: UnsafeRawBufferPointer) {
    a = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
    b = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    c = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
    d = bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
  }

  /// The 32 bytes.
  package var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }
}

extension LogDigest: CustomStringConvertible {
  /// 64 hexadecimal digits in lower case.
  package var description: String {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }
}
