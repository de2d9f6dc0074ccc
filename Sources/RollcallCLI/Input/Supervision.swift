import Foundation

/// A command that reads logs and writes none.
protocol LogReading {}

/// Has commands that read a log run in a child process.
///
/// LMDB maps a log and trusts it. On some damaged pages it aborts the process, or reads beyond the
/// map, and so does reading a file that another program cuts short meanwhile. What the child
/// cannot survive is then an error of the log like others, and no signal.
enum Supervision {
  private static let variable = "ROLLCALL_SUPERVISED"
  /// The process that waits for this one; nil where none does.
  // Set once, before there is another thread.
  nonisolated(unsafe) private static var parent: pid_t?

  /// Whether the process that waited for this one is gone: nobody would end it any longer.
  static var isOrphaned: Bool { parent.map { $0 != getppid() } ?? false }

  /// How a process ends that met what it could not survive.
  private static let crashes = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE]

  /// Runs the whole command line in a child where it names a log.
  ///
  /// - Returns: The exit code; nil where this process is to do it itself.
  static func run(_ arguments: [String]) -> Int32? {
    if getenv(variable) != nil {
      // What this process starts itself is not the one that is waited for.
      unsetenv(variable)
      parent = getppid()
      return nil
    }
    let logs = arguments.dropFirst().filter(isLog)
    guard !logs.isEmpty, let program = Bundle.main.executablePath,
      let child = try? ChildProcess(
        program, Array(arguments.dropFirst()), piping: .nothing,
        setting: [variable: "1", "SWIFT_BACKTRACE": "enable=no"])
    else { return nil }
    SignalForwarding.begin(to: child)
    switch child.wait() {
    case .exited(let code): return code
    case .killed(let signal) where crashes.contains(signal):
      let names = logs.joined(separator: " or ")
      Terminal.complain(
        "\(names): the log is damaged, or was changed while it was read: reading it ended by "
          + "signal \(signal); rollcall verify says what of it is damaged, and rollcall recover "
          + "saves the rest")
      return 2
    case .killed(let signal):
      Foundation.signal(signal, SIG_DFL)
      raise(signal)
      return 2
    }
  }

  /// Whether an argument is the path of a log.
  static func isLog(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    guard !path.hasSuffix(".rollcall") else { return true }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var head = [UInt8](repeating: 0, count: logHeadBytes)
    return read(descriptor, &head, head.count) == head.count && isLog(head: head)
  }

  /// How much of a file says whether it is an LMDB file.
  static let logHeadBytes = 20

  /// LMDB's magic number stands after the 16 bytes of a page's header.
  static func isLog(head: [UInt8]) -> Bool {
    head.count == logHeadBytes && head[16...] == [0xDE, 0xC0, 0xEF, 0xBE]
  }
}

/// Hands signals that ask this process to end on to a child, which ends as it sees fit.
private enum SignalForwarding {
  // Set before the handler is; the handler only reads it.
  nonisolated(unsafe) private static var child: pid_t = 0

  static func begin(to process: borrowing ChildProcess) {
    child = process.identifier
    defer { Ending.receive() }
    for number in Ending.signals {
      let before = Foundation.signal(number, forward)
      // What the caller has the process ignore goes on being ignored.
      if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        Foundation.signal(number, SIG_IGN)
      }
    }
  }

  private static let forward: @convention(c) (Int32) -> Void = { number in
    kill(child, number)
  }
}
