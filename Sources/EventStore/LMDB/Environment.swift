import CLMDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One open LMDB file, and the rules under which the process may use it.
///
/// Transactions share the lock; growing the map, opening anew and closing have it alone.
///
/// `@unchecked Sendable`: `state` is changed only by a thread that has the lock alone, and read
/// only by one that has it; everything else is constant or has a lock of its own.
final class Environment: @unchecked Sendable {
  /// What a log is while it is open.
  struct Open {
    var raw: OpaquePointer
    var databases: Databases
  }

  private struct Location {
    var path: String
    var isDraft: Bool
  }

  private enum State {
    case open(Open)
    /// Between closing the file and opening it anew, or where that failed.
    case shut
    /// For good.
    case closed
  }

  /// What has to be done, alone, before a transaction can be tried again.
  private enum Repair {
    /// Another process has made the map larger.
    case adopt
    case grow
    case reopen
  }

  private enum Attempt<R> {
    case done(R)
    case again(Repair)
  }

  let access: LogAccess
  private let mapSize: Int
  private let lock = ReadersWriterLock()
  private var state = State.shut
  private let location: Mutex<Location>
  /// A commit failed: LMDB 0.9.24 is not to be trusted until it has been opened anew. (A meta page
  /// that cannot be written, for one, leaves it refusing every transaction.)
  private let isDoubtful = Atomic<Bool>(false)
  let derivedDamage = DerivedDamage()
  let undone = UndoneWork()

  /// - Parameter isDraft: Whether nobody else will open the file before it has moved.
  init(path: String, access: LogAccess, mapSize: Int, isDraft: Bool) {
    location = Mutex(Location(path: path, isDraft: isDraft))
    self.access = access
    self.mapSize = mapSize
  }

  /// Where the file is now.
  var path: String { location.withLock { $0.path } }

  // MARK: Opening and closing

  /// Opens the file that is there, or makes one where `creating` says what is to be in it.
  func start(creating meta: NewLog? = nil) throws(EventLogError) {
    try lock.exclusive { () throws(EventLogError) in
      state = .open(try opened(creating: meta))
    }
  }

  /// Waits for the transactions that are open, then closes the file for good.
  func close() throws(EventLogError) {
    try lock.exclusive { () throws(EventLogError) in
      shut()
      state = .closed
    }
  }

  /// Has what a draft's transactions wrote on the disk: they do not wait for it.
  ///
  /// - Throws: The system's error. The draft is then closed for good: the system tells once of
  ///   bytes that it could not write, and would call the next try a success.
  func sync() throws(EventLogError) {
    try lock.exclusive { () throws(EventLogError) in try syncAlone() }
  }

  private func syncAlone() throws(EventLogError) {
    if case .shut = state { state = .open(try opened()) }
    guard case .open(let open) = state else { throw .closed(path: path) }
    let code = mdb_env_sync(open.raw, 1)
    guard code != MDB_SUCCESS else { return }
    shut()
    state = .closed
    throw EventLogError.lmdb(doing: "sync", code: code).explained(for: path)
  }

  /// Has all of a draft on the disk, closes the file, gives it its final path and opens it there.
  ///
  /// - Throws: `EventLogError.outcomeUnknown` where the file has its path and may lose it by a
  ///   power cut. After any other error it does not have it.
  func move(to target: String) throws(EventLogError) {
    try lock.exclusive { () throws(EventLogError) in
      // What was written since `sync`, if anything was.
      try syncAlone()
      shut()
      let source = path
      defer {
        // Whether it moved or not: the log goes on where it is.
        if case .shut = state, let open = try? opened() { state = .open(open) }
      }
      try FileSystem.move(source, to: target)
      do throws(EventLogError) {
        try FileSystem.syncDirectory(of: target)
      } catch {
        // A name that may be gone after a power cut is taken back: nothing was made.
        guard rename(target, source) != 0, unlink(target) != 0, FileSystem.exists(target) else {
          throw error
        }
        location.withLock { $0 = Location(path: target, isDraft: false) }
        throw .outcomeUnknown(path: target, cause: error.description)
      }
      // It is there for good, and whoever uses it next opens it where that fails now.
      location.withLock { $0 = Location(path: target, isDraft: false) }
    }
  }

