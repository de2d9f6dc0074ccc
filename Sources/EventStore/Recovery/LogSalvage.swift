import RawBytes

/// A record that was read without LMDB.
package struct SalvagedRecord: Sendable {
  /// Its number and times are those that it had.
  package let header: RecordHeader
  package let bytes: [UInt8]
  /// Whether the chain of digests vouches for it. It does not where the pack before it is lost, or
  /// where something in its own pack is not what was written.
  package let isProven: Bool
}

/// Reads the records of a log whose file is damaged, without LMDB and without trusting the tree
/// that leads to them.
///
/// Every page that looks like one with packs of records is read, also those that belong to nothing
/// any more (`RecordPlaces`). What tells a pack from anything else is the chain of digests. Of a
/// pack that has changed nobody can say which of its records did: those are kept that the caller
/// can read.
///
/// Nobody may be writing the log meanwhile. Memory: some 32 bytes for each pack.
package final class LogSalvage {
  /// A pack as the file has it.
  private struct Candidate {
    let first: UInt64
    let value: [UInt8]
    let isInTree: Bool
    let last: UInt64
    /// The digest that is stored with it.
    let digest: LogDigest

    /// Nil where the bytes do not look like a pack.
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

    /// The digest that its bytes have after another pack; nil where it is no pack.
    func digest(after previous: LogDigest) -> LogDigest? {
      (try? pack)?.digest(after: previous)
    }
  }

  private let places: RecordPlaces
  private let isReadable: (RecordHeader, [UInt8]) -> Bool

  /// What the log says of its account, imports and connections, as far as it can be read and is
  /// what was written.
  package let account: String?
  package let imports: [ImportedSource]
  package let connections: [UInt32: String]
  /// Whether that is all that the log said.
  package let notesAreWhole: Bool

  /// Goes over the file once.
  ///
  /// - Parameter isReadable: Asked of each record of a pack that has changed: whether it looks like
  ///   what it was, so that it is kept.
  /// - Throws: `EventLogError` where the file cannot be read, or somebody is using the log.
  package init(
    _ path: String, keeping isReadable: @escaping (RecordHeader, [UInt8]) -> Bool
  ) throws(EventLogError) {
    try MetaPageCheck.checkIsFile(path)
    guard !Registry.hasOpen(path), try !FileSystem.isLocked(path + "-lock") else {
      throw .inUse(path: path)
    }
    let check = PageCheck(try PageFile(path))
    try check.run()
    let meta = MetaCheck(entries: check.meta)
    account = meta.account
    imports = meta.imports
    connections = meta.connections
    let database = PageCheck.notes
    // Where the newer meta page cannot be read, these are the notes of the transaction before.
    notesAreWhole =
      meta.damage.isEmpty && check.roots[database] != nil
      && !check.damage.contains { [database, PageCheck.metaPages].contains($0.database) }
    places = try RecordPlaces(check)
    self.isReadable = isReadable
  }

  // MARK: Candidates

  /// What may be the pack that begins with a record: at most a few, those of the tree first.
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

  // MARK: Telling packs from others

  /// Hands every record that can be kept to `body`, in order.
  ///
  /// A pack is proven where its digest follows from the one before it, or the next one's does from
  /// its bytes. Where the one before is lost, and its digest with it, a pack is kept all the same
  /// if it is where the log has its packs or the next one confirms its digest.
  package func forEachRecord(_ body: (SalvagedRecord) throws -> Void) throws -> SalvageSummary {
    var summary = SalvageSummary()
    // The digests that the next pack's may follow from.
    var previous: Set<LogDigest> = [RecordChain.start]
    var expected: UInt64 = 1
    // Where the last pack cannot be read, nobody can say how many records it had.
    var isLastRead = places.head == 0
    while true {
      let group = places.group(from: expected)
      guard let first = places.all[group].first?.first else { break }
      if first > expected {
        summary.lose(expected...first - 1)
        previous = []
      }
      let here = try candidates(group)
      let proven = try prove(here, after: previous)
      let kept = try proven?.pack ?? unproven(here)
      if let kept {
        if kept.first == places.head { isLastRead = true }
        try hand(over: kept, isProven: proven != nil, &summary, body)
      } else {
        summary.lose(first...first)
      }
      previous = Set(here.map(\.digest))
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
    _ here: [Candidate], after previous: Set<LogDigest>
  ) throws(EventLogError) -> (pack: Candidate, digest: LogDigest)? {
    var chained: [(pack: Candidate, digest: LogDigest)] = []
    for pack in here {
      chained += previous.compactMap { pack.digest(after: $0) }.map { (pack, $0) }
    }
    if let right = chained.first(where: { $0.pack.digest == $0.digest }) { return right }
    // Its own digest may be what is damaged.
    for (pack, digest) in chained where try confirms(digest, after: pack) { return (pack, digest) }
    return nil
  }

  private func unproven(_ here: [Candidate]) throws(EventLogError) -> Candidate? {
    for pack in here where try confirms(pack.digest, after: pack) { return pack }
    return here.first { $0.isInTree }
  }

  /// Whether the pack after one says that this is its digest.
  private func confirms(
    _ digest: LogDigest, after pack: Candidate
  ) throws(EventLogError) -> Bool {
    try candidates(from: pack.last + 1).contains { $0.digest(after: digest) == $0.digest }
  }
}
