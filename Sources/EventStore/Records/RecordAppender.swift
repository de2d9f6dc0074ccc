import Synchronization

/// Notes about the whole log that are stored together with appended records.
package struct LogMarks: Hashable, Sendable {
  /// The account whose history this is; nil leaves the account unchanged.
  package var account: String?
  /// A capture that is being imported.
  package var imported: ImportedSource?
  /// The sources' names for connections, by number; a connection that has a name keeps it.
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
  /// Appends records and marks in one durable transaction, all or none.
  ///
  /// If the log's derived parts have another version, the records are appended without derived
  /// parts, and the log is marked as in need of a rebuild. So a recorder never loses a record
  /// because a newer program has opened its log.
  ///
  /// - Returns: The numbers of the appended records; without drafts, an empty range at the next
  ///   number.
  /// - Throws: `EventLogError`; the log is then unchanged, except perhaps after
  ///   `EventLogError.outcomeUnknown`.
  @discardableResult
  package func append(
    _ drafts: some Sequence<RecordDraft>, marks: LogMarks = LogMarks()
  ) throws(EventLogError) -> Range<UInt64> {
    try append(RecordArena(drafts), marks: marks)
  }

  /// Appends the records of an arena and marks in one durable transaction, all or none.
  ///
  /// If the log's derived parts have another version, the records are appended without derived
  /// parts, and the log is marked as in need of a rebuild.
  /// - Returns: The numbers of the appended records.
  /// - Throws: `EventLogError`; the log is then unchanged, except perhaps after
  ///   `EventLogError.outcomeUnknown`.
  @discardableResult
  package func append(
    _ records: RecordArena, marks: LogMarks = LogMarks()
  ) throws(EventLogError) -> Range<UInt64> {
    try append(records, marks: marks) { (_, _) throws(EventLogError) in }
  }

  /// Appends records and marks, and what `body` writes to the further databases, in one durable
  /// transaction, all or none.
  ///
  /// - Parameter body: Called after the records were appended, with their numbers. It runs again
  ///   from the start if the map has to grow, so it must change nothing but the transaction.
  /// - Returns: The numbers of the appended records.
  /// - Throws: `EventLogError`, as above.
  @discardableResult
  package func append(
    _ records: RecordArena, marks: LogMarks = LogMarks(),
    alongside body: (borrowing WriteTransaction, Range<UInt64>) throws(EventLogError) -> Void
  ) throws(EventLogError) -> Range<UInt64> {
    guard access == .readWrite else { throw .readOnly(path: path) }
    let (version, own) = (eventVersion, lastAppended.withLock { $0 })
    let (appended, digest) = try environment.write { (transaction) throws(EventLogError) in
      try transaction.note(marks)
      var appender = try RecordAppender(transaction, eventVersion: version, after: own)
      try appender.append(records, in: transaction)
      try appender.finish(in: transaction)
      try body(transaction, appender.appended)
      return (appender.appended, appender.digest)
    }
    if !appended.isEmpty { lastAppended.withLock { $0 = digest } }
    return appended
  }
}

extension WriteTransaction {
  /// Stores marks; throws if the log already has a different account.
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

/// Appends records and their derived parts to a log, in packs, inside one transaction.
///
/// `finish` has to be called to store the last derived parts. The appender must be released before
/// the transaction ends.
struct RecordAppender: ~Copyable {
  private let records: WriteCursor<UInt64>
  private var derived: DerivedWriter
  /// Whether the derived parts are stored.
  private let derives: Bool
  private var packer = RecordPacker()
  private let first: UInt64
  private var last: UInt64
  private var clock: Int64?
  /// The number of packs in the log, and the digest of the last one.
  private var packs: UInt64
  private(set) var digest: LogDigest
  /// The first record of the pack that is being filled.
  private var firstOfPack: UInt64
  /// Whether a record says what its recorder keeps.
  private var hasPolicy = false

  /// The numbers of the appended records.
  var appended: Range<UInt64> { first..<(last + 1) }

  /// - Parameters:
  ///   - eventVersion: The version of the derived parts. If the log has another one, they are not
  ///     stored, and the log is marked as in need of a rebuild.
  ///   - own: The digest of the last pack written by this process, if known.
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

  /// Appends the records of an arena; the last one ends a pack.
  mutating func append(
    _ records: RecordArena, in transaction: borrowing WriteTransaction
  ) throws(EventLogError) {
    for index in 0..<records.count { try append(at: index, of: records, in: transaction) }
    // The packer refers to bytes of the arena, which may be gone after this call.
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
    if header.kind == .policy { hasPolicy = true }
    if !packer.hasRoom(for: header, bytes: count) { try storePack(of: records) }
    packer.add(header, at: index, bytes: count)
    (last, clock) = (header.sequence, header.clock)
    guard derives else { return }
    try derived.write(record.event, record.contacts, of: header, in: transaction)
  }

  /// Stores the pending derived parts, and the format that the records need.
  mutating func finish(in transaction: borrowing WriteTransaction) throws(EventLogError) {
    if hasPolicy, transaction.databases.further.isEmpty {
      try transaction.set(.format, to: LogFormat.policyVersion)
    }
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
