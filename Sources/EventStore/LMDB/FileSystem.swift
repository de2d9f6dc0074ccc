#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The file-system calls that a log makes besides those of LMDB.
enum FileSystem {
  /// The identity of a file regardless of its path: device and inode.
  struct Identity: Hashable {
    var device: UInt64
    var inode: UInt64

    init(_ status: stat) {
      device = UInt64(truncatingIfNeeded: status.st_dev)
      inode = UInt64(status.st_ino)
    }
  }

  static func identity(of path: String) -> Identity? {
    var status = stat()
    return stat(path, &status) == 0 ? Identity(status) : nil
  }

  /// Whether anything exists at the path, a dangling link included.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// The canonical absolute path of an existing file.
  static func canonical(_ path: String) throws(EventLogError) -> String {
    guard let resolved = realpath(path, nil) else {
      throw .system(doing: "find", path: path, code: errno)
    }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }

  /// Moves a file to its final path, unless that path is taken.
  ///
  /// A hard link refuses a taken name atomically, which `rename` does not. If the file system has
  /// no hard links, the name is looked up first.
  static func move(_ source: String, to target: String) throws(EventLogError) {
    let file = identity(of: source)
    var isThere: Bool { file != nil && identity(of: target) == file }
    // A network file system may report a failure although the operation succeeded.
    if link(source, target) == 0 || isThere {
      unlink(source)
      return
    }
    if exists(target) { throw .alreadyExists(path: target) }
    guard rename(source, target) != 0 else { return }
    let code = errno
    if !isThere { throw .system(doing: "create", path: target, code: code) }
  }

  // MARK: Other users

  /// Throws if a link is in place of a file that is opened by name.
  ///
  /// Otherwise, the user who made the link would choose which file is read or written.
  static func refuseLink(_ path: String) throws(EventLogError) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return }
    throw .isLink(path: path)
  }

  /// Throws if other users can replace the files in the folder of a log.
  ///
  /// In a folder with the sticky bit, such as `/tmp`, they cannot. A group that has the user's own
  /// number is the user's private group, as on many systems.
  static func refuseFolderOfOthers(of path: String) throws(EventLogError) {
    let directory = directory(of: path)
    var status = stat()
    // Any other problem with the folder shows when a file is made there.
    guard stat(directory, &status) == 0, status.st_mode & S_ISVTX == 0 else { return }
    let isOwnGroup = status.st_gid == status.st_uid && status.st_uid == geteuid()
    let others = S_IWOTH | (isOwnGroup ? 0 : S_IWGRP)
    guard status.st_mode & others != 0 else { return }
    throw .writableByOthers(folder: directory)
  }

  /// Throws if the folder belongs to neither the user nor root.
  ///
  /// Its owner can replace the files in it, whatever its mode.
  static func refuseFolderOfAnotherUser(of path: String) throws(EventLogError) {
    let directory = directory(of: path)
    var status = stat()
    guard stat(directory, &status) == 0, status.st_uid != geteuid(), status.st_uid != 0 else {
      return
    }
    throw .ofAnotherUser(path: directory)
  }

  /// Throws if a file has several names (hard links), each of which would have its own lease.
  static func refuseOtherNames(_ path: String) throws(EventLogError) {
    for attempt in 0..<100 {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 1
      else { return }
      // A draft that is being published has two names for a moment, and keeps both if its process
      // is killed.
      if attempt == 0 { DraftNames.removeStale(of: path) }
      usleep(1000)
    }
    throw .hasOtherNames(path: path)
  }

  /// Makes the file's name in its directory durable.
  static func syncDirectory(of path: String) throws(EventLogError) {
    let directory = directory(of: path)
    let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .system(doing: "open the directory", path: directory, code: errno)
    }
    defer { close(descriptor) }
    // Some file systems have nothing to sync in a directory and return EINVAL.
    #if canImport(Darwin)
      // On Darwin, fsync leaves the data in the disk's cache. Not every file system can do more.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw .system(doing: "sync the directory", path: directory, code: errno)
    }
  }

  /// Whether a process holds LMDB's lock in this lock file; tested without taking a lock.
  ///
  /// The process itself must not have the lock file open: closing it here drops all locks of the
  /// process.
  ///
  /// - Throws: `EventLogError.system` if the process has no descriptor left.
  static func isLocked(_ lockPath: String) throws(EventLogError) -> Bool {
    let descriptor = open(lockPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = errno
      guard code != EMFILE, code != ENFILE else {
        throw .system(doing: "open", path: lockPath, code: code)
      }
      return code != ENOENT
    }
    defer { close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 0
    lock.l_len = 1
    guard fcntl(descriptor, F_GETLK, &lock) == 0 else { return true }
    return lock.l_type != Int16(F_UNLCK)
  }

  /// Runs `body` with SIGXFSZ blocked on this thread.
  ///
  /// A write beyond the file-size limit raises this signal, which ends the process. While it is
  /// blocked, the write fails with an error code instead. A signal handler would change the whole
  /// process, which a library must not do.
  static func holdingBackSizeSignal<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    var signals = sigset_t()
    var before = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGXFSZ)
    pthread_sigmask(SIG_BLOCK, &signals, &before)
    defer {
      if sigismember(&before, SIGXFSZ) == 0 {
        var pending = sigset_t()
        sigpending(&pending)
        var taken: Int32 = 0
        if sigismember(&pending, SIGXFSZ) == 1 { sigwait(&signals, &taken) }
        pthread_sigmask(SIG_SETMASK, &before, nil)
      }
    }
    return try body()
  }

  /// The cause of an EIO, if it can be determined.
  ///
  /// LMDB reports a partial write as EIO.
  static func causeOfShortWrite(path: String) -> EventLogError? {
    var status = stat()
    var limit = rlimit()
    guard stat(path, &status) == 0, getFileSizeLimit(&limit) == 0 else { return nil }
    let nearly: UInt64 = 1 << 20
    if limit.rlim_cur < UInt64(Int64.max), UInt64(status.st_size) + nearly > UInt64(limit.rlim_cur)
    {
      return .fileSizeLimit(path: path)
    }
    var space = statvfs()
    guard statvfs(path, &space) == 0 else { return nil }
    let free = UInt64(space.f_bavail) * UInt64(space.f_frsize)
    return free < nearly ? .diskFull(path: path) : nil
  }

  private static func getFileSizeLimit(_ limit: inout rlimit) -> Int32 {
    #if canImport(Glibc)
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #else
      getrlimit(RLIMIT_FSIZE, &limit)
    #endif
  }
}
