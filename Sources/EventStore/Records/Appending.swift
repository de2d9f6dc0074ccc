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
      try Self.note(marks, in: transaction)
      let derives = try Self.mayDerive(version, in: transaction)
      let ends = try LogEnds(of: transaction)
      var tail = try Tail(of: transaction)
      let first = tail.sequence + 1
      try Self.inPlace(drafts) { (drafts) throws(EventLogError) in
        for place in drafts.indices {
          let header = try Self.add(drafts[place], behind: &tail, at: ends.records)
          guard derives else { continue }
          try Self.derive(
            drafts[place].event, drafts[place].contacts, of: header, at: ends.events,
            in: transaction, &memory)
        }
      }
      if tail.sequence > 0, let snapshot = snapshot(tail.sequence) {
        try SnapshotStore.add(snapshot, in: transaction)
      }
      return first..<(tail.sequence + 1)
    }
  }

  /// What a new record has to follow.
  struct Tail {
    var sequence: UInt64
    var clock: Int64?
    var digest: RecordDigest

    init(of transaction: borrowing WriteTransaction) throws(EventLogError) {
      let raw = transaction.raw
      let records = transaction.databases.records
      sequence = try Store.lastSequence(raw, records)
      clock = nil
      digest = .start
      let sequence = sequence
      guard sequence > 0 else { return }
      let last = try Store.get(raw, records, sequence: sequence) { (value) throws(EventLogError) in
        try LogFormat.readHeader(value, sequence: sequence)
      }
      guard let last else { throw .corrupt(sequence: sequence, what: "it is missing") }
      clock = last.clock
      digest = last.digest
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

  static func add(
    _ draft: borrowing RecordDraft, behind tail: inout Tail, at end: borrowing AppendCursor
  ) throws(EventLogError) -> RecordHeader {
    let count = draft.bytes.count
    guard count <= LogFormat.payloadLimit else {
      throw .payloadTooLong(bytes: count, limit: LogFormat.payloadLimit)
    }
    let header = RecordHeader(draft, sequence: tail.sequence + 1, after: tail.clock)
    let before = tail.digest
    var digest = before
    try draft.bytes.withRawBytes { (bytes) throws(EventLogError) in
      try end.append(
        sequence: header.sequence, byteCount: LogFormat.recordHeaderBytes + count
      ) { space in
        digest = LogFormat.writeRecord(header, after: before, bytes: bytes, to: space)
      }
    }
    tail.sequence = header.sequence
    tail.clock = header.clock
    tail.digest = digest
    return header
  }

  /// Stores what is derived from a record.
  static func derive(
    _ event: [UInt8]?, _ contacts: [String], of header: RecordHeader,
    at end: borrowing AppendCursor, in transaction: borrowing WriteTransaction,
    _ memory: inout WriterMemory
  ) throws(EventLogError) {
    if let event {
      guard event.count <= LogFormat.payloadLimit else {
        throw .payloadTooLong(bytes: event.count, limit: LogFormat.payloadLimit)
      }
      try end.append(
        sequence: header.sequence, byteCount: LogFormat.eventHeaderBytes + event.count
      ) { space in
        LogFormat.writeEventHeader(header, to: space)
        UnsafeMutableRawBufferPointer(rebasing: space[LogFormat.eventHeaderBytes...])
          .copyBytes(from: event)
      }
    }
    try ContactIndex.add(contacts, of: header.sequence, in: transaction, &memory)
  }

  /// Whether derived parts may be added to those that are there; marks the log where not.
  static func mayDerive(
    _ version: UInt32, in transaction: borrowing WriteTransaction
  ) throws(EventLogError) -> Bool {
    let meta = MetaTable(raw: transaction.raw, database: transaction.databases.meta)
    let stored = try meta.eventVersion()
    if stored == version { return true }
    if stored != nil { try meta.setEventVersion(nil) }
    return false
  }

  static func note(
    _ marks: LogMarks, in transaction: borrowing WriteTransaction
  ) throws(EventLogError) {
    let meta = MetaTable(raw: transaction.raw, database: transaction.databases.meta)
    if let account = marks.account {
      let recorded = try meta.account()
      if let recorded, recorded != account {
        throw .accountDiffers(recorded: recorded, given: account)
      }
      if recorded == nil { try meta.setAccount(account) }
    }
    if let source = marks.imported { try meta.add(source) }
  }
}

extension LogFormat {
  /// Writes a whole record in its place.
  ///
  /// - Returns: The record's digest.
  static func writeRecord(
    _ header: RecordHeader, after previous: RecordDigest, bytes: UnsafeRawBufferPointer,
    to space: UnsafeMutableRawBufferPointer
  ) -> RecordDigest {
    UnsafeMutableRawBufferPointer(rebasing: space[recordHeaderBytes...]).copyMemory(from: bytes)
    // The chain takes what a record is, with the digest before it in front of its header where the
    // record has its own behind it. So it is hashed in one piece where it will stand.
    space.storeBytes(of: previous, as: RecordDigest.self)
    writeChained(
      header, to: UnsafeMutableRawBufferPointer(rebasing: space[digestBytes..<recordHeaderBytes]))
    let digest = RecordDigest(ofChained: UnsafeRawBufferPointer(space))
    writeChained(header, to: UnsafeMutableRawBufferPointer(rebasing: space[..<chainedHeaderBytes]))
    space.storeBytes(of: digest, toByteOffset: chainedHeaderBytes, as: RecordDigest.self)
    return digest
  }
}
