import Crypto

/// A link of the chain of SHA-256 digests that runs through a log.
///
/// `digest(n) = SHA-256(digest(n-1) || header(n) || bytes(n))`, where the header is the one that
/// `LogFormat` writes, and `digest(0)` is the SHA-256 of the format's label. So the digest of the
/// last record vouches for every byte, time, direction and kind before it, and for their order.
package struct RecordDigest: Hashable, Sendable {
  private let value: SHA256Value

  /// What the chain starts from: the digest before the first record.
  package static let start = RecordDigest(
    value: SHA256Value(SHA256.hash(data: Array(LogFormat.chainLabel.utf8))))

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
    return RecordDigest(value: SHA256Value(hash.finalize()))
  }

  /// The same over the three in one piece.
  init(ofChained bytes: UnsafeRawBufferPointer) {
    var hash = SHA256()
    hash.update(bufferPointer: bytes)
    value = SHA256Value(hash.finalize())
  }

  private init(value: SHA256Value) {
    self.value = value
  }

  /// From the first 32 of these bytes, of which there must be as many.
  init(stored bytes: UnsafeRawBufferPointer) {
    value = SHA256Value(stored: bytes)
  }

  /// The 32 bytes.
  package var bytes: [UInt8] { value.bytes }
}

extension RecordDigest: CustomStringConvertible {
  /// 64 hexadecimal digits in lower case.
  package var description: String { value.description }
}
