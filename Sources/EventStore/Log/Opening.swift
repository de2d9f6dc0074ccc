import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a new log is made with.
struct NewLog {
  var account: String?
  var eventVersion: UInt32
}

/// How an LMDB environment is opened and made sure to be a log.
enum Opening {
  /// A log is private, as the talk in it is.
  private static let mode: mode_t = 0o600
  private static let readers: UInt32 = 512
  /// A map is a whole number of the largest pages that are about.
  private static let mapUnit = 1 << 16
  /// Below this a map has no room for the two meta pages and one transaction.
  private static let leastMap = 1 << 18

  /// - Parameter isSynced: Whether a transaction is on the disk when it is committed. A file that
  ///   is lost by a power cut whatever is in it need not wait.
  static func open(
    _ path: String, access: LogAccess, mapSize: Int, isSynced: Bool, creating new: NewLog?
  ) throws(EventLogError) -> Environment.Open {
    if new == nil { try MetaPageCheck.check(path) }
    // LMDB opens or makes it by its name, and writes into it.
    try FileSystem.refuseLink(path + "-lock")
    var raw = try openEnvironment(path, access: access, mapSize: mapSize, isSynced: isSynced)
    if lacksNumber(raw) {
      mdb_env_close(raw)
      raw = try openEnvironment(path, access: access, mapSize: mapSize, isSynced: isSynced)
    }
    do throws(EventLogError) {
      mdb_reader_check(raw, nil)
      let databases = try databases(raw, path, access: access, creating: new)
      if access == .readWrite { coverLastPage(raw) }
      return Environment.Open(raw: raw, databases: databases)
    } catch {
      mdb_env_close(raw)
      throw error
    }
  }

  // MARK: The environment

  /// Whether the lock file does not say which transaction was the last one. Whoever opens the log
  /// alone writes that there: a process that was killed between making the file and that, while
  /// this one waited for it, has left it so. By now nobody else need have the log open.
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