  private func opened(creating meta: NewLog? = nil) throws(EventLogError) -> Open {
    let location = location.withLock { $0 }
    let open = try Opening.open(
      location.path, access: access, mapSize: mapSize, isSynced: !location.isDraft,
      creating: meta)
    // This process has the lock file open and nobody else needs its name: a draft that is thrown
    // away, or left by a crash, is one file.
    if location.isDraft { unlink(location.path + "-lock") }
    return open
  }

  private func shut() {
    guard case .open(let open) = state else { return }
    mdb_env_close(open.raw)
    state = .shut
  }

  // MARK: Transactions

  func read<R>(
    _ body: (borrowing ReadTransaction) throws(EventLogError) -> R
  ) throws(EventLogError) -> R {
    try transact { (open) throws(EventLogError) in
      try body(beginReading(open))
    }
  }

  /// LMDB takes the number of the newest state, and then what the meta page says that had it. Where
  /// others have written that page in between, it has a newer state under the older number. It is
  /// as sound, but a state that is not its number's must be one that is damaged.
  private func beginReading(_ open: Open) throws(EventLogError) -> ReadTransaction {
    var looks = 0
    while true {
      let transaction = try beginReadingOnce(open)
      let (number, writer) = (transaction.number, try transaction.lastWriter)
      looks += 1
      if writer == number { return transaction }
      guard let writer, writer > number, looks < Self.mostLooks else {
        throw .otherWriter(writer, than: number)
      }
    }
  }

  /// Enough that writers in other processes cannot spoil them all.
  private static let mostLooks = 64

  private func beginReadingOnce(_ open: Open) throws(EventLogError) -> ReadTransaction {
    var raw: OpaquePointer?
    var code = mdb_txn_begin(open.raw, nil, UInt32(MDB_RDONLY), &raw)
    if code == MDB_READERS_FULL {
      // Slots of processes that have died are taken back only when somebody asks.
      mdb_reader_check(open.raw, nil)
      code = mdb_txn_begin(open.raw, nil, UInt32(MDB_RDONLY), &raw)
    }
    try check(code, "begin reading")
    guard let raw else { throw .lmdb(doing: "begin reading", code: MDB_PANIC) }
    return ReadTransaction(raw, open.databases, derivedDamage)
  }

  /// Runs a write transaction and commits it: what `body` wrote is durable when this returns, and
  /// in a draft when that moves.
  ///
  /// `body` runs again from its start where the map has to grow first, so it must change nothing
  /// but the transaction.
  func write<R: Sendable>(
    _ body: (borrowing WriteTransaction) throws(EventLogError) -> R
  ) throws(EventLogError) -> R {
    guard access == .readWrite else { throw .readOnly(path: path) }
    return try FileSystem.holdingBackSizeSignal { () throws(EventLogError) in
      try transact { (open) throws(EventLogError) in
        try writeOnce(open, body)
      }
    }
  }

  private func writeOnce<R: Sendable>(
    _ open: Open, _ body: (borrowing WriteTransaction) throws(EventLogError) -> R
  ) throws(EventLogError) -> R {
    var raw: OpaquePointer?
    try check(mdb_txn_begin(open.raw, nil, 0, &raw), "begin writing")
    guard let raw else { throw .lmdb(doing: "begin writing", code: MDB_PANIC) }
    let transaction = WriteTransaction(raw, open.databases)
    // What wrote last is the one before this.
    let (former, writer) = (UInt64(transaction.id) - 1, try transaction.lastWriter)
    guard writer == former else { throw .otherWriter(writer, than: former) }
    let result = try body(transaction)
    let hasWritten = !transaction.changes.isEmpty
    if hasWritten { try transaction.noteNumber() }
    do throws(EventLogError) {
      try transaction.commit()
    } catch {
      isDoubtful.store(true, ordering: .sequentiallyConsistent)
      guard Self.isOutcomeUnknown(open.raw), !location.withLock({ $0.isDraft }) else { throw error }
      throw .outcomeUnknown(path: path, cause: error.explained(for: path).description)
    }
    Opening.coverLastPage(open.raw)
    if hasWritten { try checkPlace(open.raw) }
    return result
  }

