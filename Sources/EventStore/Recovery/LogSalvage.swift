import RawBytes

/// A record that was read without LMDB.
package struct SalvagedRecord: Sendable {
  /// The header, with the record's original number and times.
  package let header: RecordHeader
  package let bytes: [UInt8]
  /// Whether the chain of digests vouches for the record.
  ///
  /// It does not if the pack before it is lost or its own pack has changed.
  package let isProven: Bool
}

/// Reads the records of a damaged log, without LMDB and without trusting the tree of pages.
///
/// Every page that looks like a leaf page with packs of records is read, even one that is no longer
/// in use (`RecordPlaces`). The chain of digests distinguishes packs from other data. If a pack has
/// changed, any of its records may be the changed one; the caller decides which ones are kept.
///
/// No process may be writing the log. Memory: some 32 bytes for each pack.
package final class LogSalvage {
  /// A pack found in the file.
  private struct Candidate {
    let first: UInt64
    let value: [UInt8]
    let isInTree: Bool
    let last: UInt64
    /// The stored digest.
    let digest: LogDigest

    /// Nil if the bytes cannot be a pack.
    init?(_ value: [UInt8], _ place: RecordPlaces.Place) {
      guard let pack = try? RecordPack(value.span.bytes, first: place.first) else { return nil }
      (last, digest) = (pack.sequences.upperBound, pack.digest)
      (first, self.value, isInTree) = (place.first, value, place.isInTree)
    }

    private var pack: RecordPack {
      @_lifetime(borrow self)
      get throws(EventLogError) { try RecordPack(value.span.bytes, first: first) }
    }

    func record(at sequence: UInt64, isProven: Bool) throws(EventLogError) -> SalvagedRecord {
      let record = try pack.record(at: sequence)
      return SalvagedRecord(
        header: record.header, bytes: [UInt8](record.bytes), isProven: isProven)
    }

    /// Computes the digest of its bytes after another digest; nil if it is not a pack.
    func digest(after previous: LogDigest) -> LogDigest? {
      (try? pack)?.digest(after: previous)
    }
  }

  private let places: RecordPlaces
  private let isReadable: (RecordHeader, [UInt8]) -> Bool

  /// The log's account, if its entry is undamaged.
  package let account: String?
  /// The log's imports, as far as their entries are undamaged.
  package let imports: [ImportedSource]
  /// The names of the log's connections, as far as their entries are undamaged.
  package let connections: [UInt32: String]
  /// Whether the log had no other entries.
  package let notesAreWhole: Bool

  /// Scans the file once.
  ///
  /// - Parameters:
  ///   - further: The names of the databases of the log's owner.
  ///   - isReadable: Called with each record of a pack that has changed; the record is kept if this
  ///     returns true.
  /// - Throws: `EventLogError` if the file cannot be read or the log is in use.
  package init(
    _ path: String, further: [String] = [],
    keeping isReadable: @escaping (RecordHeader, [UInt8]) -> Bool
  ) throws(EventLogError) {
    try MetaPageCheck.checkIsFile(path)
    guard !Registry.hasOpen(path), try !FileSystem.isLocked(path + "-lock") else {
      throw .inUse(path: path)
    }
    let check = PageCheck(try PageFile(path), knowing: further)
    try check.run()
    try check.requireOwner(path, knowing: further)
    let meta = MetaCheck(entries: check.meta)
    account = meta.account
    imports = meta.imports
    connections = meta.connections
    let database = PageCheck.metaDatabase
    // If the newer meta page is damaged, the entries may be those of the transaction before.
    notesAreWhole =
      meta.damage.isEmpty && check.roots[database] != nil
      && !check.damage.contains { [database, PageCheck.metaPages].contains($0.database) }
    places = try RecordPlaces(check)
    self.isReadable = isReadable
  }

  // MARK: Candidates

  /// The possible packs that begin with a record, at most a few, those in the tree first.
  private func candidates(from first: UInt64) throws(EventLogError) -> [Candidate] {
    try candidates(places.group(from: first)).filter { $0.first == first }
  }

  private func candidates(_ group: Range<Int>) throws(EventLogError) -> [Candidate] {
    var found: [Candidate] = []
    for place in places.all[group].prefix(16) {
      guard let value = try places.value(at: place), let candidate = Candidate(value, place) else {
        continue
      }
      found.append(candidate)
    }
    return found
  }

  // MARK: Proving packs

  /// Passes every record that can be kept to `body`, in order.
  ///
  /// A pack is proven if its digest follows from the digest before it, or if the next pack's digest
  /// follows from its bytes. If the pack before it is lost together with its digest, a pack is kept
  /// without proof if it is in the tree of records or the next pack confirms its digest.
  package func forEachRecord(_ body: (SalvagedRecord) throws -> Void) throws -> SalvageSummary {
    var summary = SalvageSummary()
    // The digests that the next pack may follow.
    var previous: Set<LogDigest> = [RecordChain.start]
    var expected: UInt64 = 1
    // The end of the log is known only if its last pack can be read.
    var isLastRead = places.head == 0
    while true {
      let group = places.group(from: expected)
      guard let first = places.all[group].first?.first else { break }
      if first > expected {
        summary.lose(expected...first - 1)
        previous = []
      }
      let found = try candidates(group)
      let proven = try prove(found, after: previous)
      let kept = try proven?.pack ?? unproven(found)
      if let kept {
        if kept.first == places.head { isLastRead = true }
        try hand(over: kept, isProven: proven != nil, &summary, body)
      } else {
        summary.lose(first...first)
      }
      previous = Set(found.map(\.digest))
      if let proven { previous.insert(proven.digest) }
      expected = (kept?.last ?? first) + 1
    }
    if let head = places.head, head >= expected { summary.lose(expected...head) }
    summary.end(at: places.head)
    summary.endIsKnown = places.isComplete && isLastRead
    return summary
  }

  private func hand(
    over pack: Candidate, isProven: Bool, _ summary: inout SalvageSummary,
    _ body: (SalvagedRecord) throws -> Void
  ) throws {
    for sequence in pack.first...pack.last {
      let found = try? pack.record(at: sequence, isProven: isProven)
      guard let found, isProven || isReadable(found.header, found.bytes) else {
        summary.lose(sequence...sequence)
        continue
      }
      summary.keep(sequence, isProven: isProven)
      try body(found)
    }
    summary.last = pack.last
  }

  private func prove(
    _ candidates: [Candidate], after previous: Set<LogDigest>
  ) throws(EventLogError) -> (pack: Candidate, digest: LogDigest)? {
    var chained: [(pack: Candidate, digest: LogDigest)] = []
    for pack in candidates {
      chained += previous.compactMap { pack.digest(after: $0) }.map { (pack, $0) }
    }
    if let match = chained.first(where: { $0.pack.digest == $0.digest }) { return match }
    // The damage may be in the stored digest itself.
    for (pack, digest) in chained where try confirms(digest, after: pack) { return (pack, digest) }
    return nil
  }

  private func unproven(_ candidates: [Candidate]) throws(EventLogError) -> Candidate? {
    for pack in candidates where try confirms(pack.digest, after: pack) { return pack }
    return candidates.first { $0.isInTree }
  }

  /// Whether the pack after `pack` follows from this digest.
  private func confirms(
    _ digest: LogDigest, after pack: Candidate
  ) throws(EventLogError) -> Bool {
    try candidates(from: pack.last + 1).contains { $0.digest(after: digest) == $0.digest }
  }
}
