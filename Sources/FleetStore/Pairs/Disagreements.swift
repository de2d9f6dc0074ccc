import EventStore
import Foundation
import RawBytes
package import Rollcall
import RosterCore
import Synchronization
import XMPPStanza

/// Two ends of a subscription that cannot both be right.
package struct FoundDisagreement: Hashable, Sendable {
  package let subscriber: FoundEnd
  package let owner: FoundEnd
  package let mismatch: SubscriptionMismatch
  /// How the same ends disagree in the other direction; nil if they do not.
  package let opposite: SubscriptionMismatch?

  /// The end on a side.
  package func end(_ side: SubscriptionSide) -> FoundEnd {
    side == .subscriber ? subscriber : owner
  }
}

/// The search for disagreements over all pairs of a fleet.
package struct DisagreementSearch {
  /// What the search has counted.
  package struct Counts: Hashable, Sendable {
    package var accounts = 0
    /// The accounts whose roster is not known.
    package var unknownAccounts = 0
    /// The ends that were compared with another.
    package var pairs = 0
    /// The ends of contacts in domains of which no account is recorded.
    package var elsewhere = 0
    /// The ends of contacts in domains of the fleet which have no records or no known roster.
    package var oneSided = 0
    package var settling = 0
    package var blocked = 0
    package var disagreements = 0
    package var unreadableShards = 0
  }

  private let fleet: Fleet
  private let complain: (ShardNumber, any Error) -> Void
  private let seed: UInt64
  private let partitions = PairPartitions()
  private let cache: ShardCache
  /// The shards that cannot be read, of which `complain` was told.
  private var unreadable: Set<ShardNumber> = []
  package private(set) var counts = Counts()
  /// Entries without another end, of which it is not yet known why.
  private var alone: [PairEntry] = []
  /// What changed after this may be settling.
  private var settled: Int64?
  /// The number of them that are looked up together.
  private static let aloneAtOnce = 100_000
  /// - Parameter complain: Receives each shard that cannot be read.
  package init(_ fleet: Fleet, complain: @escaping (ShardNumber, any Error) -> Void) {
    (self.fleet, self.complain) = (fleet, complain)
    cache = ShardCache(fleet)
    seed = UInt64.random(in: .min ... .max)
  }

  /// Passes every disagreement to `found`.
  ///
  /// - Parameters:
  ///   - domain: Only pairs with an account of this domain.
  ///   - settling: The milliseconds that the news of a change may take to reach the other end.
  ///   - progress: Called now and then with a clause.
  package mutating func run(
    domain: String? = nil, settling: Int64 = EndsComparison.settling,
    progress: (String) -> Void = { _ in },
    _ found: (FoundDisagreement) throws -> Void
  ) throws {
    let domains = try self.domains()
    settled = fleet.settledEnd.map { $0.subtractingReportingOverflow(settling).partialValue }
    try collect(domains, settled: settled, progress)
    for index in 0..<PairPartitions.count {
      progress("comparing, part \(index + 1) of \(PairPartitions.count)")
      try compare(try partitions.sorted(index), domain, found)
      if alone.count >= Self.aloneAtOnce { try resolveAlone(domain, found) }
    }
    try resolveAlone(domain, found)
  }

  // MARK: Collecting

  /// The domains of all accounts.
  private mutating func domains() throws -> Set<String> {
    var domains: Set<String> = []
    try fleet.forEachShard { shard in
      try shard.log.read { transaction -> Set<String> in
        var domains: Set<String> = []
        try transaction.forEachAccount { _, row in
          domains.insert(row.account.domain)
          return true
        }
        return domains
      }
    } _: { _, result in
      // A shard that cannot be read is reported when its ends are collected.
      if case .success(let found) = result { domains.formUnion(found) }
    }
    return domains
  }

  private mutating func collect(
    _ domains: Set<String>, settled: Int64?, _ progress: (String) -> Void
  ) throws {
    let (partitions, seed) = (partitions, seed)
    var counts = Counts()
    let total = fleet.shards.count
    var done = 0
    try fleet.forEachShard { shard in
      try shard.collect(into: partitions, domains, seed: seed, settled: settled)
    } _: { number, result in
      done += 1
      progress("reading, shard \(done) of \(total)")
      switch result {
      case .success(let own):
        counts.accounts += own.accounts
        counts.unknownAccounts += own.unknownAccounts
        counts.elsewhere += own.elsewhere
      case .failure(let error):
        unreadable.insert(number)
        complain(number, error)
      }
    }
    counts.unreadableShards = unreadable.count
    self.counts = counts
  }

  // MARK: Comparing

  private mutating func compare(
    _ entries: [PairEntry], _ domain: String?, _ found: (FoundDisagreement) throws -> Void
  ) throws {
    var index = 0
    var suspects: [(PairEntry, PairEntry, [(isFirst: Bool, SubscriptionMismatch)])] = []
    while index < entries.count {
      let first = entries[index]
      guard index + 1 < entries.count, entries[index + 1].isOfPair(of: first) else {
        // If the other end may be nothing at all, there is nothing to find out.
        if !first.ours.contains(.none) || !first.theirs.contains(.none) { alone.append(first) }
        index += 1
        continue
      }
      let second = entries[index + 1]
      index += 2
      counts.pairs += 1
      let mismatches = judge(first, second)
      if !mismatches.isEmpty { suspects.append((first, second, mismatches)) }
    }
    for (first, second, mismatches) in suspects {
      guard let (a, b) = try ends(first, second), isWanted(a, b, domain) else { continue }
      for (isFirst, mismatch) in mismatches {
        counts.disagreements += 1
        try found(
          FoundDisagreement(
            subscriber: isFirst ? a : b, owner: isFirst ? b : a, mismatch: mismatch,
            opposite: mismatches.first { $0.isFirst != isFirst }?.1))
      }
    }
  }

  /// The directions that disagree; the others are counted.
  private mutating func judge(
    _ first: PairEntry, _ second: PairEntry
  ) -> [(isFirst: Bool, SubscriptionMismatch)] {
    var mismatches: [(isFirst: Bool, SubscriptionMismatch)] = []
    for isFirst in [true, false] {
      let verdict = PairVerdict(
        subscriber: isFirst ? first : second, owner: isFirst ? second : first)
      switch verdict {
      case .agrees: break
      case .settling: counts.settling += 1
      case .blocked: counts.blocked += 1
      case .disagrees(let mismatch): mismatches.append((isFirst, mismatch))
      }
    }
    return mismatches
  }

  private func isWanted(_ a: FoundEnd, _ b: FoundEnd, _ domain: String?) -> Bool {
    domain.map { a.account.domain == $0 || b.account.domain == $0 } ?? true
  }

  /// The two ends of a pair, looked up by their addresses.
  private func ends(
    _ first: PairEntry, _ second: PairEntry
  ) throws -> (FoundEnd, FoundEnd)? {
    guard let a = try cache.account(of: first), let b = try cache.account(of: second) else {
      return nil
    }
    guard let one = try cache.end(of: a, with: b), let other = try cache.end(of: b, with: a) else {
      return nil
    }
    return (one, other)
  }

  // MARK: Ends without another

  /// Finds out about entries without another end: the contact is not recorded, its roster is not
  /// known, or its roster has no trace of the account.
  private mutating func resolveAlone(
    _ domain: String?, _ found: (FoundDisagreement) throws -> Void
  ) throws {
    let entries = alone.sorted { ($0.shard, $0.account) < ($1.shard, $1.account) }
    alone = []
    for entry in entries {
      guard let (own, other) = try contact(of: entry),
        !unreadable.contains(ShardNumber(of: other))
      else {
        counts.oneSided += 1
        continue
      }
      guard let view = try cache.view(of: other), view.row.isComplete else {
        counts.oneSided += 1
        continue
      }
      counts.pairs += 1
      let facts = EndFacts(of: own.account, in: view.roster)
      // It may just have removed the other.
      let isSettling =
        entry.isSettling
        || (settled.map { settled in view.row.changed.map { $0 > settled } ?? false } ?? false)
      let second = PairEntry(
        high: entry.high, low: entry.low, shard: 0, account: view.number,
        ours: facts.ours(isComplete: true),
        theirs: facts.theirs(isComplete: true, receivesRequests: view.row.receivesRequests),
        isFirst: !entry.isFirst, isBlocked: facts.isBlocked, isSettling: isSettling)
      let mismatches = judge(entry, second)
      let end = FoundEnd(
        account: other, contact: own.account,
        row: EndRow(facts: facts, record: view.row.records, time: view.row.clock),
        isComplete: true)
      guard isWanted(own, end, domain) else { continue }
      for (isFirst, mismatch) in mismatches {
        counts.disagreements += 1
        try found(
          FoundDisagreement(
            subscriber: isFirst ? own : end, owner: isFirst ? end : own, mismatch: mismatch,
            opposite: mismatches.first { $0.isFirst != isFirst }?.1))
      }
    }
  }

  /// The end that an entry was made from, and the contact.
  private func contact(of entry: PairEntry) throws -> (FoundEnd, BareJID)? {
    let shard = try cache.open(ShardNumber(entry.shard))
    return try shard.log.read { transaction in
      let view = try transaction.view(of: entry.account)
      let own = view.row.account.text.withUTF8Bytes { AddressHash($0, seed: seed) }
      for (contact, row) in view.ends {
        let hash = contact.text.withUTF8Bytes { AddressHash($0, seed: seed) }
        guard AddressHash.pair(own, hash) == (entry.high, entry.low) else { continue }
        return (
          FoundEnd(account: view.row.account, contact: contact, row: row, isComplete: true), contact
        )
      }
      return nil
    }
  }
}

