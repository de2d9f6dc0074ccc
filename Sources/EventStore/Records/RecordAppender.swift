import Synchronization

/// What is noted about the whole log together with the records that are appended.
package struct LogMarks: Hashable, Sendable {
  /// The account whose history this is; nil leaves it as it is.
  package var account: String?
  /// A capture that is being imported.
  package var imported: ImportedSource?
  /// What sources call their connections, by number; one that has a name keeps it.
  package var connections: [UInt32: String]

  package init(
    account: String? = nil, imported: ImportedSource? = nil, connections: [UInt32: String] = [:]
  ) {
    self.account = account
    self.imported = imported
    self.connections = connections
  }
}

extension EventLog {
  /// Appends records, and notes marks, in one transaction: all of it is durable when this returns,
  /// or none of it happened.
  ///
  /// Where the log's derived parts are of another version, the records are kept all the same, but
  /// nothing is derived from them: the log is marked as having to be rebuilt. A recorder never
  /// loses a record because a newer program has looked at its log.
  ///
  /// - Returns: The numbers that the records got; empty, and where the next one will go, if there
  ///   are no drafts.
  /// - Throws: `EventLogError`; the log is then as it was, but perhaps for
  ///   `EventLogError.outcomeUnknown`.
  @discardableResult
  package func append(
    _ drafts: some Sequence<RecordDraft>, marks: LogMarks = LogMarks()
  ) throws(EventLogError) -> Range<UInt64> {
    try append(RecordArena(drafts), marks: marks)
  }

  /// The same of records that lie in an arena.
  @discardableResult
  package func append(
    _ records: RecordArena, marks: LogMarks = LogMarks()
  ) throws(EventLogError) -> Range<UInt64> {
    guard access == .readWrite else { throw .readOnly(path: path) }
    let (version, own) = (eventVersion, lastAppended.withLock { $0 })
    let (appended, digest) = try environment.write { (transaction) throws(EventLogError) in
      try transaction.note(marks)
      var appender = try RecordAppender(transaction, eventVersion: version, after: own)
      try appender.append(records, in: transaction)
      try appender.finish(in: transaction)
      return (appender.appended, appender.digest)
    }
    if !appended.isEmpty { lastAppended.withLock { $0 = digest } }
    return appended
  }
}

extension WriteTransaction {
  /// Notes the account, which cannot be another than before, and an import.
  func note(_ marks: LogMarks) throws(EventLogError) {
    if let account = marks.account {
      let recorded = try get(.account)
      if let recorded, recorded != account {
        throw .accountDiffers(recorded: recorded, given: account)
      }
      if recorded == nil { try set(.account, to: account) }
    }
    if let source = marks.imported { try add(source) }
    for (number, name) in marks.connections.sorted(by: { $0.key < $1.key })
    where try get(.connection(number)) == nil {
      try set(.connection(number), to: name)
    }
  }
}

/// Adds records at the end of a log, and what is derived from each, inside one transaction: in
/// packs, of which the last derived ones are stored by `finish`. It must go before the transaction
/// ends.
struct RecordAppender: ~Copyable {
  private let records: WriteCursor<UInt64>
  private var derived: DerivedWriter
  /// Whether anything is derived.
  private let derives: Bool
  private var packer = RecordPacker()
  private let first: UInt64
  private var last: UInt64
  private var clock: Int64?
  /// How many packs there are, and the digest of the last one.
  private var packs: UInt64
  private(set) var digest: LogDigest
  /// The first record of the pack that is being filled.
  private var firstOfPack: UInt64

  /// The numbers of the records that were added.
  var appended: Range<UInt64> { first..<(last + 1) }

  /// - Parameters:
  ///   - eventVersion: The version of what is derived. Where that of the log is another one,
  ///     nothing is, and the log is marked.
  ///   - own: The digest of the pack that this process has written last, where it knows of one.
  init(
    _ transaction: borrowing WriteTransaction, eventVersion: UInt32, after own: LogDigest? = nil
  ) throws(EventLogError) {
    let derives = try transaction.mayDerive(eventVersion)
    let before = try transaction.lastPack(after: own)
    let last = before?.sequences.upperBound ?? 0
    let clock = try before?.record(at: last).header.clock
    let (packs, digest) = (before?.number ?? 0, before?.digest ?? RecordChain.start)
    let records = try WriteCursor(transaction.databases.records, in: transaction)
    let derived = try DerivedWriter(from: last + 1, in: transaction)
    self.records = records
    self.derived = derived
    self.derives = derives
    self.last = last
    self.clock = clock
    (self.packs, self.digest) = (packs, digest)
    first = last + 1
    firstOfPack = first
  }

  /// Adds records; a pack ends with the last of them.
  mutating func append(
    _ records: RecordArena, in transaction: borrowing WriteTransaction
  ) throws(EventLogError) {
    for index in 0..<records.count { try append(at: index, of: records, in: transaction) }
    // Their bytes are here no longer than that.
    if !packer.isEmpty { try storePack(of: records) }
  }

  private mutating func append(
    at index: Int, of records: RecordArena, in transaction: borrowing WriteTransaction
  ) throws(EventLogError) {
    let record = records[index]
    let count = record.bytes.byteCount
    guard count <= LogFormat.payloadLimit else {
      throw .payloadTooLong(bytes: count, limit: LogFormat.payloadLimit)
    }
    let header = RecordHeader(record, sequence: last + 1, after: clock)
    if !packer.hasRoom(for: header, bytes: count) { try storePack(of: records) }
    packer.add(header, at: index, bytes: count)
    (last, clock) = (header.sequence, header.clock)
    guard derives else { return }
    try derived.write(record.event, record.contacts, of: header, in: transaction)
  }

  /// Stores what waits.
  mutating func finish(in transaction: borrowing WriteTransaction) throws(EventLogError) {
    if derives { try derived.finish(in: transaction) }
  }

  private mutating func storePack(of arena: RecordArena) throws(EventLogError) {
    let (number, before) = (packs + 1, digest)
    var digest = before
    try records.append(sequence: firstOfPack, byteCount: packer.size) { space in
      digest = packer.write(as: number, after: before, from: arena, to: &space)
    }
    packer.removeAll()
    (packs, self.digest, firstOfPack) = (number, digest, last + 1)
  }
}
