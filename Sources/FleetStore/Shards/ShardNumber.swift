import EventStore
import RawBytes
package import XMPPStanza

/// The number of a shard, which follows from an account's address alone: it never changes, and
/// every program finds the same one.
package struct ShardNumber: Hashable, Comparable, Sendable {
  /// The number of shards, fixed for good.
  package static let count = 256

  package let value: UInt8

  package init(_ value: UInt8) { self.value = value }

  /// The shard of an account: the first byte of the SHA-256 digest of its prepared bare address.
  package init(of account: BareJID) {
    value = account.text.withUTF8Bytes { LogDigest(of: $0).bytes[0] }
  }

  package static var all: [ShardNumber] { (0..<count).map { ShardNumber(UInt8($0)) } }

  package static func < (a: ShardNumber, b: ShardNumber) -> Bool { a.value < b.value }

  /// The name of the shard's file.
  package var fileName: String {
    let digits = String(value)
    return "shard-" + String(repeating: "0", count: 3 - digits.count) + digits
  }
}