extension FleetShard {
  /// The number of entries that are collected before they are given away.
  private static let entriesAtOnce = 20_000

  /// Collects the ends of all accounts with known rosters.
  fileprivate func collect(
    into partitions: PairPartitions, _ domains: Set<String>, seed: UInt64, settled: Int64?
  ) throws -> DisagreementSearch.Counts {
    var counts = DisagreementSearch.Counts()
    return try log.read { transaction in
      // An account's number, its hash and whether requests would reach it.
      var accounts: [AccountNumber: (AddressHash, BareJID, receivesRequests: Bool)] = [:]
      try transaction.forEachAccount { number, row in
        counts.accounts += 1
        guard row.isComplete else {
          counts.unknownAccounts += 1
          return true
        }
        let hash = row.account.text.withUTF8Bytes { AddressHash($0, seed: seed) }
        accounts[number] = (hash, row.account, row.receivesRequests)
        return true
      }
      var entries: [PairEntry] = []
      var last: (bytes: [UInt8], contact: BareJID, hash: AddressHash, isOfFleet: Bool)?
      try transaction.forEachEnd { key, row in
        guard let (own, account, receivesRequests) = accounts[key.account] else { return }
        // The ends of one contact follow each other.
        let isSame = last.map { key.contact.isSame(as: $0.bytes.span.bytes) } ?? false
        if !isSame {
          let contact = try transaction.contact(key)
          last = (
            [UInt8](key.contact), contact,
            contact.text.withUTF8Bytes { AddressHash($0, seed: seed) },
            domains.contains(contact.domain)
          )
        }
        guard let (_, contact, hash, isOfFleet) = last, contact != account else { return }
        guard isOfFleet else {
          counts.elsewhere += 1
          return
        }
        let pair = AddressHash.pair(own, hash)
        entries.append(
          PairEntry(
            high: pair.high, low: pair.low, shard: number.value, account: key.account,
            ours: row.facts.ours(isComplete: true),
            theirs: row.facts.theirs(isComplete: true, receivesRequests: receivesRequests),
            isFirst: account < contact, isBlocked: row.facts.isBlocked,
            isSettling: settled.map { settled in row.time.map { $0 > settled } ?? false } ?? false))
        if entries.count >= Self.entriesAtOnce {
          try partitions.add(entries)
          entries.removeAll(keepingCapacity: true)
        }
      }
      try partitions.add(entries)
      return counts
    }
  }
}
