import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The initial content of a new log.
struct NewLog {
  var account: String?
  var eventVersion: UInt32
}

extension Environment {
  /// How a file is opened, apart from its path and access.
  struct Options {
    /// The initial address space in bytes.
    var mapSize: Int
    /// The names of the further databases that the log has besides its own.
    var further: [String] = []
  }
}

/// Opens an LMDB environment and checks that it is a log.
enum Opening {
  /// A log is private, like the conversations in it.
  private static let mode: mode_t = 0o600
  private static let readers: UInt32 = 512
  /// A map is a multiple of the largest page size in use.
  private static let mapUnit = 1 << 16
  /// A smaller map has no room for the two meta pages and one transaction.
  private static let minMapSize = 1 << 18

  /// - Parameter isSynced: Whether a commit waits for the disk. A draft, which a power cut would
  ///   discard anyway, need not wait.
  static func open(
    _ path: String, access: LogAccess, _ options: Environment.Options, isSynced: Bool,
    creating new: NewLog?
  ) throws(EventLogError) -> Environment.Open {
    let mapSize = options.mapSize
    if new == nil { try MetaPageCheck.check(path) }
    // LMDB opens or creates the lock file by name and writes to it.
    try FileSystem.refuseLink(path + "-lock")
    var raw = try openEnvironment(path, access: access, mapSize: mapSize, isSynced: isSynced)
    if lacksNumber(raw) {
      mdb_env_close(raw)
      raw = try openEnvironment(path, access: access, mapSize: mapSize, isSynced: isSynced)
    }
    do throws(EventLogError) {
      mdb_reader_check(raw, nil)
      let databases = try databases(
        raw, path, access: access, further: options.further, creating: new)
      if access == .readWrite { coverLastPage(raw) }
      return Environment.Open(raw: raw, databases: databases)
    } catch {
      mdb_env_close(raw)
      throw error
    }
  }

  // MARK: The environment

  /// Whether the lock file lacks the number of the last transaction.
  ///
  /// The first process to open the log writes that number. If it is killed after it makes the file
  /// and before it writes the number, while this process waits for it, the number is missing. Then
  /// this process may be the only one that has the log open.
  static func lacksNumber(_ raw: OpaquePointer) -> Bool {
    var begun: OpaquePointer?
    guard mdb_txn_begin(raw, nil, UInt32(MDB_RDONLY), &begun) == MDB_SUCCESS, let begun else {
      return false
    }
    let seen = mdb_txn_id(begun)
    mdb_txn_abort(begun)
    var info = MDB_envinfo()
    return seen == 0 && mdb_env_info(raw, &info) == MDB_SUCCESS && info.me_last_txnid > 0
  }

  /// Opens the environment with the requested map, or the largest that fits the address space.
  static func openEnvironment(
    _ path: String, access: LogAccess, mapSize: Int, isSynced: Bool
  ) throws(EventLogError) -> OpaquePointer {
    var size = max(minMapSize, rounded(mapSize))
    var flags = MDB_NOSUBDIR | MDB_NOTLS
    if !isSynced { flags |= MDB_NOSYNC }
    if access == .readOnly { flags |= MDB_RDONLY }
    while true {
      do throws(EventLogError) {
        return try openEnvironment(path, flags: flags, mapSize: size)
      } catch let error
        where error.lmdbCode == ENOMEM || error.lmdbCode == EINVAL && size > minMapSize
      {
        // Either address space is limited, or the system (such as valgrind) rejects so large a map.
        // A smaller map is enough until the log outgrows it.
        guard size > minMapSize else { throw .addressSpace(path: path, bytes: size) }
        repeat {
          size = max(minMapSize, rounded(size / 2))
        } while size > minMapSize && !leavesRoom(size)
      } catch let error
        where error.lmdbCode == EACCES && flags & MDB_RDONLY != 0 && flags & MDB_NOLOCK == 0
      {
        // This user may not write the lock file. Reading without it is safe while there is no
        // writer, and a writer would hold a lock.
        guard try !FileSystem.isLocked(path + "-lock") else {
          throw .inUseBeyondLock(path: path)
        }
        flags |= MDB_NOLOCK
      } catch {
        throw error.explained(for: path)
      }
    }
  }

