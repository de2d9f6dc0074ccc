import Foundation

/// A program that runs as a child process.
///
/// Foundation's own `Process` waits on a thread, and hangs if the system cannot create one.
struct ChildProcess: ~Copyable {
  /// How the process ended.
  enum Ending {
    case exited(code: Int32)
    case killed(signal: Int32)
  }

  /// The streams of the child to whose other end this process is connected.
  enum Piped: Equatable {
    /// Its standard input; its output goes to our standard error.
    case input
    /// Its standard input; its output goes to our standard output.
    case ownInput
    /// Its standard output; its input is empty, and its errors are discarded.
    case output
    /// Its standard output; its input is an open file, and its errors go to another.
    case filter(input: Int32, errors: Int32)
    /// None: it inherits our streams.
    case nothing
  }

  /// Our end of the piped stream.
  let pipe: FileHandle
  /// The process identifier.
  let identifier: pid_t

  /// Starts a program with arguments, in this environment with some changes.
  ///
  /// - Throws: `POSIXError`.
  init(
    _ program: String, _ arguments: [String], piping piped: Piped,
    setting changes: [String: String] = [:]
  ) throws {
    var ends: [Int32] = [-1, -1]
    if piped != .nothing { try Self.check(Foundation.pipe(&ends)) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let (own, its) = piped == .input || piped == .ownInput ? (ends[1], ends[0]) : (ends[0], ends[1])
    let pipe =
      piped == .nothing ? .nullDevice : FileHandle(fileDescriptor: own, closeOnDealloc: true)
    defer { if piped != .nothing { close(its) } }

    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    try Self.check(code: posix_spawn_file_actions_init(&actions))
    defer { posix_spawn_file_actions_destroy(&actions) }
    switch piped {
    case .input:
      posix_spawn_file_actions_adddup2(&actions, its, STDIN_FILENO)
      posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    case .ownInput: posix_spawn_file_actions_adddup2(&actions, its, STDIN_FILENO)
    case .output:
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, its, STDOUT_FILENO)
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    case .filter(let input, let errors):
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
      posix_spawn_file_actions_adddup2(&actions, its, STDOUT_FILENO)
      posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
    case .nothing: break
    }
    // The child must not inherit that this process ignores SIGPIPE.
    try Self.check(code: posix_spawnattr_init(&attributes))
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    let environment = ProcessInfo.processInfo.environment.merging(changes) { $1 }
    let words = Self.strings([program] + arguments)
    let settings = Self.strings(environment.map { "\($0)=\($1)" })
    defer { for string in words + settings { free(string) } }
    var identifier = pid_t()
    try Self.check(
      code: posix_spawn(&identifier, program, &actions, &attributes, words, settings))
    self.pipe = pipe
    self.identifier = identifier
  }

  /// Waits until the process has ended.
  consuming func wait() -> Ending {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
    // Decodes the status as <sys/wait.h> does.
    let signal = status & 0x7F
    return signal == 0 ? .exited(code: (status >> 8) & 0xFF) : .killed(signal: signal)
  }

  private static func strings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
    texts.map { strdup($0) } + [nil]
  }

  private static func check(_ result: Int32) throws {
    if result != 0 { try check(code: errno) }
  }

  private static func check(code: Int32) throws {
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
  }
}
