import CLMDB

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
}

/// A capture that was imported into a log.
package struct ImportedSource: Hashable, Sendable {
  /// What tells the capture from any other, commonly a hexadecimal digest; at most 1 KiB.
  package let digest: String
  /// What people call it; at most 64 KiB.
  package let name: String

  package init(digest: String, name: String) {
    self.digest = digest
    self.name = name
  }

  /// Nil where the bytes are no stored import.
  init?(stored value: UnsafeRawBufferPointer) {
    guard value.count >= 2 else { return nil }
    let end = 2 + Int(value.loadBigEndian(at: 0, as: UInt16.self))
    guard value.count >= end else { return nil }
    digest = String(decoding: value[2..<end], as: UTF8.self)
    name = String(decoding: value[end...], as: UTF8.self)
  }
}

/// The database `meta` inside a transaction.
struct MetaTable {
  let raw: OpaquePointer
  let database: MDB_dbi

  private static let digestLimit = 1 << 10
  private static let nameLimit = 1 << 16

  /// How far a rebuild of the derived parts has come.
  struct Rebuild: Hashable {
    var eventVersion: UInt32
    var next: UInt64
  }

  // MARK: Reading

  func all() throws(EventLogError) -> LogMeta {
    LogMeta(
      formatVersion: try format() ?? 0, account: try account(),
      eventVersion: try eventVersion(), imports: try imports())
  }

  func format() throws(EventLogError) -> UInt32? { try integer("format") }
  func eventVersion() throws(EventLogError) -> UInt32? { try integer("events") }

  func account() throws(EventLogError) -> String? {
    try Store.get(raw, database, key: "account") { String(decoding: $0, as: UTF8.self) }
  }

  func rebuild() throws(EventLogError) -> Rebuild? {
    try Store.get(raw, database, key: "rebuild") { (value) throws(EventLogError) in
      guard value.count == 12 else { throw Self.unreadable("rebuild") }
      return Rebuild(
        eventVersion: value.loadBigEndian(at: 0, as: UInt32.self),
        next: value.loadBigEndian(at: 4, as: UInt64.self))
    }
  }

  private func imports() throws(EventLogError) -> [ImportedSource] {
    var sources: [ImportedSource] = []
    while let source = try importedSource(UInt32(sources.count)) { sources.append(source) }
    return sources
  }

  private func importedSource(_ number: UInt32) throws(EventLogError) -> ImportedSource? {
    try Store.get(raw, database, Self.importKey(number)) { (value) throws(EventLogError) in
      guard let source = ImportedSource(stored: value) else { throw Self.unreadable("import") }
      return source
    }
  }

  private func integer(_ key: String) throws(EventLogError) -> UInt32? {
    try Store.get(raw, database, key: key) { (value) throws(EventLogError) in
      guard value.count == 4 else { throw Self.unreadable(key) }
      return value.loadBigEndian(at: 0, as: UInt32.self)
    }
  }

  private static func unreadable(_ key: String) -> EventLogError {
    .corrupt(sequence: 0, what: "the log's own entry \"\(key)\" cannot be read")
  }

  // MARK: Writing

  func setFormat() throws(EventLogError) { try set("format", LogFormat.version) }

  func setAccount(_ account: String) throws(EventLogError) {
    try put(Array("account".utf8), Array(account.utf8))
  }

  func setEventVersion(_ version: UInt32?) throws(EventLogError) {
    if let version {
      try set("events", version)
    } else {
      try delete(Array("events".utf8))
    }
  }

  func setRebuild(_ rebuild: Rebuild?) throws(EventLogError) {
    let key = Array("rebuild".utf8)
    guard let rebuild else { return try delete(key) }
    try put(key, bigEndian(rebuild.eventVersion) + bigEndian(rebuild.next))
  }

  func add(_ source: ImportedSource) throws(EventLogError) {
    let digest = Array(source.digest.utf8)
    let name = Array(source.name.utf8)
    guard digest.count <= Self.digestLimit else {
      throw .markTooLong(bytes: digest.count, limit: Self.digestLimit)
    }
    guard name.count <= Self.nameLimit else {
      throw .markTooLong(bytes: name.count, limit: Self.nameLimit)
    }
    let key = Self.importKey(UInt32(try imports().count))
    try put(key, bigEndian(UInt16(digest.count)) + digest + name)
  }

  private func set(_ key: String, _ value: UInt32) throws(EventLogError) {
    try put(Array(key.utf8), bigEndian(value))
  }

  /// Writes an entry and its seal.
  private func put(_ key: [UInt8], _ value: [UInt8]) throws(EventLogError) {
    try Store.put(raw, database, key, value)
    try Store.put(raw, database, MetaSeal.key(for: key), MetaSeal.seal(key, value))
  }

  private func delete(_ key: [UInt8]) throws(EventLogError) {
    try Store.delete(raw, database, key)
    try Store.delete(raw, database, MetaSeal.key(for: key))
  }

  private static func importKey(_ number: UInt32) -> [UInt8] {
    Array("import".utf8) + bigEndian(number)
  }
}

private func bigEndian<Integer: FixedWidthInteger>(_ value: Integer) -> [UInt8] {
  withUnsafeBytes(of: value.bigEndian) { Array($0) }
}

extension Store {
  fileprivate static func get<R>(
    _ raw: OpaquePointer, _ database: MDB_dbi, _ key: [UInt8],
    _ body: (UnsafeRawBufferPointer) throws(EventLogError) -> R
  ) throws(EventLogError) -> R? {
    try key.withRawBytes { (key) throws(EventLogError) in
      try get(raw, database, key, body)
    }
  }

  fileprivate static func get<R>(
    _ raw: OpaquePointer, _ database: MDB_dbi, key: String,
    _ body: (UnsafeRawBufferPointer) throws(EventLogError) -> R
  ) throws(EventLogError) -> R? {
    try get(raw, database, Array(key.utf8), body)
  }

  fileprivate static func put(
    _ raw: OpaquePointer, _ database: MDB_dbi, _ key: [UInt8], _ value: [UInt8]
  ) throws(EventLogError) {
    try key.withRawBytes { (key) throws(EventLogError) in
      try value.withRawBytes { (value) throws(EventLogError) in
        try put(raw, database, key, value)
      }
    }
  }

  fileprivate static func delete(
    _ raw: OpaquePointer, _ database: MDB_dbi, _ key: [UInt8]
  ) throws(EventLogError) {
    try key.withRawBytes { (key) throws(EventLogError) in
      try delete(raw, database, key)
    }
  }
}