  private static func openEnvironment(
    _ path: String, flags: Int32, mapSize: Int
  ) throws(EventLogError) -> OpaquePointer {
    var created: OpaquePointer?
    try check(mdb_env_create(&created), "open")
    guard let raw = created else { throw .lmdb(doing: "open", code: ENOMEM) }
    var code = mdb_env_set_maxdbs(raw, Databases.capacity)
    if code == MDB_SUCCESS { code = mdb_env_set_maxreaders(raw, readers) }
    if code == MDB_SUCCESS { code = mdb_env_set_mapsize(raw, mapSize) }
    if code == MDB_SUCCESS { code = mdb_env_open(raw, path, UInt32(flags), mode) }
    guard code == MDB_SUCCESS else {
      mdb_env_close(raw)
      throw .lmdb(doing: "open", code: code)
    }
    return raw
  }

  // MARK: The map

  /// Whether address space is left for four times the map: the map and the rest of the program.
  private static func leavesRoom(_ size: Int) -> Bool {
    guard let address = mmap(nil, 4 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      address != MAP_FAILED
    else { return false }
    munmap(address, 4 * size)
    return true
  }

  static func mapSize(of raw: OpaquePointer) -> Int {
    var info = MDB_envinfo()
    mdb_env_info(raw, &info)
    return info.me_mapsize
  }

  /// The next larger map size.
  static func grown(_ size: Int) -> Int {
    let (double, overflow) = size.multipliedReportingOverflow(by: 2)
    return overflow ? Int.max / mapUnit * mapUnit : rounded(double)
  }

  private static func rounded(_ size: Int) -> Int {
    guard size < Int.max - mapUnit else { return Int.max / mapUnit * mapUnit }
    return max(0, size + mapUnit - 1) / mapUnit * mapUnit
  }

  /// Extends the file to the length that its newest meta page gives.
  ///
  /// LMDB never writes a page at the end that a transaction allocated and freed again, so a sound
  /// file can be a little short. After this, a short file is always a truncated one. Failures are
  /// ignored, because the missing pages are free.
  static func coverLastPage(_ raw: OpaquePointer) {
    guard isShort(raw) != nil else { return }
    var opened: OpaquePointer?
    // During a write transaction, no other process can extend the file.
    guard mdb_txn_begin(raw, nil, 0, &opened) == MDB_SUCCESS, let transaction = opened else {
      return
    }
    if let (descriptor, bytes) = isShort(raw) { ftruncate(descriptor, bytes) }
    mdb_txn_abort(transaction)
  }

  private static func isShort(_ raw: OpaquePointer) -> (descriptor: Int32, bytes: off_t)? {
    var info = MDB_envinfo()
    var figures = MDB_stat()
    var descriptor: Int32 = -1
    var status = stat()
    guard mdb_env_info(raw, &info) == MDB_SUCCESS, mdb_env_stat(raw, &figures) == MDB_SUCCESS,
      mdb_env_get_fd(raw, &descriptor) == MDB_SUCCESS, fstat(descriptor, &status) == 0
    else { return nil }
    let bytes = off_t(info.me_last_pgno + 1) * off_t(figures.ms_psize)
    return status.st_size < bytes ? (descriptor, bytes) : nil
  }

  // MARK: The databases

  /// Opens or creates the databases, after checking that this is a log of a known format.
  private static func databases(
    _ raw: OpaquePointer, _ path: String, access: LogAccess, further: [String],
    creating new: NewLog?
  ) throws(EventLogError) -> Databases {
    do throws(EventLogError) {
      if let new { return try makeDatabases(raw, new, further: further) }
      return try findDatabases(raw, path, access: access, further: further)
    } catch let error where error.lmdbCode == MDB_MAP_FULL {
      // A map of the file's size has no room for a new database.
      try check(mdb_env_set_mapsize(raw, grown(mapSize(of: raw))), "open")
      return try databases(raw, path, access: access, further: further, creating: new)
    } catch let error where error.lmdbCode.map({ $0 > 0 }) ?? false {
      throw error.explained(for: path)
    }
  }

  private static func makeDatabases(
    _ raw: OpaquePointer, _ new: NewLog, further: [String]
  ) throws(EventLogError) -> Databases {
    let opening = try OpeningTransaction(raw, access: .readWrite)
    let flags = UInt32(MDB_CREATE)
    let databases = try Databases(meta: opening.database("meta", flags), further: further) {
      (name) throws(EventLogError) in
      try opening.openDatabase(name, flags)
    }
    let transaction = opening.writing(databases)
    try transaction.set(
      .format, to: further.isEmpty ? LogFormat.version : LogFormat.furtherVersion)
    try transaction.set(.eventVersion, to: new.eventVersion)
    if let account = new.account { try transaction.set(.account, to: account) }
    try transaction.noteNumber()
    try transaction.commit(to: "open")
    return databases
  }

  private static func findDatabases(
    _ raw: OpaquePointer, _ path: String, access: LogAccess, further: [String]
  ) throws(EventLogError) -> Databases {
    let opening = try OpeningTransaction(raw, access: access)
    let meta: Database<MetaKey>
    do throws(EventLogError) {
      meta = try opening.database("meta", 0)
    } catch let error where error.isOfMissingDatabase {
      throw .foreignDatabase(path: path)
    }
    // The format comes first, because other formats have other checksums.
    guard let format = try opening.format(in: meta), format > 0 else {
      throw .foreignDatabase(path: path)
    }
    guard (format == LogFormat.furtherVersion) == !further.isEmpty else {
      throw further.isEmpty ? .ofManyAccounts(path: path) : .notOfManyAccounts(path: path)
    }
    guard format <= LogFormat.policyVersion || format == LogFormat.furtherVersion else {
      throw .newerFormat(path: path, format: format, supported: LogFormat.policyVersion)
    }
    guard format >= LogFormat.version else { throw .olderFormat(path: path, format: format) }
    let databases = try Databases(meta: meta, further: further) {
      (name) throws(EventLogError) in
      do throws(EventLogError) {
        return try opening.openDatabase(name, 0)
      } catch let error where error.isOfMissingDatabase {
        throw .damaged(path: path, what: "it has no database \(name)")
      }
    }
    try opening.commit()
    return databases
  }
}

/// The transaction in which the databases of a log are opened or created.
///
/// It has to be committed to keep their handles, even if nothing was written.
private struct OpeningTransaction: ~Copyable, Transaction {
  let handle: TransactionHandle

