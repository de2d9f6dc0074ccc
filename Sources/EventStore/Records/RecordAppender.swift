/// What is noted about the whole log together with the records that are appended.
package struct LogMarks: Hashable, Sendable {
  /// The account whose history this is; nil leaves it as it is.
  package var account: String?
  /// A capture that is being imported.
  package var imported: ImportedSource?

  package init(account: String? = nil, imported: ImportedSource? = nil) {
    self.account = account
    self.imported = imported
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
  /// - Parameters:
  ///   - drafts: Gone through again from the start where the map has to grow.
  ///   - snapshot: Asked for a snapshot to go with the records once they are numbered, given the
  ///     last one of the log; not asked in an empty log. It must not use the log, and is asked
  ///     again where the map has to grow.
  /// - Returns: The numbers that the records got; empty, and where the next one will go, if there
  ///   are no drafts.
  /// - Throws: `EventLogError`; the log is then as it was.
  @discardableResult
  package func append(
    _ drafts: some Collection<RecordDraft>, marks: LogMarks = LogMarks(),
    snapshot: (_ last: UInt64) -> SnapshotDraft? = { _ in nil }
  ) throws(EventLogError) -> Range<UInt64> {
    guard access == .readWrite else { throw .readOnly(path: path) }
    let version = eventVersion
    return try environment.write { (transaction, memory) throws(EventLogError) in
      try transaction.note(marks)
      var appender = try RecordAppender(transaction, eventVersion: version)
      try Self.inPlace(drafts) { (drafts) throws(EventLogError) in
        for place in drafts.indices {
          try appender.append(drafts[place], in: transaction, &memory)
        }
      }
      let appended = appender.appended
      let last = appended.upperBound - 1
      if last > 0, let snapshot = snapshot(last) { try transaction.add(snapshot) }
      return appended
    }
  }

  /// Runs `body` over the drafts where they lie, which costs no copies of them, or over a copy
  /// where they do not lie side by side.
  private static func inPlace(
    _ drafts: some Collection<RecordDraft>,
    _ body: (UnsafeBufferPointer<RecordDraft>) throws(EventLogError) -> Void
  ) throws(EventLogError) {
    let outcome = drafts.withContiguousStorageIfAvailable { drafts in
      Result { () throws(EventLogError) in try body(drafts) }
    }
    // An array's drafts lie side by side.
    guard let outcome else { return try inPlace(Array(drafts), body) }
    try outcome.get()
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
  }
}

/// Adds records at the end of a log, and what is derived from each, inside one transaction. It must
/// go before the transaction ends.
struct RecordAppender: ~Copyable {
  private let records: WriteCursor<UInt64>
  private let derived: DerivedWriter
  /// Whether anything is derived.
  private let derives: Bool
  private let first: UInt64
  private var last: UInt64
  private var clock: Int64?
  private var digest: LogDigest

  /// The numbers of the records that were added.
  var appended: Range<UInt64> { first..<(last + 1) }

  /// - Parameter eventVersion: The version of what is derived. Where that of the log is another
  ///   one, nothing is, and the log is marked.
  init(
    _ transaction: borrowing WriteTransaction, eventVersion: UInt32
  ) throws(EventLogError) {
    let derives = try transaction.mayDerive(eventVersion)
    let last = try transaction.lastSequence
    let header = try transaction.header(at: last)
    if header == nil, last > 0 { throw .corrupt(sequence: last, what: "it is missing") }
    let records = try WriteCursor(transaction.databases.records, in: transaction)
    let derived = try DerivedWriter(transaction)
    self.records = records
    self.derived = derived
    self.derives = derives
    self.last = last
    first = last + 1
    clock = header?.clock
    digest = header?.digest ?? RecordChain.start
  }

  mutating func append(
    _ draft: borrowing RecordDraft, in transaction: borrowing WriteTransaction,
    _ memory: inout WriterMemory
  ) throws(EventLogError) {
    let count = draft.bytes.count
    guard count <= LogFormat.payloadLimit else {
      throw .payloadTooLong(bytes: count, limit: LogFormat.payloadLimit)
    }
    let header = RecordHeader(draft, sequence: last + 1, after: clock)
    let before = digest
    var digest = before
    try draft.bytes.withRawBytes { (bytes) throws(EventLogError) in
      try records.append(
        sequence: header.sequence, byteCount: LogFormat.recordHeaderBytes + count
      ) { space in
        digest = LogFormat.writeRecord(header, after: before, bytes: bytes, to: space)
      }
    }
    (last, clock, self.digest) = (header.sequence, header.clock, digest)
    guard derives else { return }
    try derived.write(draft.event, draft.contacts, of: header, in: transaction, &memory)
  }
}
