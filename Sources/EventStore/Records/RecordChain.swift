/// The chain of SHA-256 digests that runs through a log.
///
/// `digest(n) = SHA-256(digest(n-1) || pack(n))`, where a pack is all that is stored of its records
/// but the digest itself (`RecordPack` has the layout), and `digest(0)` is the SHA-256 of the
/// format's label. So the digest of the last pack vouches for every byte, time, direction and kind
/// before it, and for their order.
package enum RecordChain {
  /// What the chain starts from: the digest before the first pack.
  package static let start = LogDigest(of: Array(LogFormat.chainLabel.utf8).span.bytes)

  /// The digest of a pack, given without its own, after another one.
  static func digest(after previous: LogDigest, _ pack: RawSpan) -> LogDigest {
    LogDigest { hash in
      hash.update(previous)
      hash.update(pack)
    }
  }
}