  init(_ environment: OpaquePointer, access: LogAccess) throws(EventLogError) {
    let flags = access == .readOnly ? UInt32(MDB_RDONLY) : 0
    var opened: OpaquePointer?
    var code = mdb_txn_begin(environment, nil, flags, &opened)
    if code == MDB_MAP_RESIZED {
      // Another process has grown the file since it was mapped a moment ago.
      try check(mdb_env_set_mapsize(environment, 0), "open")
      code = mdb_txn_begin(environment, nil, flags, &opened)
    }
    try check(code, "open")
    guard let opened else { throw .lmdb(doing: "open", code: MDB_PANIC) }
    handle = TransactionHandle(raw: opened)
  }

  deinit { mdb_txn_abort(handle.raw) }

  func database<Key>(_ name: String, _ flags: UInt32) throws(EventLogError) -> Database<Key> {
    Database(handle: try openDatabase(name, flags))
  }

  func openDatabase(_ name: String, _ flags: UInt32) throws(EventLogError) -> MDB_dbi {
    var database: MDB_dbi = 0
    try check(mdb_dbi_open(handle.raw, name, flags, &database), "open")
    // The file itself says how its keys are ordered; a log has no other order than the default.
    var stored: UInt32 = 0
    try check(mdb_dbi_flags(handle.raw, database, &stored), "open")
    guard stored == 0 else { throw .lmdb(doing: "open", code: MDB_INCOMPATIBLE) }
    return database
  }

  /// Turns this transaction into one that can write the first entries.
  consuming func writing(_ databases: Databases) -> WriteTransaction {
    let raw = handle.raw
    discard self
    return WriteTransaction(raw, databases)
  }

  consuming func commit() throws(EventLogError) {
    let raw = handle.raw
    discard self
    try check(mdb_txn_commit(raw), "open")
  }
}

extension EventLogError {
  /// Whether the file has no database of a name, or one with other flags.
  fileprivate var isOfMissingDatabase: Bool {
    lmdbCode == MDB_NOTFOUND || lmdbCode == MDB_INCOMPATIBLE
  }
}