  /// Opens the environment with as much of the wanted map as there is room for.
  static func openEnvironment(
    _ path: String, access: LogAccess, mapSize: Int, isSynced: Bool
  ) throws(EventLogError) -> OpaquePointer {
    var size = max(leastMap, rounded(mapSize))
    var flags = MDB_NOSUBDIR | MDB_NOTLS
    if !isSynced { flags |= MDB_NOSYNC }
    if access == .readOnly { flags |= MDB_RDONLY }
    while true {
      do throws(EventLogError) {
        return try openEnvironment(path, flags: flags, mapSize: size)
      } catch .lmdb(_, let code) where code == ENOMEM || code == EINVAL && size > leastMap {
        // A limit on address space, or a system that takes so much for a mistake, as valgrind does.
        // A smaller map does until the log outgrows it.
        guard size > leastMap else { throw .addressSpace(path: path, bytes: size) }
        repeat {
          size = max(leastMap, rounded(size / 2))
        } while size > leastMap && !leavesRoom(size)
      } catch .lmdb(_, EACCES) where flags & MDB_RDONLY != 0 && flags & MDB_NOLOCK == 0 {
        // This user may not write the lock file. Without one a reader is safe for as long as
        // nobody writes, and nobody does who has not taken a lock.
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
    var code = mdb_env_set_maxdbs(raw, Databases.most)
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

  /// Whether there is address space for a map and for as much three times more, which the rest of
  /// the program lives in.
  private static func leavesRoom(_ size: Int) -> Bool {
    guard let place = mmap(nil, 4 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      place != MAP_FAILED
    else { return false }
    munmap(place, 4 * size)
    return true
  }

  static func mapSize(of raw: OpaquePointer) -> Int {
    var info = MDB_envinfo()
    mdb_env_info(raw, &info)
    return info.me_mapsize
  }

  /// The next larger map.
  static func grown(_ size: Int) -> Int {
    let (double, overflow) = size.multipliedReportingOverflow(by: 2)
    return overflow ? Int.max / mapUnit * mapUnit : rounded(double)
  }

  private static func rounded(_ size: Int) -> Int {
    guard size < Int.max - mapUnit else { return Int.max / mapUnit * mapUnit }
    return max(0, size + mapUnit - 1) / mapUnit * mapUnit
  }

  /// Makes the file reach as far as its newest meta page says.
  ///
  /// A page at the end that a transaction took and gave back is never written, so a sound file can
  /// be a little short. It is made whole, so that a short file is always a cut one. Nothing is done
  /// about a failure: the pages are free ones.
  static func coverLastPage(_ raw: OpaquePointer) {
    guard isShort(raw) != nil else { return }
    var opened: OpaquePointer?
    // Inside a write transaction no other process can be making the file longer.
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

  /// Opens or makes the databases, once it is clear that this is a log of a known format.
  private static func databases(
    _ raw: OpaquePointer, _ path: String, access: LogAccess, creating new: NewLog?
  ) throws(EventLogError) -> Databases {
    do throws(EventLogError) {
      if let new { return try makeDatabases(raw, new) }
      return try findDatabases(raw, path, access: access)
    } catch .lmdb(_, MDB_MAP_FULL) {
      // A map that is as large as the file has no room for a database that is to be added.
      try check(mdb_env_set_mapsize(raw, grown(mapSize(of: raw))), "open")
      return try databases(raw, path, access: access, creating: new)
    } catch .lmdb(let doing, let code) where code > 0 {
      throw EventLogError.lmdb(doing: doing, code: code).explained(for: path)
    }
  }

  private static func makeDatabases(
    _ raw: OpaquePointer, _ new: NewLog
  ) throws(EventLogError) -> Databases {
    let opening = try OpeningTransaction(raw, access: .readWrite)
    let flags = UInt32(MDB_CREATE)
    let databases = try Databases(meta: opening.database("meta", flags)) {
      (name) throws(EventLogError) in
      try opening.openDatabase(name, flags)
    }
    let transaction = opening.writing(databases)
    try transaction.set(.format, to: LogFormat.version)
    try transaction.set(.eventVersion, to: new.eventVersion)
    if let account = new.account { try transaction.set(.account, to: account) }
    try transaction.noteNumber()
    try transaction.commit(to: "open")
    return databases
  }

  private static func findDatabases(
    _ raw: OpaquePointer, _ path: String, access: LogAccess
  ) throws(EventLogError) -> Databases {
    let opening = try OpeningTransaction(raw, access: access)
    let meta: Database<MetaKey>
    do throws(EventLogError) {
      meta = try opening.database("meta", 0)
    } catch .lmdb(_, MDB_NOTFOUND), .lmdb(_, MDB_INCOMPATIBLE) {
      throw .foreignDatabase(path: path)
    }
    // Before all else: the checksums of another format are not known.
    guard let format = try opening.format(in: meta), format > 0 else {
      throw .foreignDatabase(path: path)
    }
    guard format <= LogFormat.version else {
      throw .newerFormat(path: path, format: format, supported: LogFormat.version)
    }
    guard format == LogFormat.version else { throw .olderFormat(path: path, format: format) }
    let databases = try Databases(meta: meta) {
      (name) throws(EventLogError) in
      do throws(EventLogError) {
        return try opening.openDatabase(name, 0)
      } catch .lmdb(_, MDB_NOTFOUND), .lmdb(_, MDB_INCOMPATIBLE) {
        throw .damaged(path: path, what: "it has no database \(name)")
      }
    }
    try opening.commit()
    return databases
  }
}

/// The transaction in which the databases of a log are opened or made. Committing it is what keeps
/// their handles, also where nothing was written.
private struct OpeningTransaction: ~Copyable, Transaction {
  let handle: TransactionHandle

  init(_ environment: OpaquePointer, access: LogAccess) throws(EventLogError) {
    let flags = access == .readOnly ? UInt32(MDB_RDONLY) : 0
    var opened: OpaquePointer?
    var code = mdb_txn_begin(environment, nil, flags, &opened)
    if code == MDB_MAP_RESIZED {
      // Another process has grown the file since it was mapped, a moment ago.
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
    // A file says itself how its keys are compared: any other way than ours is not ours.
    var stored: UInt32 = 0
    try check(mdb_dbi_flags(handle.raw, database, &stored), "open")
    guard stored == 0 else { throw .lmdb(doing: "open", code: MDB_INCOMPATIBLE) }
    return database
  }

  /// The same transaction, to write the first entries in.
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
