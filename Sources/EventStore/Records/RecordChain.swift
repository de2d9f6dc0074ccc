import Crypto

/// The chain of SHA-256 digests that runs through a log.
///
/// `digest(n) = SHA-256(digest(n-1) || header(n) || bytes(n))`, where the header is the one that
/// `LogFormat` writes, and `digest(0)` is the SHA-256 of the format's label. So the digest of the
/// last record vouches for every byte, time, direction and kind before it, and for their order.
package enum RecordChain {
  /// What the chain starts from: the digest before the first record.
  package static let start = LogDigest(of: Array(LogFormat.chainLabel.utf8).span.bytes)

  /// The digest that a record has after another one.
  ///
  /// Pure. The header's own `sequence` and `digest` play no part. Complexity: linear in the bytes.
  package static func digest(
    after previous: LogDigest, header: RecordHeader, bytes: RawSpan
  ) -> LogDigest {
    withUnsafeTemporaryAllocation(
      byteCount: LogFormat.chainedHeaderBytes, alignment: 1
    ) { space in
      LogFormat.writeChained(header, to: space)
      return bytes.withUnsafeBytes {
        digest(after: previous, header: UnsafeRawBufferPointer(space), bytes: $0)
      }
    }
  }

  /// The same over a header that is already written down.
  static func digest(
    after previous: LogDigest, header: UnsafeRawBufferPointer, bytes: UnsafeRawBufferPointer
  ) -> LogDigest {
    LogDigest { hash in
      withUnsafeBytes(of: previous) { hash.update(bufferPointer: $0) }
      hash.update(bufferPointer: header)
      hash.update(bufferPointer: bytes)
    }
  }
}
