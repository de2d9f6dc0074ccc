/// A record that was read without LMDB.
package struct SalvagedRecord: Sendable {
  /// Its number and times are those that it had.
  package let header: RecordHeader
  package let bytes: [UInt8]
  /// Whether the chain of digests vouches for it. It does not where the record before it is lost.
  package let isProven: Bool
}

/// Reads the records of a log whose file is damaged, without LMDB and without trusting the tree
/// that leads to them.
///
/// Every page that looks like one with records is read, also those that belong to nothing any more
/// (`RecordPlaces`). What tells a record from anything else is the chain of digests.
///
/// Nobody may be writing the log meanwhile. Memory: some 32 bytes for each record.
package final class LogSalvage {
  /// A record as the file has it.
  private struct Candidate {
    var header: RecordHeader
    var chained: [UInt8]
    var bytes: [UInt8]
    var isInTree: Bool

    func digest(after previous: LogDigest) -> LogDigest {
      chained.withUnsafeBytes { chained in
        bytes.withUnsafeBytes { RecordChain.digest(after: previous, header: chained, bytes: $0) }
      }
    }
  }

  private let places: RecordPlaces

  /// What the log says of its account and imports, as far as it can be read and is what was
  /// written.
  package let account: String?
  package let imports: [ImportedSource]

  /// Goes over the file once.
  ///
  /// - Throws: `EventLogError` where the file cannot be read, or somebody is using the log.
  package init(_ path: String) throws(EventLogError) {
    try MetaPageCheck.checkIsFile(path)
    guard !Registry.hasOpen(path), !FileSystem.isLocked(path + "-lock") else {
      throw .inUse(path: path)
    }
    let check = PageCheck(try PageFile(path))
    try check.run()
    let meta = MetaCheck(entries: check.meta)
    account = meta.account
    imports = meta.imports
    places = try RecordPlaces(check)
  }

  // MARK: Candidates

  /// What may be the record of these places: at most a few, those of the tree first.
  private func candidates(_ group: Range<Int>) throws(EventLogError) -> [Candidate] {
    var found: [Candidate] = []
    for place in places.all[group].prefix(16) {
      if let candidate = try candidate(place) { found.append(candidate) }
    }
    return found
  }

  private func candidate(_ place: RecordPlaces.Place) throws(EventLogError) -> Candidate? {
    guard let value = try places.value(at: place) else { return nil }
    let header = try? value.withRawBytes { (value) throws(EventLogError) in
      try LogFormat.readHeader(value, sequence: place.sequence)
    }
    guard let header else { return nil }
    return Candidate(
      header: header, chained: Array(value[..<LogFormat.chainedHeaderBytes]),
      bytes: Array(value[LogFormat.recordHeaderBytes...]), isInTree: place.isInTree)
  }

  // MARK: Telling records from others

  /// Hands every record that can be kept to `body`, in order.
  ///
  /// A record is proven where its digest follows from the one before it, or the next one's does
  /// from its bytes. Where the one before is lost, and its digest with it, a record is kept all the
  /// same if it is where the log has its records or the next one confirms its digest.
  package func forEachRecord(_ body: (SalvagedRecord) throws -> Void) throws -> SalvageSummary {
    var summary = SalvageSummary()
    // The digests that the next record's may follow from, and whether one of them is right.
    var previous: Set<LogDigest> = [RecordChain.start]
    var isSure = true
    var expected: UInt64 = 1
    var group = places.group(at: 0)
    var next: [Candidate] = []
    while let sequence = places.all[group].first?.sequence {
      if sequence > expected {
        summary.lose(expected...sequence - 1)
        previous = []
        isSure = false
      }
      let here = next.isEmpty ? try candidates(group) : next
      group = places.group(at: group.upperBound)
      next = places.all[group].first?.sequence == sequence + 1 ? try candidates(group) : []
      let proven = prove(here, after: previous, before: next)
      let kept = proven?.record ?? (isSure ? nil : unproven(here, before: next))
      if let kept {
        summary.keep(sequence, isProven: proven != nil)
        try body(
          SalvagedRecord(header: kept.header, bytes: kept.bytes, isProven: proven != nil))
      } else {
        summary.lose(sequence...sequence)
      }
      if kept != nil || here.contains(where: \.isInTree) { summary.last = sequence }
      previous = Set(here.map(\.header.digest))
      if let proven { previous.insert(proven.digest) }
      isSure = kept != nil
      expected = sequence + 1
    }
    if let head = places.head, head >= expected { summary.lose(expected...head) }
    summary.end(at: places.head)
    summary.endIsKnown = places.isComplete
    return summary
  }

  private func prove(
    _ here: [Candidate], after previous: Set<LogDigest>, before next: [Candidate]
  ) -> (record: Candidate, digest: LogDigest)? {
    var chained: [(record: Candidate, digest: LogDigest)] = []
    for candidate in here {
      for digest in previous { chained.append((candidate, candidate.digest(after: digest))) }
    }
    // Its own digest may be what is damaged.
    return chained.first { $0.record.header.digest == $0.digest }
      ?? chained.first { confirms($0.digest, next) }
  }

  private func unproven(_ here: [Candidate], before next: [Candidate]) -> Candidate? {
    here.first { confirms($0.header.digest, next) } ?? here.first { $0.isInTree }
  }

  private func confirms(_ digest: LogDigest, _ next: [Candidate]) -> Bool {
    next.contains { $0.digest(after: digest) == $0.header.digest }
  }
}
