import CLMDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One open LMDB file, and the rules under which the process may use it.
///
/// Transactions share the lock; growing the map, reopening and closing take it exclusively.
///
/// `@unchecked Sendable`: `state` is changed only with the exclusive lock and read only with the
/// lock; everything else is constant or has a lock of its own.
final class Environment: @unchecked Sendable {
  /// The handles of an open file.
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
    /// Closed for now: being reopened, or reopening failed.
    case shut
    /// Closed for good.
    case closed
  }

  /// A repair that needs the exclusive lock before a transaction is retried.
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
  private let options: Options
  private let lock = ReadersWriterLock()
  private var state = State.shut
  private let location: Mutex<Location>
  /// Whether a commit failed: LMDB 0.9.24 cannot be trusted after that until it is reopened. (For
  /// example, it refuses every transaction after it could not write a meta page.)
  private let isDoubtful = Atomic<Bool>(false)
  let derivedDamage = DerivedDamage()
  let deferredFailures = DeferredFailures()

  /// - Parameter isDraft: Whether no other process opens the file before it has moved.
  init(path: String, access: LogAccess, _ options: Options, isDraft: Bool) {
    location = Mutex(Location(path: path, isDraft: isDraft))
    self.access = access
    self.options = options
  }

  /// The names of the further databases that it was opened with.
  var further: [String] { options.further }

  /// The current path of the file.
  var path: String { location.withLock { $0.path } }

  // MARK: Opening and closing

  /// Opens the existing file, or creates one with the content `creating`.
  func start(creating meta: NewLog? = nil) throws(EventLogError) {
    try lock.exclusive { () throws(EventLogError) in
      state = .open(try opened(creating: meta))
    }
  }

  /// Waits for the open transactions, then closes the file for good.
  func close() throws(EventLogError) {
    try lock.exclusive { () throws(EventLogError) in
      shut()
      state = .closed
    }
  }

  /// Syncs a draft to the disk, which its transactions do not.
  ///
  /// - Throws: The system's error. The draft is then closed for good, because the system reports
  ///   unwritten bytes only once and would report success at the next attempt.
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

  /// Syncs a draft, moves the file to its final path and reopens it there.
  ///
  /// - Throws: `EventLogError.outcomeUnknown` if the file is at its final path but a power cut may
  ///   undo the move. After any other error, the file is not at that path.
  func move(to target: String) throws(EventLogError) {
    try lock.exclusive { () throws(EventLogError) in
      // Something may have been written since `sync`.
      try syncAlone()
      shut()
      let source = path
      defer {
        // The log stays usable at its current path, whether or not it moved.
        if case .shut = state, let open = try? opened() { state = .open(open) }
      }
      try FileSystem.move(source, to: target)
      do throws(EventLogError) {
        try FileSystem.syncDirectory(of: target)
      } catch {
        // Undo a move that a power cut might undo, so that the caller knows the outcome.
        guard rename(target, source) != 0, unlink(target) != 0, FileSystem.exists(target) else {
          throw error
        }
        location.withLock { $0 = Location(path: target, isDraft: false) }
        throw .outcomeUnknown(
          path: target, cause: error.description, underlying: error.cause)
      }
      // The move is durable. If reopening fails now, the next transaction tries it again.
      location.withLock { $0 = Location(path: target, isDraft: false) }
    }
  }

  private func opened(creating meta: NewLog? = nil) throws(EventLogError) -> Open {
    let location = location.withLock { $0 }
    let open = try Opening.open(
      location.path, access: access, options, isSynced: !location.isDraft, creating: meta)
    // This process has the lock file open, and no other process needs its name. So a draft that is
    // discarded, or left by a crash, is a single file.
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

  /// Begins a read transaction whose state belongs to its number.
  ///
  /// LMDB reads the number of the newest state first, and the meta page of that number after. If
  /// other processes have written the page in between, the transaction has a newer state under the
  /// older number. That state is sound, but would look like a damaged one, so it is tried again.
  private func beginReading(_ open: Open) throws(EventLogError) -> ReadTransaction {
    var attempts = 0
    while true {
      let transaction = try beginReadingOnce(open)
      let (number, writer) = (transaction.number, try transaction.lastWriter)
      attempts += 1
      if writer == number { return transaction }
      guard let writer, writer > number, attempts < Self.maxBeginAttempts else {
        throw .otherWriter(writer, than: number)
      }
    }
  }

  /// Enough attempts that writers in other processes cannot spoil all of them.
  private static let maxBeginAttempts = 64

  private func beginReadingOnce(_ open: Open) throws(EventLogError) -> ReadTransaction {
    var raw: OpaquePointer?
    var code = mdb_txn_begin(open.raw, nil, UInt32(MDB_RDONLY), &raw)
    if code == MDB_READERS_FULL {
      // LMDB frees the slots of dead processes only on request.
      mdb_reader_check(open.raw, nil)
      code = mdb_txn_begin(open.raw, nil, UInt32(MDB_RDONLY), &raw)
    }
    try check(code, "begin reading")
    guard let raw else { throw .lmdb(doing: "begin reading", code: MDB_PANIC) }
    return ReadTransaction(raw, open.databases, derivedDamage)
  }

  /// Runs a write transaction and commits it durably; a draft becomes durable when it moves.
  ///
  /// `body` runs again from the start if the map has to grow first, so it must change nothing but
  /// the transaction.
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
    // The last writer has to be the transaction before this one.
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
      throw .outcomeUnknown(
        path: path, cause: error.explained(for: path).description, underlying: error.cause)
    }
    Opening.coverLastPage(open.raw)
    if hasWritten { try checkPlace(open.raw) }
    return result
  }

  /// Checks that the committed file is still the one at the path.
  ///
  /// A file that has been removed can be written as before, but is gone when it is closed.
  private func checkPlace(_ raw: OpaquePointer) throws(EventLogError) {
    let location = location.withLock { $0 }
    var descriptor: Int32 = -1
    var status = stat()
    guard !location.isDraft, mdb_env_get_fd(raw, &descriptor) == MDB_SUCCESS,
      fstat(descriptor, &status) == 0
    else { return }
    var now = stat()
    guard stat(location.path, &now) == 0 else {
      // No other failure means that the file is gone.
      guard errno == ENOENT || errno == ENOTDIR else { return }
      throw .removed(path: location.path)
    }
    guard FileSystem.Identity(now) == FileSystem.Identity(status) else {
      throw .removed(path: location.path)
    }
  }

  /// Whether a commit failed while it wrote the meta page, which may be on the disk.
  ///
  /// LMDB then refuses to begin another transaction.
  private static func isOutcomeUnknown(_ raw: OpaquePointer) -> Bool {
    var begun: OpaquePointer?
    let code = mdb_txn_begin(raw, nil, UInt32(MDB_RDONLY), &begun)
    if let begun { mdb_txn_abort(begun) }
    return code == MDB_PANIC
  }

  /// Runs a transaction, and again after each repair that it needs.
  private func transact<R>(
    _ body: (Open) throws(EventLogError) -> R
  ) throws(EventLogError) -> R {
    // Doubling the map reaches any possible file size in fewer rounds.
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
    // An explained error, such as that of a commit whose outcome is unknown, is final.
    guard error.path == nil else { return nil }
    switch error.lmdbCode {
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

  /// Remaps the file; 0 means the size that another process has given it.
  private func resize(_ open: Open, to size: Int) throws(EventLogError) {
    guard mdb_env_set_mapsize(open.raw, size) != MDB_SUCCESS else { return }
    // Nothing is mapped now, which LMDB does not notice, so the file has to be closed.
    shut()
    throw .addressSpace(path: path, bytes: size)
  }
}
