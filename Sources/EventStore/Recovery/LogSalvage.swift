/// A record that was read past LMDB.
package struct SalvagedRecord: Sendable {
  /// Its number and times are those that it had.
  package let header: RecordHeader
  package let bytes: [UInt8]
  /// Whether the chain of digests vouches for it. It does not where the record before it is lost.
  package let isProven: Bool
}

/// What came of reading a damaged log record by record.
package struct SalvageSummary: Hashable, Sendable {
  /// The last record that the log is known to have had.
  package internal(set) var last: UInt64 = 0
  /// Whether that was the log's last one: where pages that lead to records are gone, others may
  /// have come behind it.
  package internal(set) var endIsKnown = true
  /// How many records can be read, whether proven or not.
  package internal(set) var kept: UInt64 = 0
  /// The records from the first one on that are whole, one behind the other.
  package internal(set) var whole: UInt64 = 0
  /// Those that are gone or not what they were, in order; never two that touch.
  package internal(set) var lost: [ClosedRange<UInt64>] = []
  /// Those that are kept although nothing vouches for them.
  package internal(set) var unproven: [UInt64] = []

  fileprivate mutating func keep(_ sequence: UInt64, isProven: Bool) {
    kept += 1
    if isProven, whole == sequence - 1 { whole = sequence }
    if !isProven { unproven.append(sequence) }
  }

  fileprivate mutating func lose(_ range: ClosedRange<UInt64>) {
    if let before = lost.last, before.upperBound + 1 == range.lowerBound {
      lost[lost.count - 1] = before.lowerBound...range.upperBound
    } else {
      lost.append(range)
    }
  }

  /// Forgets what is behind the last record that there was: it is none.
  fileprivate mutating func end(at head: UInt64?) {
    last = max(last, head ?? 0)
    let last = last
    lost = lost.compactMap { range in
      range.lowerBound > last ? nil : range.lowerBound...min(range.upperBound, last)
    }
  }
}

