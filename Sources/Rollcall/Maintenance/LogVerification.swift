import EventStore
import RawBytes
import RosterCore

/// The parts of a log, in the order in which they are verified.
package enum LogPart: String, Codable, Hashable, Sendable, CaseIterable {
  /// The pages of the file, checked before LMDB may read any.
  case pages
  /// What the log notes about itself: account, imports, versions.
  case meta
  /// The records with their chain of digests, and what is derived from each.
  case records
  /// The stored events.
  case events
  /// The index of contacts.
  case index
  /// The snapshots, each compared with a replay.
  case snapshots
}

/// Damage that verification found in a log.
package struct LogDamage: Codable, Hashable, Sendable {
  package let part: LogPart
  /// The damaged record; nil if the damage concerns no record or all.
  package let record: UInt64?
  /// The description, a clause whose subject is the record or the part.
  package let what: String

  package init(part: LogPart, record: UInt64?, what: String) {
    self.part = part
    self.record = record
    self.what = what
  }
}

/// The figures of a sound log.
package struct LogFigures: Codable, Hashable, Sendable {
  package var records: UInt64 = 0
  package var account: String?
  /// The digest of the last pack of records, which covers all of them; nil in an empty log.
  package var digest: String?
  package var events = 0
  package var contacts = 0
  /// The number of snapshots that were compared with a replay.
  package var snapshots = 0
}

