import Digests

/// The chain of SHA-256 digests that runs through a log.
///
/// `digest(n) = SHA-256(digest(n-1) || pack(n))`, where `pack(n)` is the stored pack without its
/// digest (`RecordPack` has the layout), and `digest(0)` is the SHA-256 of the format's label. So
/// the digest of the last pack vouches for every byte, time, direction and kind of all records, and
/// for their order.
package enum RecordChain {
  /// The start of the chain: the digest before the first pack.
  package static let start = LogDigest(of: Array(LogFormat.chainLabel.utf8).span.bytes)

  /// The digest of a pack, given without its stored digest, after another digest.
  static func digest(after previous: LogDigest, _ pack: RawSpan) -> LogDigest {
    LogDigest { hash in
      hash.update(previous)
      hash.update(pack)
    }
  }
}