  /// Makes sure that what was committed is in the file at the path: one that was removed meanwhile
  /// is written as before, and gone when it is closed.
  private func checkPlace(_ raw: OpaquePointer) throws(EventLogError) {
    let location = location.withLock { $0 }
    var descriptor: Int32 = -1
    var status = stat()
    guard !location.isDraft, mdb_env_get_fd(raw, &descriptor) == MDB_SUCCESS,
      fstat(descriptor, &status) == 0
    else { return }
    var now = stat()
    guard stat(location.path, &now) == 0 else {
      // Any other failure does not say that the file is gone.
      guard errno == ENOENT || errno == ENOTDIR else { return }
      throw .removed(path: location.path)
    }
    guard FileSystem.Identity(now) == FileSystem.Identity(status) else {
      throw .removed(path: location.path)
    }
  }

  /// Whether a commit failed at its last write, that of the meta page, which may be on the disk:
  /// LMDB then begins no transaction any more.
  private static func isOutcomeUnknown(_ raw: OpaquePointer) -> Bool {
    var begun: OpaquePointer?
    let code = mdb_txn_begin(raw, nil, UInt32(MDB_RDONLY), &begun)
    if let begun { mdb_txn_abort(begun) }
    return code == MDB_PANIC
  }

  /// Tries a transaction, and again after each repair that it turns out to need.
  private func transact<R>(
    _ body: (Open) throws(EventLogError) -> R
  ) throws(EventLogError) -> R {
    // Doubling reaches any size a file can have in fewer rounds than this.
    for _ in 0..<64 {
      switch try attempt(body) {
      case .done(let result): return result
      case .again(let repair): try self.repair(repair)
      }
    }
    throw .lmdb(doing: "begin", code: MDB_MAP_RESIZED)
  }

  private func attempt<R>(
    _ body: (Open) throws(EventLogError) -> R
  ) throws(EventLogError) -> Attempt<R> {
    try lock.shared { () throws(EventLogError) in
      guard !isDoubtful.load(ordering: .sequentiallyConsistent) else { return .again(.reopen) }
      let open: Open
      switch state {
      case .open(let current): open = current
      case .shut: return .again(.reopen)
      case .closed: throw .closed(path: path)
      }
      do throws(EventLogError) {
        return .done(try body(open))
      } catch {
        guard let repair = repair(for: error) else { throw error.explained(for: path) }
        return .again(repair)
      }
    }
  }

  private func repair(for error: EventLogError) -> Repair? {
    guard case .lmdb(_, let code) = error else { return nil }
    switch code {
    case MDB_MAP_RESIZED: return .adopt
    case MDB_MAP_FULL: return .grow
    case MDB_PANIC:
      isDoubtful.store(true, ordering: .sequentiallyConsistent)
      return .reopen
    default: return nil
    }
  }

  private func repair(_ repair: Repair) throws(EventLogError) {
    try lock.exclusive { () throws(EventLogError) in
      switch (repair, state) {
      case (_, .closed): throw .closed(path: path)
      case (.adopt, .open(let open)): try resize(open, to: 0)
      case (.grow, .open(let open)):
        try resize(open, to: Opening.grown(Opening.mapSize(of: open.raw)))
      case (.reopen, .open), (_, .shut):
        shut()
        state = .open(try opened())
        isDoubtful.store(false, ordering: .sequentiallyConsistent)
      }
    }
  }

  /// Maps the file anew; 0 stands for the size that another process has given it.
  private func resize(_ open: Open, to size: Int) throws(EventLogError) {
    guard mdb_env_set_mapsize(open.raw, size) != MDB_SUCCESS else { return }
    // Nothing is mapped now, and LMDB would not notice: it can only be closed.
    shut()
    throw .addressSpace(path: path, bytes: size)
  }
}
