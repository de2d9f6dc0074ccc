import EventStore
import RawBytes
import RosterCore

/// A part of a log that is verified, in the order in which it is.
package enum LogPart: String, Codable, Hashable, Sendable, CaseIterable {
  /// The pages of the file, before LMDB may read any.
  case pages
  /// What the log says about itself: account, imports, versions.
  case meta
  /// The records with their chain of digests, and what is derived from each.
  case records
  /// The stored events.
  case events
  /// The index of contacts.
  case index
  /// The snapshots, each against a replay.
  case snapshots
}

/// Something in a log that is not what it has to be.
package struct LogDamage: Codable, Hashable, Sendable {
  package let part: LogPart
  /// The record that it is about; nil where it is about none or about all.
  package let record: UInt64?
  /// A clause whose subject is the record or the part.
  package let what: String

  package init(part: LogPart, record: UInt64?, what: String) {
    self.part = part
    self.record = record
    self.what = what
  }
}

/// What a sound log holds.
package struct LogFigures: Codable, Hashable, Sendable {
  package var records: UInt64 = 0
  package var account: String?
  /// The digest of the last pack of records, which vouches for all of them; nil in an empty log.
  package var digest: String?
  package var events = 0
  package var contacts = 0
  /// Snapshots that were compared with a replay.
  package var snapshots = 0
}

/// Verifies everything in a log: the pages of the file, the chain of digests, gaps, time, the
/// contact index, the stored events against a fresh decoding of the raw bytes, and the snapshots
/// against a replay.
///
/// LMDB ends the process on some damage that the look at the pages may not foresee: run it in a
/// process of its own, which tells how far it has come. It reads piece by piece: what is appended,
/// or derived anew, meanwhile is no damage, and the log's pages can be used again.
package struct LogVerification {
  /// What is told while it runs.
  package enum Step: Codable, Sendable {
    case began(LogPart)
    /// So many records have been looked at.
    case reached(UInt64)
    case found(LogDamage)
    /// Something that could not be verified, though it may be right.
    case note(String)
    /// Everything that is there was looked at.
    case done(LogFigures)
  }

  private let tell: (Step) throws -> Void
  /// What is to be told once no transaction is open: whoever is told may take their time.
  private var untold: [Step] = []
  private let reader = RecordReader()
  private var figures = LogFigures()
  private var last: UInt64 = 0
  private var derived = DerivedCheck()
  private var replay = Replay()
  /// Whether the derived parts are complete and of this program's version.
  private var isCurrent = false
  /// What is being looked at.
  private var part = LogPart.pages
  /// Whether every record so far is what was written: else nothing can be said of what follows.
  private var isWhole = true
  /// Those records of a pack that has changed which cannot be read.
  private var unreadable: [UInt64] = []

  /// Verifies the log at a path, which this process should not have open.
  ///
  /// - Parameters:
  ///   - rebuilding: Whether everything derived is thrown away and made anew before it is looked
  ///     at. That needs sound pages and readable records.
  ///   - tell: Told of all damage; there can be as many as records. No transaction is open then.
  /// - Throws: `EventLogError` where the file is no log that this program reads, and what `tell`
  ///   throws. Faults are not thrown.
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
      // LMDB must not see them.
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

  // MARK: What it says about itself

  /// - Returns: nil where that is damaged.
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

  /// The derived parts may cease to be current while the records are looked at.
  private mutating func follow(_ meta: LogMeta) {
    guard isCurrent, meta.eventVersion != RecordReader.version else { return }
    isCurrent = false
    note("the stored events and the index are incomplete or of another version: they are not used")
  }

  /// Compares what the records came to.
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

  /// The state as the records go by, and the snapshots that it is to be compared with.
  private struct Replay {
    var roster = Roster()
    /// What the last snapshot says, on which the next one may rest.
    var kept: Roster?
    var compared = 0
    /// The numbers of those that are still to come, the next one last.
    var ahead: [UInt64] = []
    /// Those that are not what was written.
    var damaged: [(record: UInt64?, damage: SnapshotDamage)] = []

    /// What is wrong with a snapshot of the state, whose checksum is right; a clause, nil where
    /// nothing is.
    mutating func problem(of snapshot: RawSpan, _ header: SnapshotHeader) -> String? {
      let base = (try? SnapshotKind(of: snapshot))?.base
      if let base, kept?.base != base {
        return "its snapshot rests on one that cannot be used, of record \(base.sequence)"
      }
      do {
        if base == nil { kept = try Roster(snapshot: snapshot) } else { try kept?.add(snapshot) }
      } catch {
        kept = nil
      }
      guard kept == roster else {
        kept = nil
        return "its snapshot is not what a replay gives"
      }
      kept?.base = SnapshotBase(header, depth: base.map { $0.depth + 1 } ?? 0)
      return nil
    }
  }

  private mutating func lookAtSnapshots(_ transaction: borrowing ReadTransaction) throws {
    var others = 0
    try transaction.forEachSnapshot { check, _ in
      switch check {
      case .sound(let header) where header.version == .current:
        replay.ahead.append(header.sequence)
      case .sound: others += 1
      case .damaged(let sequence, let damage):
        replay.damaged.append((sequence == 0 ? nil : sequence, damage))
      }
    }
    replay.ahead.reverse()
    if others > 0 { note("\(others) snapshots are of another version: they are not used") }
    // What comes after has no snapshot among these. Where that cannot be read, the records say so.
    last = (try? transaction.lastSequence) ?? .max
  }

  /// Takes the state on over a record, and compares it with the record's snapshot.
  private mutating func reduce(
    _ event: [UInt8]?, _ header: RecordHeader, _ transaction: borrowing ReadTransaction
  ) throws {
    if let event {
      let stamp = RecordStamp(record: header.sequence, time: header.time)
      try RosterReducer.reduce(
        &replay.roster, event.span.bytes, isSound: true, at: stamp,
        on: ConnectionID(number: header.connection), reporting: .nothing)
    }
    guard replay.ahead.last == header.sequence else { return }
    replay.ahead.removeLast()
    replay.roster.move(to: header.sequence)
    replay.compared += 1
    var problem: String?
    // Others may have dropped it meanwhile.
    _ = try transaction.snapshot(atOrBefore: header.sequence, version: .current) {
      if $0.sequence == header.sequence { problem = replay.problem(of: $1, $0) }
    }
    if let problem { report(.snapshots, header.sequence, problem) }
  }

  // MARK: Records

  private mutating func lookAtRecords(_ log: EventLog) throws {
    var check = RecordCheck()
    var isMore = true
    while isMore {
      isMore = try log.read { transaction in
        // Where that is damaged, it was said.
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
  /// Looks at a record of a pack that has changed: whether it can still be read.
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
