import RawBytes

/// What a log says about itself.
package struct LogMeta: Hashable, Sendable {
  /// The version of the file's format.
  package let formatVersion: UInt32
  /// The account whose history this is; nil while it is unknown.
  package let account: String?
  /// The version of the code that made the stored events and the contact index; nil while they
  /// are incomplete: they were being made anew, or a program of another version has written.
  package let eventVersion: UInt32?
  /// What was imported, oldest first.
  package let imports: [ImportedSource]
  /// What sources call their connections, by number; not all have a name.
  package let connections: [UInt32: String]
}

/// A capture that was imported into a log, as it was at the last import.
package struct ImportedSource: Hashable, Sendable {
  /// What its bytes are known again by, commonly a hexadecimal checksum; at most 1 KiB.
  package let digest: String
  /// What people call it; at most 64 KiB.
  package let name: String
  /// How many bytes it had.
  package let length: UInt64
  /// Which records it gave, in order; empty where that is not known.
  package let records: [ClosedRange<UInt64>]
  /// The numbers of its connections, by what it calls them. Records of other connections in
  /// `records` are those of captures that were imported together with it.
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

/// How far a rebuild of the derived parts has come.
struct RebuildProgress: Hashable {
  var eventVersion: UInt32
  var next: UInt64
}

extension LogTransaction where Self: ~Copyable {
  /// What the log says about itself.
  package var meta: LogMeta {
    get throws(EventLogError) {
      // Who looks for one entry does not see where it is gone with its checksum, or that a list
      // of entries ends too early: something else is then wrong.
      if let damage = MetaCheck(entries: try metaEntries()).damage.first {
        throw .corrupt(sequence: 0, what: "of what it says about itself, \(damage)")
      }
      return LogMeta(
        formatVersion: try get(.format) ?? 0, account: try get(.account),
        eventVersion: try get(.eventVersion), imports: try imports(),
        connections: try connections())
    }
  }

  /// Everything that the database `meta` holds, checksums too.
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

  /// The value of an entry of the database `meta`; nil where the log has none.
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
  /// The number of the transaction that wrote what is seen. A meta page that has changed can lead
  /// to what was there before it, which is as sound.
  var lastWriter: UInt64? {
    get throws(EventLogError) { try get(.transaction) }
  }
}

extension EventLogError {
  /// What is seen is not what the last transaction wrote.
  static func otherWriter(_ writer: UInt64?, than number: UInt64) -> EventLogError {
    .corrupt(
      sequence: 0,
      what: "transaction \(number) wrote last, and what is found is of "
        + (writer.map { "transaction \($0)" } ?? "none"))
  }
}

extension Transaction where Self: ~Copyable {
  /// The version of the file's format, whatever its checksum.
  func format(in database: Database<MetaKey>) throws(EventLogError) -> UInt32? {
    guard let stored = try get(database, MetaEntry<UInt32>.format.key) else { return nil }
    return UInt32(stored: stored)
  }

  /// The same while the other databases are still to be opened.
  func get<Value>(
    _ entry: MetaEntry<Value>, from database: Database<MetaKey>
  ) throws(EventLogError) -> Value? {
    let checksum = try get(database, entry.key.ofChecksum)
    guard let stored = try get(database, entry.key) else {
      guard checksum == nil else {
        throw .corrupt(sequence: 0, what: "the log's own entry \"\(entry.name)\" is missing")
      }
      return nil
    }
    let right = entry.key.checksum(of: stored).bytes
    guard let checksum, checksum.isSame(as: right.span.bytes) else {
      throw .corrupt(
        sequence: 0, what: "the log's own entry \"\(entry.name)\" is not what was written")
    }
    guard let value = Value(stored: stored) else {
      throw .corrupt(sequence: 0, what: "the log's own entry \"\(entry.name)\" cannot be read")
    }
    return value
  }
}

extension WriteTransaction {
  /// Notes which transaction this is, for `lastWriter`.
  func noteNumber() throws(EventLogError) {
    try set(.transaction, to: UInt64(id))
  }

  /// Writes an entry of the database `meta` and its checksum; nil takes both away.
  func set<Value>(_ entry: MetaEntry<Value>, to value: Value?) throws(EventLogError) {
    let (key, checksumKey) = (entry.key, entry.key.ofChecksum)
    guard let stored = value?.stored else {
      try delete(databases.meta, key)
      return try delete(databases.meta, checksumKey)
    }
    try put(databases.meta, key, stored)
    try put(databases.meta, checksumKey, key.checksum(of: stored.span.bytes).bytes)
  }

  /// Notes a capture after those that were imported before, or in the place of one of them.
  func add(
    _ source: ImportedSource, replacing former: ImportedSource? = nil
  ) throws(EventLogError) {
    for (text, limit) in [
      (source.digest, ImportedSource.digestLimit), (source.name, ImportedSource.nameLimit),
    ] where text.utf8.count > limit {
      throw .markTooLong(bytes: text.utf8.count, limit: limit)
    }
    let sources = try imports()
    let place = former.flatMap { sources.firstIndex(of: $0) } ?? sources.count
    try set(.imported(UInt32(place)), to: source)
  }
}