/// Reads the records of a log whose file is damaged, without LMDB and without trusting the tree
/// that leads to them.
///
/// Every page that looks like one with records is read, also those that belong to nothing any more:
/// LMDB writes a changed page elsewhere, so that an older copy of it is often still there. What
/// tells a record from anything else is the chain of digests.
///
/// Nobody may be writing the log meanwhile. Memory: some 32 bytes for each record.
package final class LogSalvage {
  /// Where something lies that can be a record.
  private struct Place {
    var sequence: UInt64
    var page: UInt64
    var node: UInt16
    /// Whether the page is part of the records' tree: what is elsewhere is a copy or a stray.
    var isInTree: Bool
  }

  /// A record as the file has it.
  private struct Candidate {
    var header: RecordHeader
    var chained: [UInt8]
    var bytes: [UInt8]
    var isInTree: Bool

    func digest(after previous: RecordDigest) -> RecordDigest {
      chained.withUnsafeBytes { chained in
        bytes.withUnsafeBytes { RecordDigest.chain(after: previous, header: chained, bytes: $0) }
      }
    }
  }

  private let check: PageCheck
  private var places: [Place] = []
  private var page: Page?
  /// The last record that the log is known to have had; nil where its tree cannot be found.
  private var head: UInt64?

  /// What the log says of its account and imports, as far as it can be read and is what was
  /// written.
  package let account: String?
  package let imports: [ImportedSource]

  /// Goes over the file once.
  ///
  /// - Throws: `EventLogError` where the file cannot be read, or somebody is using the log.
  package init(_ path: String) throws(EventLogError) {
    try LogFileCheck.checkIsFile(path)
    guard !Registry.hasOpen(path), !FileSystem.isLocked(path + "-lock") else {
      throw .inUse(path: path)
    }
    check = PageCheck(try PageFile(path))
    try check.run()
    account = MetaSeal.account(in: check.meta)
    imports = MetaSeal.imports(in: check.meta)
    try collect()
  }

  // MARK: Looking for records

  private func collect() throws(EventLogError) {
    var number: UInt64 = 2
    while number < check.file.pageCount {
      guard let page = try check.file.page(number) else { break }
      number += 1
      switch page.kind {
      case .leaf: collect(page)
      case .overflow:
        // What is inside a long value is somebody's text, and may look like anything.
        let count = page.overflowCount
        if page.ownNumber == page.number, count > 0, count < check.file.pageCount {
          number += count - 1
        }
      case .branch, nil: break
      }
    }
    // Only a tree without a fault says where the log ends. Behind it there may be pages of a
    // transaction that never came to its end.
    if check.faults.isEmpty {
      let last = places.lazy.filter(\.isInTree).map(\.sequence).max() ?? 0
      places.removeAll { $0.sequence > last }
      head = last
    }
    places.sort { a, b in
      (a.sequence, a.isInTree ? 0 : 1, a.page, a.node)
        < (b.sequence, b.isInTree ? 0 : 1, b.page, b.node)
    }
  }

  private func collect(_ page: Page) {
    let isInTree = check.recordPages.contains(page.number)
    for index in 0..<(page.nodeCount ?? 0) {
      guard let node = page.node(index), !node.isDatabase, node.key.count == 8,
        node.size >= LogFormat.recordHeaderBytes,
        node.size <= LogFormat.recordHeaderBytes + LogFormat.payloadLimit
      else { continue }
      let sequence = page.bytes[node.key].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard (1...Self.mostRecords).contains(sequence) else { continue }
      places.append(
        Place(
          sequence: sequence, page: page.number, node: UInt16(truncatingIfNeeded: index),
          isInTree: isInTree))
    }
  }

  /// Beyond this a number is none of a record's.
  private static let mostRecords: UInt64 = 1 << 40

  /// The places of one number, from an index on; empty at the end.
  private func group(at start: Int) -> Range<Int> {
    var end = start
    while end < places.count, places[end].sequence == places[start].sequence { end += 1 }
    return start..<end
  }

  /// What may be the record of these places: at most a few, those of the tree first.
  private func candidates(_ group: Range<Int>) throws(EventLogError) -> [Candidate] {
    var found: [Candidate] = []
    for place in places[group].prefix(16) {
      if let candidate = try candidate(place) { found.append(candidate) }
    }
    return found
  }

  private func candidate(_ place: Place) throws(EventLogError) -> Candidate? {
    if page?.number != place.page { page = try check.file.page(place.page) }
    guard let page, let node = page.node(Int(place.node)),
      let value = try check.file.value(of: node, in: page)
    else { return nil }
    let header = try? value.withRawBytes { (value) throws(EventLogError) in
      try LogFormat.readHeader(value, sequence: place.sequence)
    }
    guard let header else { return nil }
    return Candidate(
      header: header, chained: Array(value[..<LogFormat.chainedHeaderBytes]),
      bytes: Array(value[LogFormat.recordHeaderBytes...]), isInTree: place.isInTree)
  }

  // MARK: Telling them

  /// Hands every record that can be kept to `body`, in order.
  ///
  /// A record is proven where its digest follows from the one before it, or the next one's does
  /// from its bytes. Where the one before is lost, and its digest with it, a record is kept all the
  /// same if it is where the log has its records or the next one confirms its digest.
  package func forEachRecord(_ body: (SalvagedRecord) throws -> Void) throws -> SalvageSummary {
    var summary = SalvageSummary()
    // The digests that the next record's may follow from, and whether one of them is right.
    var previous: Set<RecordDigest> = [.start]
    var isSure = true
    var expected: UInt64 = 1
    var group = group(at: 0)
    var next: [Candidate] = []
    while let sequence = places[group].first?.sequence {
      if sequence > expected {
        summary.lose(expected...sequence - 1)
        previous = []
        isSure = false
      }
      let here = next.isEmpty ? try candidates(group) : next
      group = self.group(at: group.upperBound)
      next = places[group].first?.sequence == sequence + 1 ? try candidates(group) : []
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
    if let head, head >= expected { summary.lose(expected...head) }
    summary.end(at: head)
    summary.endIsKnown = check.hasAllRecords
    return summary
  }

  private func prove(
    _ here: [Candidate], after previous: Set<RecordDigest>, before next: [Candidate]
  ) -> (record: Candidate, digest: RecordDigest)? {
    var chained: [(record: Candidate, digest: RecordDigest)] = []
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

  private func confirms(_ digest: RecordDigest, _ next: [Candidate]) -> Bool {
    next.contains { $0.digest(after: digest) == $0.header.digest }
  }
}
