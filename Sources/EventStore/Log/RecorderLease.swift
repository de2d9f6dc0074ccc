#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif
import Synchronization

/// One recorder's exclusive right to a log or a folder of logs, for as long as it is referenced.
///
/// It is a lock on a separate file next to the log. LMDB's lock file cannot serve: its locks belong
/// to the process and end when any descriptor of that file is closed. This lock belongs to the open
/// file, so two recorders in one process exclude each other as well, and the system releases it
/// when the process ends, for whatever reason. The text in the file is only for the message to a
/// second recorder. Readers, imports and bookmarks need no lease.
package final class RecorderLease: Sendable {
  /// The leases that this process holds. The process number in the file does not identify this
  /// process, because containers that share a folder number their processes independently.
  private static let held = Mutex<Set<FileSystem.Identity>>([])
  /// The number of attempts if the file is removed while it is being opened.
  private static let maxAttempts = 1000

  private let descriptor: Int32
  private let path: String
  private let file: FileSystem.Identity

  /// Takes the lease of a log, which need not exist yet.
  ///
  /// - Throws: `EventLogError.recorded` while another recorder holds it; `isLink`,
  ///   `hasOtherNames`, `writableByOthers` and `ofAnotherUser`; `noLocks` if the file system does
  ///   not support locks.
  package convenience init(ofLogAt path: String) throws(EventLogError) {
    try FileSystem.refuseLink(path)
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let folder = try FileSystem.canonical(FileSystem.directory(of: path))
    try FileSystem.refuseOtherNames("\(folder)/\(name)")
    try self.init("\(folder)/\(name)-lease", of: path)
  }

  /// Takes the lease of an existing folder, whose logs have leases of their own.
  ///
  /// - Throws: As for a log.
  package convenience init(ofFolder path: String) throws(EventLogError) {
    try self.init("\(FileSystem.canonical(path))/.rollcall-lease", of: path)
  }

  private init(_ leasePath: String, of target: String) throws(EventLogError) {
    try FileSystem.refuseFolderOfOthers(of: leasePath)
    try FileSystem.refuseFolderOfAnotherUser(of: leasePath)
    path = leasePath
    (descriptor, file) = try Self.acquire(leasePath, of: target)
    let file = file
    _ = Self.held.withLock { $0.insert(file) }
    LeaseHolder.writeCurrent(to: descriptor)
  }

  private static func acquire(
    _ path: String, of target: String
  ) throws(EventLogError) -> (descriptor: Int32, file: FileSystem.Identity) {
    for _ in 0..<maxAttempts {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else {
        let code = errno
        if code == ELOOP { throw .isLink(path: path) }
        throw .system(doing: "open", path: path, code: code)
      }
      do throws(EventLogError) {
        if let file = try lock(descriptor, path, of: target) { return (descriptor, file) }
      } catch {
        close(descriptor)
        throw error
      }
      close(descriptor)
    }
    throw .recorded(path: target, by: .unknown)
  }

  deinit {
    _ = Self.held.withLock { $0.remove(file) }
    // A recorder that has just opened the file locks one without a name, and tries again.
    if FileSystem.identity(of: path) == file { unlink(path) }
    // Unlock explicitly: a child that is being started keeps the descriptor until it calls exec.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Locks the file and checks that it is still the one at the path.
  ///
  /// - Returns: The identity of the locked file; nil if its former holder has removed it.
  private static func lock(
    _ descriptor: Int32, _ path: String, of target: String
  ) throws(EventLogError) -> FileSystem.Identity? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .notAFile(path: path)
    }
    // Never write the lease's text into another user's file, or into one with another name.
    guard status.st_uid == geteuid() else { throw .ofAnotherUser(path: path) }
    guard status.st_nlink <= 1 else { throw .hasOtherNames(path: path) }
    let file = FileSystem.Identity(status)
    // Some network file systems give every descriptor of a process the same locks.
    guard !held.withLock({ $0.contains(file) }) else {
      throw .recorded(path: target, by: .thisProcess)
    }
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      switch code {
      case EINTR: continue
      case EWOULDBLOCK: throw .recorded(path: target, by: LeaseHolder.named(by: descriptor))
      case ENOLCK, EOPNOTSUPP, ENOSYS, ENOTSUP: throw .noLocks(path: target)
      default: throw .system(doing: "lock", path: path, code: code)
      }
    }
    return FileSystem.identity(of: path) == file ? file : nil
  }
}

/// The holder of a lease, for the message to another recorder.
package enum LeaseHolder: Hashable, Sendable {
  case thisProcess
  /// Another process, as its lease says; `program` is the name of its executable.
  case process(Int32, program: String, isHere: Bool)
  /// The lease does not name its holder.
  case unknown

  /// More than the text of a lease has.
  private static let maxTextBytes = 512

  /// Writes this process to a lease, ignoring failures: only a message would be less exact.
  fileprivate static func writeCurrent(to descriptor: Int32) {
    let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
    var bytes = Array("\(getpid())\n\(boot ?? "")\n\(program)\n".utf8)
    ftruncate(descriptor, 0)
    _ = pwrite(descriptor, &bytes, bytes.count, 0)
  }

  /// Reads the holder of a lease, waiting up to a second for text that follows the lock.
  fileprivate static func named(by descriptor: Int32) -> LeaseHolder {
    for _ in 0..<1000 {
      let holder = LeaseHolder(readFrom: descriptor)
      guard holder == .unknown else { return holder }
      usleep(1000)
    }
    return .unknown
  }

  private init(readFrom descriptor: Int32) {
    var bytes = [UInt8](repeating: 0, count: Self.maxTextBytes)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 3, let process = Int32(lines[0]) else {
      self = .unknown
      return
    }
    // Another process wrote this text, and it will be shown on a terminal.
    let program = String(
      String.UnicodeScalarView(lines[2].unicodeScalars.filter { (0x21..<0x7F).contains($0.value) }))
    self = .process(process, program: program, isHere: Self.boot.map { $0 == lines[1] } ?? true)
  }

  /// The identifier of the machine's current boot; nil if the system does not give one.
  private static var boot: String? {
    var bytes = [UInt8](repeating: 0, count: 64)
    #if canImport(Glibc)
      let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      let count = read(descriptor, &bytes, bytes.count)
    #else
      var count = bytes.count
      guard sysctlbyname("kern.bootsessionuuid", &bytes, &count, nil, 0) == 0 else { return nil }
    #endif
    let text = bytes.prefix(max(0, count)).filter { $0 > 0x20 && $0 < 0x7F }
    return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
  }
}

extension LeaseHolder: CustomStringConvertible {
  /// A noun phrase for messages.
  package var description: String {
    switch self {
    case .thisProcess: "another session of this process"
    case .process(let process, let program, let isHere):
      "process \(process)" + (program.isEmpty ? "" : " (\(program))")
        + (isHere ? "" : " of another machine")
    case .unknown: "another process"
    }
  }
}