/// Verifies everything in a log: the pages of the file, the chain of digests, gaps, times, the
/// contact index, the stored events against a fresh decoding of the raw bytes, and the snapshots
/// against a replay.
///
/// Some damage that the page check may miss makes LMDB abort the process. Run the verification in a
/// child process that reports its progress. It reads the log in steps, so what is appended or
/// rebuilt meanwhile does not count as damage, and the log's pages can be reused.
package struct LogVerification {
  /// A report from a running verification.
  package enum Step: Codable, Sendable {
    case began(LogPart)
    /// The number of records verified so far.
    case reached(UInt64)
    case found(LogDamage)
    /// Something that could not be verified but may be right.
    case note(String)
    /// The end: everything in the log was verified.
    case done(LogFigures)
  }

  private let tell: (Step) throws -> Void
  /// The reports to send once no transaction is open, because the receiver may be slow.
  private var untold: [Step] = []
  private let reader = RecordReader()
  private var figures = LogFigures()
  private var last: UInt64 = 0
  private var derived = DerivedCheck()
  private var replay = SnapshotReplay()
  /// Whether the derived parts are complete and of this program's version.
  private var isCurrent = false
  /// The part that is being verified.
  private var part = LogPart.pages
  /// Whether all records so far are unchanged. Otherwise nothing can be said about what follows.
  private var isWhole = true
  /// The unreadable records of a changed pack.
  private var unreadable: [UInt64] = []

  /// Verifies the log at a path, which this process should not have open.
  ///
  /// - Parameters:
  ///   - rebuilding: Whether to discard and rebuild all derived data before it is verified. Needs
  ///     sound pages and readable records.
  ///   - tell: Receives all damage, up to one report per record, while no transaction is open.
  /// - Throws: `EventLogError` if the file is not a log that this program reads, and errors of
  ///   `tell`. Damage is not thrown.
  package static func run(
    _ path: String, rebuilding: Bool = false, _ tell: (Step) throws -> Void
  ) throws {
    try withoutActuallyEscaping(tell) { tell in
      var verification = LogVerification(tell: tell)
      try verification.run(path, rebuilding: rebuilding)
    }
  }

  private init(tell: @escaping (Step) throws -> Void) {
    self.tell = tell
  }

  private mutating func run(_ path: String, rebuilding: Bool) throws {
    try begin(.pages)
    do {
      let faults = try EventLog.pageDamage(at: path)
      for fault in faults { report(.pages, nil, "\(fault)") }
      // LMDB must not read damaged pages.
      guard faults.isEmpty else { return try tellAll() }
      let log = try EventLog.open(
        at: path, access: rebuilding ? .readWrite : .readOnly,
        eventVersion: RecordReader.version)
      if rebuilding { try log.rebuild() }
      try begin(.meta)
      let meta = try log.read { try lookAtMeta($0) }
      try begin(.snapshots)
      try log.read { try lookAtSnapshots($0) }
      try begin(.records)
      try lookAtRecords(log)
      if last == 0 {
        for flaw in try log.read({ try DerivedCheck.damage(ofEmpty: $0) }) {
          report(.events, nil, flaw)
        }
      }
      conclude(meta)
      try tellAll()
      try tell(.done(figures))
    } catch let error as EventLogError where error.code == .damaged {
      report(part, error.record, error.detail)
      try tellAll()
    }
  }

  private mutating func begin(_ part: LogPart) throws {
    try tellAll()
    self.part = part
    try tell(.began(part))
  }

  private mutating func report(_ part: LogPart, _ record: UInt64?, _ what: String) {
    untold.append(.found(LogDamage(part: part, record: record, what: what)))
  }

  private mutating func note(_ what: String) {
    untold.append(.note(what))
  }

  private mutating func tellAll() throws {
    for step in untold { try tell(step) }
    untold.removeAll(keepingCapacity: true)
  }

  // MARK: Meta data

  /// - Returns: nil if the meta data is damaged.
  private mutating func lookAtMeta(_ transaction: borrowing ReadTransaction) throws -> LogMeta? {
    let flaws = try transaction.metaDamage
    for flaw in flaws { report(.meta, nil, flaw) }
    let meta = flaws.isEmpty ? try transaction.meta : nil
    figures.account = meta?.account
    isCurrent = true
    if let meta { follow(meta) }
    for reader in transaction.staleReaders {
      note(
        "process \(reader.process) is still reading the state of \(reader.transactionsSince) "
          + "transactions ago; the file grows until that process moves on or exits")
    }
    return meta
  }

  /// Notes the meta data again, because the derived parts may become outdated while the records are
  /// verified.
  private mutating func follow(_ meta: LogMeta) {
    guard isCurrent, meta.eventVersion != RecordReader.version else { return }
    isCurrent = false
    note("the stored events and the index are incomplete or of another version: they are not used")
  }

  /// Compares the totals of the records with the meta data.
  private mutating func conclude(_ meta: LogMeta?) {
    for (number, damage) in replay.damaged {
      report(.snapshots, number, "of its snapshot, \(damage)")
    }
    guard isWhole else { return }
    if isCurrent, let flaw = derived.strayEntries { report(.index, nil, flaw) }
    for number in replay.ahead { report(.snapshots, number, "its snapshot is of no record") }
    if let account = meta?.account, let other = replay.roster.account?.text, other != account {
      report(.meta, nil, "the log says that it is of \(account), its records are of \(other)")
    }
    (figures.events, figures.contacts) = (derived.events, derived.contacts)
    figures.snapshots = replay.compared
  }

  // MARK: Snapshots

  private mutating func lookAtSnapshots(_ transaction: borrowing ReadTransaction) throws {
    var others = 0
    try transaction.forEachSnapshot { check, bytes in
      switch check {
      case .sound(let header) where header.version == .current:
        replay.ahead.append(header.sequence)
        if let base = (try? SnapshotKind(of: bytes))?.base { replay.bases.insert(base) }
      case .sound: others += 1
      case .damaged(let sequence, let damage):
        replay.damaged.append((sequence == 0 ? nil : sequence, damage))
      }
    }
    replay.ahead.reverse()
    if others > 0 { note("\(others) snapshots are of another version: they are not used") }
    // Later records have no snapshot in this list. If the number cannot be read, the records report
    // it.
    last = (try? transaction.lastSequence) ?? .max
  }

  /// Advances the state over a record, and compares it with the record's snapshot.
  private mutating func reduce(
    _ event: [UInt8]?, _ header: RecordHeader, _ transaction: borrowing ReadTransaction
  ) throws {
    if let event {
      let stamp = RecordStamp(EventHeader(header))
      try RosterReducer.reduce(
        &replay.roster, event.span.bytes, at: stamp,
        on: ConnectionID(number: header.connection), reporting: .nothing)
    }
    guard replay.ahead.last == header.sequence else { return }
    replay.ahead.removeLast()
    replay.roster.move(to: header.sequence)
    replay.compared += 1
    var problem: String?
    // Another process may have dropped it meanwhile.
    _ = try transaction.snapshot(atOrBefore: header.sequence, version: .current) {
      guard $0.sequence == header.sequence else { return }
      problem = try replay.problem(of: $1, $0, in: transaction)
    }
    if let problem { report(.snapshots, header.sequence, problem) }
  }

  // MARK: Records

  private mutating func lookAtRecords(_ log: EventLog) throws {
    var check = RecordCheck()
    var isMore = true
    while isMore {
      isMore = try log.read { transaction in
        // Damage to the meta data has already been reported.
        if let meta = try? transaction.meta { follow(meta) }
        return try check.look(upTo: last, bytes: EventLog.pieceBytes, in: transaction) {
          record, bytes in try look(at: record, bytes, transaction)
        }
      }
      try tellAll()
      try tell(.reached(figures.records))
    }
    figures.digest = check.lastDigest.map { "\($0)" }
  }

  private mutating func look(
    at record: CheckedRecord, _ bytes: RawSpan, _ transaction: borrowing ReadTransaction
  ) throws {
    if let damage = record.damage {
      isWhole = false
      report(.records, record.sequence == 0 ? nil : record.sequence, damage)
    }
    if let pack = record.suspects { return try look(at: record, bytes, in: pack) }
    guard let header = record.header, record.damage == nil else { return }
    figures.records = header.sequence
    if header.kind == .policy, let policy = RecordingPolicy(record: [UInt8](bytes)) {
      note("record \(header.sequence): \(policy.clause)")
    }
    let parts = reader.decode(header, bytes)
    if isCurrent {
      for flaw in try derived.damage(
        of: header, deriving: parts, last: last, in: transaction)
      {
        report(.events, header.sequence, flaw)
      }
    }
    if isWhole { try reduce(parts.event, header, transaction) }
  }
}

extension LogVerification {
  /// Checks whether a record of a changed pack can still be read.
  private mutating func look(
    at record: CheckedRecord, _ bytes: RawSpan, in pack: ClosedRange<UInt64>
  ) throws {
    let isReadable = record.header.map { header in
      reader.reads(header, [UInt8](bytes))
    }
    if isReadable != true { unreadable.append(record.sequence) }
    guard record.sequence == pack.upperBound else { return }
    let which =
      unreadable.isEmpty
      ? "all can be read" : "\(unreadable.map { "\($0)" }.joined(separator: ", ")) cannot be read"
    if pack.count > 1 {
      note("of records \(pack.lowerBound) to \(pack.upperBound), \(which)")
    }
    unreadable = []
  }
}
