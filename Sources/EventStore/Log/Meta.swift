import RawBytes

/// A log's own entries: its format, account, versions, imports and connections.
package struct LogMeta: Hashable, Sendable {
  /// The version of the file's format.
  package let formatVersion: UInt32
  /// The account whose history this is; nil while it is unknown.
  package let account: String?
  /// The version of the code that made the stored events and the contact index.
  ///
  /// Nil while they are incomplete, during a rebuild or after a program of another version has
  /// appended records.
  package let eventVersion: UInt32?
  /// The imported captures, oldest first.
  package let imports: [ImportedSource]
  /// The sources' names for their connections, by number; not every connection has a name.
  package let connections: [UInt32: String]

  /// Whether a recorder of the log has said what it keeps.
  package var hasPolicy: Bool { formatVersion >= LogFormat.policyVersion }
}

/// A capture that was imported into a log, as it was at the last import.
package struct ImportedSource: Hashable, Sendable {
  /// The digest that identifies its bytes, usually a hexadecimal checksum; at most 1 KiB.
  package let digest: String
  /// Its name for people; at most 64 KiB.
  package let name: String
  /// Its length in bytes.
  package let length: UInt64
  /// The records that came from it, in order; empty if unknown.
  package let records: [ClosedRange<UInt64>]
  /// The numbers of its connections, by its own names for them.
  ///
  /// Records of other connections in `records` came from captures that were imported with it.
  package let connections: [String: UInt32]

  package init(
    digest: String, name: String, length: UInt64 = 0, records: [ClosedRange<UInt64>] = [],
    connections: [String: UInt32] = [:]
  ) {
    self.digest = digest
    self.name = name
    self.length = length
    self.records = records
    self.connections = connections
  }
}

/// The progress of a rebuild of the derived parts.
struct RebuildProgress: Hashable {
  var eventVersion: UInt32
  var next: UInt64
}

extension LogTransaction where Self: ~Copyable {
  /// The log's own entries.
  package var meta: LogMeta {
    get throws(EventLogError) {
      // Check all entries together: reading a single one does not detect an entry that is gone with
      // its checksum, or a list of imports that ends too early.
      if let damage = MetaCheck(entries: try metaEntries()).damage.first {
        throw .corrupt(what: "among the log's own entries, \(damage)")
      }
      return LogMeta(
        formatVersion: try get(.format) ?? 0, account: try get(.account),
        eventVersion: try get(.eventVersion), imports: try imports(),
        connections: try connections())
    }
  }

  /// All entries of the database `meta`, including the checksums.
  func metaEntries() throws(EventLogError) -> [MetaKey: [UInt8]] {
    var entries: [MetaKey: [UInt8]] = [:]
    let cursor = try Cursor(databases.meta, in: self)
    var next = try cursor.first()
    while let entry = next {
      entries[MetaKey(entry.key)] = [UInt8](entry.value)
      next = try cursor.next()
    }
    return entries
  }

  /// The value of an entry of the database `meta`; nil if the log does not have it.
  func get<Value>(_ entry: MetaEntry<Value>) throws(EventLogError) -> Value? {
    try get(entry, from: databases.meta)
  }

  fileprivate func connections() throws(EventLogError) -> [UInt32: String] {
    var names: [UInt32: String] = [:]
    let cursor = try Cursor(databases.meta, in: self)
    var next = try cursor.first(atOrAfter: MetaKey(connection: 0))
    while let entry = next, let number = MetaKey(entry.key).connectionNumber {
      names[number] = try get(.connection(number))
      next = try cursor.next()
    }
    return names
  }

  fileprivate func imports() throws(EventLogError) -> [ImportedSource] {
    var sources: [ImportedSource] = []
    while let source = try get(.imported(UInt32(sources.count))) { sources.append(source) }
    return sources
  }
}

extension LogTransaction where Self: ~Copyable {
  /// The number of the transaction that wrote the visible state.
  ///
  /// A damaged meta page can lead to an earlier state, which is sound in itself.
  var lastWriter: UInt64? {
    get throws(EventLogError) { try get(.transaction) }
  }
}

extension EventLogError {
  /// The visible state is not that of the last transaction.
  static func otherWriter(_ writer: UInt64?, than number: UInt64) -> EventLogError {
    .corrupt(
      what: "transaction \(number) wrote last, but the state found is that of "
        + (writer.map { "transaction \($0)" } ?? "no transaction"))
  }
}

extension Transaction where Self: ~Copyable {
  /// The version of the file's format, read without verifying its checksum.
  func format(in database: Database<MetaKey>) throws(EventLogError) -> UInt32? {
    guard let stored = try get(database, MetaEntry<UInt32>.format.key) else { return nil }
    return UInt32(stored: stored)
  }

  /// The value of an entry of the database `meta`, given while the others are not open yet.
  ///
  /// - Returns: Nil if the log does not have the entry.
  func get<Value>(
    _ entry: MetaEntry<Value>, from database: Database<MetaKey>
  ) throws(EventLogError) -> Value? {
    let checksum = try get(database, entry.key.ofChecksum)
    guard let stored = try get(database, entry.key) else {
      guard checksum == nil else {
        throw .corrupt(what: "the log's own entry \"\(entry.name)\" is missing")
      }
      return nil
    }
    let expected = entry.key.checksum(of: stored).bytes
    guard let checksum, checksum.isSame(as: expected.span.bytes) else {
      throw .corrupt(what: "the log's own entry \"\(entry.name)\" is not what was written")
    }
    guard let value = Value(stored: stored) else {
      throw .corrupt(what: "the log's own entry \"\(entry.name)\" cannot be read")
    }
    return value
  }
}

extension WriteTransaction {
  /// Stores this transaction's number, for `lastWriter`.
  func noteNumber() throws(EventLogError) {
    try set(.transaction, to: UInt64(id))
  }

  /// Writes an entry of the database `meta` and its checksum; nil removes both.
  func set<Value>(_ entry: MetaEntry<Value>, to value: Value?) throws(EventLogError) {
    let (key, checksumKey) = (entry.key, entry.key.ofChecksum)
    guard let stored = value?.stored else {
      try delete(databases.meta, key)
      return try delete(databases.meta, checksumKey)
    }
    try put(databases.meta, key, stored)
    try put(databases.meta, checksumKey, key.checksum(of: stored.span.bytes).bytes)
  }

  /// Adds a capture to the imports, or puts it in place of a former one.
  func add(
    _ source: ImportedSource, replacing former: ImportedSource? = nil
  ) throws(EventLogError) {
    for (text, limit) in [
      (source.digest, ImportedSource.digestLimit), (source.name, ImportedSource.nameLimit),
    ] where text.utf8.count > limit {
      throw .markTooLong(bytes: text.utf8.count, limit: limit)
    }
    let sources = try imports()
    let index = former.flatMap { sources.firstIndex(of: $0) } ?? sources.count
    try set(.imported(UInt32(index)), to: source)
  }
}
