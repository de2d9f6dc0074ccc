#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif
import Synchronization

/// What a log is opened for.
package enum LogAccess: Hashable, Sendable {
  case readOnly
  case readWrite
}

/// One account's history in one LMDB file: records that are only ever added, and what is derived
/// from them.
///
/// The bytes of the records are the truth. The stored events and the contact index are made from
/// them by the caller's code, whose version the log keeps; a log whose version is another one is
/// rebuilt, never misread.
///
/// Every call is synchronous, and a transaction lives only inside it: none can cross an `await`.
/// Any thread may call; one writes at a time, readers neither wait for a writer nor hold one up.
/// A transaction cannot be begun inside another one on the same thread.
///
/// A log that this process has open already is shared, not opened twice: it is closed when the
/// last `EventLog` of it goes away. A log that is open for reading only cannot be shared with a
/// writer.
///
/// The file is read through a map of it: a program that cuts it short or writes over it, other than
/// through an `EventLog`, can end this process by a signal, or have it read what was never written.
///
/// Reading needs the lock file beside the log, `NAME-lock`, which LMDB makes. Where it cannot be
/// made or written, on a read-only file system or in another user's directory, a log that nobody
/// is using is read without one; nobody may begin writing it meanwhile.
package final class EventLog: Sendable {
  /// How much address space a log takes: no memory and no disk, and more than a log needs.
  package static let defaultMapSize = Int(clamping: UInt64(64) << 30)

  private enum Place: Sendable {
    /// In a file of its own beside the path that it is for.
    case draft(target: String)
    case published
    /// Without a name in any directory, for as long as it is open.
    case unnamed
    case discarded
  }

  let environment: Environment
  package let access: LogAccess
  /// The version of the code that makes the derived parts.
  package let eventVersion: UInt32
  private let place: Mutex<Place>
  /// The digest of the pack that was appended last through this log, where there is one.
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
  ///   - mapSize: Bytes of address space to begin with; it grows with the log.
  /// - Throws: An error of its own for each thing that is no log: see `EventLogError`.
  package static func open(
    at path: String, access: LogAccess, eventVersion: UInt32,
    mapSize: Int = EventLog.defaultMapSize
  ) throws(EventLogError) -> EventLog {
    try FileSystem.refuseLink(path)
    try MetaPageCheck.check(path)
    let environment = try FileSystem.holdingBackSizeSignal { () throws(EventLogError) in
      try Registry.open(path, access: access, mapSize: mapSize)
    }
    return EventLog(environment, access: access, eventVersion: eventVersion, place: .published)
  }

  /// Removes the drafts that are beside a log and whose processes are gone.
  package static func removeStaleDrafts(of path: String) {
    DraftNames.removeStale(of: path)
  }

  // MARK: Creating

  /// Makes an empty log. It is complete and durable, or not there.
  ///
  /// - Throws: `EventLogError.alreadyExists` where there is anything at the path, and
  ///   `EventLogError.replaced` where there was a log that this process still has open.
  package static func create(
    at path: String, eventVersion: UInt32, account: String? = nil,
    mapSize: Int = EventLog.defaultMapSize
  ) throws(EventLogError) -> EventLog {
    let log = try draft(
      for: path, eventVersion: eventVersion, account: account, mapSize: mapSize)
    try log.publish()
    return log
  }

  /// Makes a log that is not yet at its path: it can be filled first, and takes its place by
  /// `publish()` when it is complete.
  ///
  /// Until then it lies in a file of its own in the same directory, and nothing in it is durable.
  /// It goes away by `discard()`, or when the last reference to it does; a crash can leave the file
  /// behind, with `.draft-` in its name, never anything at the path itself. The next draft for the
  /// path removes it.
  /// - Throws: `EventLogError.alreadyExists` where there is anything at the path, and
  ///   `EventLogError.writableByOthers` if other users can replace what is in its folder.
  package static func draft(
    for path: String, eventVersion: UInt32, account: String? = nil,
    mapSize: Int = EventLog.defaultMapSize
  ) throws(EventLogError) -> EventLog {
    try FileSystem.refuseFolderOfOthers(of: path)
    return try makeDraft(
      for: path, eventVersion: eventVersion, account: account, mapSize: mapSize)
  }

  private static func makeDraft(
    for path: String, eventVersion: UInt32, account: String? = nil, mapSize: Int
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
        try Registry.create(temporary, mapSize: mapSize, new)
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

  /// Makes an empty log that is never published and has no name in the directory: nothing is left
  /// of it once it is closed, however the process ends.
  package static func unnamed(
    in directory: String, eventVersion: UInt32, mapSize: Int = EventLog.defaultMapSize
  ) throws(EventLogError) -> EventLog {
    // Its name is gone before there is anything in it that others could want to change.
    let log = try makeDraft(
      for: directory + "/unnamed.rollcall", eventVersion: eventVersion, mapSize: mapSize)
    log.place.withLock { place in
      unlink(log.environment.path)
      place = .unnamed
    }
    return log
  }

  /// Puts a draft in its place, durably. It is used on as before.
  ///
  /// A log that is in its place is left there, and one without a name stays without.
  /// - Throws: `EventLogError.alreadyExists` where something has taken the path meanwhile, and
  ///   `EventLogError.replaced` where this process still has the log open that was there; the draft
  ///   stays as it is. Where it cannot be synced, it is closed.
  package func publish() throws(EventLogError) {
    try place.withLock { (place) throws(EventLogError) in
      switch place {
      case .draft(let target):
        defer { if environment.path == target { place = .published } }
        // First, as it can take long and others want to open logs meanwhile.
        try environment.sync()
        try Registry.move(environment, to: target)
      case .published, .unnamed: return
      case .discarded: throw .closed(path: environment.path)
      }
    }
  }

  /// Throws a draft away, with its file. A log that is in its place is left alone.
  package func discard() {
    place.withLock { place in
      guard case .draft = place else { return }
      do {
        try environment.close()
      } catch {
        // Inside a transaction of the draft: it goes when the last reference does.
        return
      }
      unlink(environment.path)
      unlink(environment.path + "-lock")
      place = .discarded
    }
  }

  // MARK: Reading

  /// Where the log is.
  package var path: String { environment.path }

  /// Runs `body` over one unchanging state of the log.
  ///
  /// Keep it short, and let nothing of the log out of it but copies.
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

  /// What the log says about itself.
  package var meta: LogMeta {
    get throws(EventLogError) {
      try environment.read { (transaction) throws(EventLogError) in try transaction.meta }
    }
  }

  /// What was found damaged of the derived parts since the log was opened.
  package var derivedDamage: DerivedDamage { environment.derivedDamage }

  /// What could not be done after records were durable, since the log was opened.
  package var undone: UndoneWork { environment.undone }

  /// Whether the stored events and the contact index are complete and of this `eventVersion`.
  package var derivedIsCurrent: Bool {
    get throws(EventLogError) { try meta.eventVersion == eventVersion }
  }
}
