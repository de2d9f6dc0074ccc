#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif
import Synchronization

/// The access that a log is opened for.
package enum LogAccess: Hashable, Sendable {
  case readOnly
  case readWrite
}

/// One account's history in one LMDB file: append-only records, and data derived from them.
///
/// The bytes of the records are the truth. The caller's code derives the stored events and the
/// contact index from them, and the log keeps the version of that code; a log of another version is
/// rebuilt, never misread.
///
/// Every call is synchronous, and a transaction lives only inside a call, so none can cross an
/// `await`. Calls may come from any thread. There is one writer at a time; readers neither wait for
/// a writer nor delay one. A transaction cannot be begun inside another one on the same thread.
///
/// A log that this process already has open is shared, not opened twice, and closed when its last
/// `EventLog` is released. A log that is open for reading only cannot be shared with a writer.
///
/// The file is memory-mapped. A program that truncates or overwrites it, other than through an
/// `EventLog`, can end this process by a signal or make it read bytes that were never written.
///
/// Reading needs the lock file `NAME-lock` next to the log, which LMDB makes. If it cannot be made
/// or written, on a read-only file system or in another user's directory, a log that is not in use
/// is read without it; no process may begin to write the log during that time.
package final class EventLog: Sendable {
  /// The address space that a log reserves: neither memory nor disk, and more than a log needs.
  package static let defaultMapSize = Int(clamping: UInt64(64) << 30)

  private enum Place: Sendable {
    /// In a temporary file next to its target path.
    case draft(target: String)
    case published
    /// In a file without a name, which is gone when it is closed.
    case unnamed
    case discarded
  }

  let environment: Environment
  package let access: LogAccess
  /// The version of the code that makes the derived parts.
  package let eventVersion: UInt32
  private let place: Mutex<Place>
  /// The digest of the last pack appended through this object; nil if there is none.
  let lastAppended: Mutex<LogDigest?> = Mutex(nil)

  private init(_ environment: Environment, access: LogAccess, eventVersion: UInt32, place: Place) {
    self.environment = environment
    self.access = access
    self.eventVersion = eventVersion
    self.place = Mutex(place)
  }

  deinit {
    discard()
    Registry.release(environment)
  }

  // MARK: Opening

  /// Opens a log.
  ///
  /// - Parameters:
  ///   - eventVersion: The version of the code that makes the derived parts; see
  ///     `derivedIsCurrent`.
  ///   - mapSize: The initial address space in bytes; it grows with the log.
  ///   - further: The names of the databases that the log's owner keeps in the same file, which
  ///     must be those that it was created with; empty for a log of one account.
  /// - Throws: `EventLogError`, whose description says why the file is not a log.
  package static func open(
    at path: String, access: LogAccess, eventVersion: UInt32,
    mapSize: Int = EventLog.defaultMapSize, further: [String] = []
  ) throws(EventLogError) -> EventLog {
    try FileSystem.refuseLink(path)
    try MetaPageCheck.check(path)
    let options = Environment.Options(mapSize: mapSize, further: further)
    let environment = try FileSystem.holdingBackSizeSignal { () throws(EventLogError) in
      try Registry.open(path, access: access, options)
    }
    return EventLog(environment, access: access, eventVersion: eventVersion, place: .published)
  }

  /// Removes a log's drafts whose processes have ended.
  package static func removeStaleDrafts(of path: String) {
    DraftNames.removeStale(of: path)
  }

  // MARK: Creating

  /// Creates an empty log, which is either complete and durable or does not exist.
  ///
  /// - Throws: `EventLogError.alreadyExists` if there is anything at the path, and
  ///   `EventLogError.replaced` if this process still has a log open that was there.
  package static func create(
    at path: String, eventVersion: UInt32, account: String? = nil,
    mapSize: Int = EventLog.defaultMapSize, further: [String] = []
  ) throws(EventLogError) -> EventLog {
    let log = try draft(
      for: path, eventVersion: eventVersion, account: account, mapSize: mapSize, further: further)
    try log.publish()
    return log
  }

  /// Creates a draft of a log, to be filled and then moved to its path by `publish()`.
  ///
  /// Until then, it is in a temporary file in the same directory, and nothing in it is durable.
  /// `discard()`, or the release of the last reference, removes it. A crash can leave the file
  /// behind, with `.draft-` in its name, but never anything at the path itself. The next draft for
  /// the path removes it.
  /// - Throws: `EventLogError.alreadyExists` if there is anything at the path, and
  ///   `EventLogError.writableByOthers` if other users can replace the files in its folder.
  package static func draft(
    for path: String, eventVersion: UInt32, account: String? = nil,
    mapSize: Int = EventLog.defaultMapSize, further: [String] = []
  ) throws(EventLogError) -> EventLog {
    try FileSystem.refuseFolderOfOthers(of: path)
    return try makeDraft(
      for: path, eventVersion: eventVersion, account: account,
      Environment.Options(mapSize: mapSize, further: further))
  }

  private static func makeDraft(
    for path: String, eventVersion: UInt32, account: String? = nil,
    _ options: Environment.Options
  ) throws(EventLogError) -> EventLog {
    guard !FileSystem.exists(path) else { throw .alreadyExists(path: path) }
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map {
      String(path[path.utf8.index(after: $0)...])
    }
    let directory = try FileSystem.canonical(FileSystem.directory(of: path))
    let target = "\(directory)/\(name ?? path)"
    DraftNames.removeStale(of: target)
    let temporary = try DraftNames.take(beside: target)
    let new = NewLog(account: account, eventVersion: eventVersion)
    do {
      let environment = try FileSystem.holdingBackSizeSignal { () throws(EventLogError) in
        try Registry.create(temporary, options, new)
      }
      return EventLog(
        environment, access: .readWrite, eventVersion: eventVersion,
        place: .draft(target: target))
    } catch {
      unlink(temporary)
      unlink(temporary + "-lock")
      throw error
    }
  }

  /// Creates an empty log in a file without a name, which is never published.
  ///
  /// Nothing of it is left after it is closed, however the process ends.
  package static func unnamed(
    in directory: String, eventVersion: UInt32, mapSize: Int = EventLog.defaultMapSize,
    further: [String] = []
  ) throws(EventLogError) -> EventLog {
    // The name is removed before the log has any content that another user could want to change.
    let log = try makeDraft(
      for: directory + "/unnamed.rollcall", eventVersion: eventVersion,
      Environment.Options(mapSize: mapSize, further: further))
    log.place.withLock { place in
      unlink(log.environment.path)
      place = .unnamed
    }
    return log
  }

  /// Moves a draft to its path, durably. The log stays open.
  ///
  /// A log that is already at its path, or that has no name, is left as it is.
  /// - Throws: `EventLogError.alreadyExists` if the path has been taken since, and
  ///   `EventLogError.replaced` if this process still has a log open that was there; the draft then
  ///   stays a draft. If it cannot be synced, it is closed.
  package func publish() throws(EventLogError) {
    try place.withLock { (place) throws(EventLogError) in
      switch place {
      case .draft(let target):
        defer { if environment.path == target { place = .published } }
        // Sync first: it can take long, and moving it blocks every other opening of a log.
        try environment.sync()
        try Registry.move(environment, to: target)
      case .published, .unnamed: return
      case .discarded: throw .closed(path: environment.path)
      }
    }
  }

  /// Closes a draft and removes its file. A published log is left alone.
  package func discard() {
    place.withLock { place in
      guard case .draft = place else { return }
      do {
        try environment.close()
      } catch {
        // Inside a transaction of the draft, which is discarded with its last reference instead.
        return
      }
      unlink(environment.path)
      unlink(environment.path + "-lock")
      place = .discarded
    }
  }

  // MARK: Reading

  /// The path of the log's file.
  package var path: String { environment.path }

  /// Whether the file at the log's path is still the one that is open, or is gone.
  ///
  /// A file that was moved over it is another log, which this one does not show.
  package var isAtItsPath: Bool { !Registry.isReplaced(environment) }

  /// Runs `body` on one unchanging state of the log.
  ///
  /// Keep `body` short, and return only copies from it.
  package func read<R>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R {
    let result: Result<R, any Error> = try environment.read { transaction in
      do {
        return .success(try body(transaction))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// The log's own entries.
  package var meta: LogMeta {
    get throws(EventLogError) {
      try environment.read { (transaction) throws(EventLogError) in try transaction.meta }
    }
  }

  /// The damage to derived parts found since the log was opened.
  package var derivedDamage: DerivedDamage { environment.derivedDamage }

  /// The failures of deferred work since the log was opened.
  package var deferredFailures: DeferredFailures { environment.deferredFailures }

  /// Whether the stored events and the contact index are complete and of this `eventVersion`.
  package var derivedIsCurrent: Bool {
    get throws(EventLogError) { try meta.eventVersion == eventVersion }
  }
}
