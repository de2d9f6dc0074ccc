import RawBytes
package import Rollcall

/// One account's end of a pair, small enough that hundreds of millions can be sorted.
///
/// The pair is known by a hash of both addresses with a random seed: two pairs with one hash are
/// too rare to matter, and what is reported is looked up by the addresses.
package struct PairEntry: Hashable, Sendable {
  /// The hash of both addresses, in either order.
  package var high: UInt64
  package var low: UInt64
  package var shard: UInt8
  package var account: UInt32
  /// The stages of our subscription, and of the contact's.
  package var ours: PossibleStages
  package var theirs: PossibleStages
  /// Whether the account's address comes first in the order of both.
  package var isFirst: Bool
  package var isBlocked: Bool
  /// Whether it changed shortly before the end of what is recorded.
  package var isSettling: Bool

  package init(
    high: UInt64, low: UInt64, shard: UInt8, account: UInt32, ours: PossibleStages,
    theirs: PossibleStages, isFirst: Bool, isBlocked: Bool, isSettling: Bool
  ) {
    (self.high, self.low, self.shard, self.account) = (high, low, shard, account)
    (self.ours, self.theirs) = (ours, theirs)
    (self.isFirst, self.isBlocked, self.isSettling) = (isFirst, isBlocked, isSettling)
  }

  /// The size of its stored form.
  package static let byteCount = 24

  package func write(to bytes: inout [UInt8]) {
    func add(_ value: some FixedWidthInteger) {
      for shift in stride(from: 0, to: value.bitWidth, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: value >> shift))
      }
    }
    add(high)
    add(low)
    add(account)
    bytes.append(shard)
    bytes.append(ours.rawValue | theirs.rawValue << 3)
    bytes.append((isFirst ? 1 : 0) | (isBlocked ? 2 : 0) | (isSettling ? 4 : 0))
    bytes.append(0)
  }

  /// Reads an entry from 24 bytes.
  package init(_ bytes: RawSpan) {
    high = bytes.littleEndian(at: 0)
    low = bytes.littleEndian(at: 8)
    account = bytes.littleEndian(at: 16)
    shard = bytes[20]
    ours = PossibleStages(rawValue: bytes[21] & 7)
    theirs = PossibleStages(rawValue: bytes[21] >> 3 & 7)
    (isFirst, isBlocked) = (bytes[22] & 1 != 0, bytes[22] & 2 != 0)
    isSettling = bytes[22] & 4 != 0
  }

  /// Whether two entries are of the same pair.
  package func isOfPair(of other: PairEntry) -> Bool { high == other.high && low == other.low }

  /// Orders by pair, the first account's entry before the other.
  package static func precedes(_ a: PairEntry, _ b: PairEntry) -> Bool {
    if a.high != b.high { return a.high < b.high }
    if a.low != b.low { return a.low < b.low }
    return a.isFirst && !b.isFirst
  }
}

/// The hashes of an address, from which those of pairs are made.
struct AddressHash: Hashable {
  let a: UInt64
  let b: UInt64

  /// - Parameter seed: Random, so that no user can choose addresses with equal hashes.
  init(_ address: RawSpan, seed: UInt64) {
    a = address.hash(from: seed)
    b = address.hash(from: ~seed)
  }

  /// The hash of a pair, which does not depend on their order.
  static func pair(_ first: AddressHash, _ second: AddressHash) -> (high: UInt64, low: UInt64) {
    // Addition and exclusive or are symmetric; mixing them keeps pairs of sums apart.
    (
      RawSpan.mixed(RawSpan.mixed(first.a) &+ RawSpan.mixed(second.a)),
      RawSpan.mixed(RawSpan.mixed(first.b) ^ RawSpan.mixed(second.b))
    )
  }
}

/// What two ends of a pair amount to, in one of the two directions.
package enum PairVerdict: Hashable, Sendable {
  case agrees
  /// The news of a change may still be on its way.
  case settling
  /// One of them blocks the other.
  case blocked
  case disagrees(SubscriptionMismatch)

  /// Compares the ends of a direction.
  ///
  /// - Parameters:
  ///   - subscriber: The entry of the account that sees the presence of the other, or asks to.
  ///   - owner: The entry of the other.
  package init(subscriber: PairEntry, owner: PairEntry) {
    guard let mismatch = SubscriptionMismatch(subscriber: subscriber.ours, owner: owner.theirs)
    else {
      self = .agrees
      return
    }
    if subscriber.isBlocked || owner.isBlocked {
      self = .blocked
    } else if subscriber.isSettling || owner.isSettling {
      self = .settling
    } else {
      self = .disagrees(mismatch)
    }
  }
}
