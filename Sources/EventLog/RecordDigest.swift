import Crypto

/// A link of the chain of SHA-256 digests that runs through a log.
///
/// `digest(n) = SHA-256(digest(n-1) || header(n) || bytes(n))`, where the header is the one that
/// `LogFormat` writes, and `digest(0)` is the SHA-256 of the format's label. So the digest of the
/// last record vouches for every byte, time, direction and kind before it, and for their order.
package struct RecordDigest: Hashable, Sendable {
  private let a: UInt64
  private let b: UInt64
  private let c: UInt64
  private let d: UInt64

  /// What the chain starts from: the digest before the first record.
  package static let start = RecordDigest(
    copying: SHA256.hash(data: Array(LogFormat.chainLabel.utf8)))

  /// The digest that a record has behind another.
  ///
  /// Pure. The header's own `sequence` and `digest` play no part. Complexity: linear in the bytes.
  package static func chain(
    after previous: RecordDigest, header: RecordHeader, bytes: RawSpan
  ) -> RecordDigest {
    withUnsafeTemporaryAllocation(
      byteCount: LogFormat.chainedHeaderBytes, alignment: 1
    ) { space in
      LogFormat.writeChained(header, to: space)
      return bytes.withUnsafeBytes {
        chain(after: previous, header: UnsafeRawBufferPointer(space), bytes: $0)
      }
    }
  }

  /// The same over a header that is already written down.
  static func chain(
    after previous: RecordDigest, header: UnsafeRawBufferPointer, bytes: UnsafeRawBufferPointer
  ) -> RecordDigest {
    var hash = SHA256()
    withUnsafeBytes(of: previous) { hash.update(bufferPointer: $0) }
    hash.update(bufferPointer: header)
    hash.update(bufferPointer: bytes)
    return RecordDigest(copying: hash.finalize())
  }

  private init(copying digest: SHA256Digest) {
    self = digest.withUnsafeBytes { RecordDigest(stored: $0) }
  }

  /// From the first 32 of these bytes, of which there must be as many.
  init(stored bytes: UnsafeRawBufferPointer) {
    a = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
    b = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    c = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
    d = bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
  }

  /// The 32 bytes.
  package var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }
}

extension RecordDigest: CustomStringConvertible {
  /// 64 hexadecimal digits in lower case.
  package var description: String {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }
}
