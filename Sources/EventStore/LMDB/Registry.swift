import Synchronization

/// The environments that this process has open.
///
/// LMDB must not open one file twice in one process: closing one of the two drops the locks of
/// both. So opening a log that is already open shares its environment, and releasing the last
/// reference closes it. Opening and closing share one lock, so no file is opened while it is still
/// being closed.
enum Registry {
  private struct Entry {
    var environment: Environment
    var file: FileSystem.Identity
    var users: Int
  }

  private static let entries = Mutex<[Entry]>([])

  /// Opens an existing log, or shares its environment if it is already open.
  static func open(
    _ path: String, access: LogAccess, _ options: Environment.Options
  ) throws(EventLogError) -> Environment {
    try entries.withLock { (entries) throws(EventLogError) in
      guard let file = FileSystem.identity(of: path) else { throw .noSuchFile(path: path) }
      let canonical = try FileSystem.canonical(path)
      if access == .readWrite { try FileSystem.refuseFolderOfOthers(of: canonical) }
      if let index = entries.firstIndex(where: { $0.file == file }) {
        let environment = entries[index].environment
        if access == .readWrite && environment.access == .readOnly {
          throw .openForReadingOnly(path: path)
        }
        guard environment.further == options.further else {
          throw options.further.isEmpty
            ? .ofManyAccounts(path: path) : .notOfManyAccounts(path: path)
        }
        entries[index].users += 1
        return environment
      }
      // A different file, which would use the same lock file.
      if entries.contains(where: { $0.environment.path == canonical }) {
        throw .replaced(path: path)
      }
      let environment = Environment(
        path: canonical, access: access, options, isDraft: false)
      try environment.start()
      entries.append(Entry(environment: environment, file: file, users: 1))
      return environment
    }
  }

  /// Creates an environment at a path that no other process uses.
  static func create(
    _ path: String, _ options: Environment.Options, _ new: NewLog
  ) throws(EventLogError) -> Environment {
    try entries.withLock { (entries) throws(EventLogError) in
      let environment = Environment(
        path: path, access: .readWrite, options, isDraft: true)
      try environment.start(creating: new)
      guard let file = FileSystem.identity(of: path) else { throw .noSuchFile(path: path) }
      entries.append(Entry(environment: environment, file: file, users: 1))
      return environment
    }
  }

  /// Moves an environment to its final path.
  ///
  /// - Throws: `EventLogError.replaced` if a file that was at this path is still open: both would
  ///   use the same lock file.
  static func move(_ environment: Environment, to path: String) throws(EventLogError) {
    try entries.withLock { (entries) throws(EventLogError) in
      guard !entries.contains(where: { $0.environment.path == path }) else {
        throw .replaced(path: path)
      }
      try environment.move(to: path)
    }
  }

  /// Whether this process has the log at a path open.
  static func hasOpen(_ path: String) -> Bool {
    guard let file = FileSystem.identity(of: path) else { return false }
    return entries.withLock { entries in entries.contains { $0.file == file } }
  }

  /// Whether the path of an environment leads to another file than the one that is open.
  static func isReplaced(_ environment: Environment) -> Bool {
    guard let now = FileSystem.identity(of: environment.path) else { return false }
    return entries.withLock { entries in
      entries.contains { $0.environment === environment && $0.file != now }
    }
  }

  /// Releases an environment, and closes it if it has no other users.
  static func release(_ environment: Environment) {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.environment === environment }) else {
        return
      }
      entries[index].users -= 1
      guard entries[index].users == 0 else { return }
      // Closing fails only inside a transaction, which keeps a reference to the log.
      try? environment.close()
      entries.remove(at: index)
    }
  }
}
