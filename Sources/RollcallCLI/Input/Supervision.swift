import FleetStore
import Foundation

/// A command that only reads logs.
protocol LogReading {}

/// Runs commands that read a log in a child process.
///
/// LMDB maps a log into memory and trusts it. On some damaged pages it aborts the process or reads
/// beyond the map, and so does reading a file that another program truncates. If the child crashes,
/// the parent reports an error about the log instead of ending by a signal.
enum Supervision {
  private static let variable = "ROLLCALL_SUPERVISED"
  /// The process that waits for this one; nil if there is none.
  // Set once, before other threads start.
  nonisolated(unsafe) private static var parent: pid_t?

  /// Whether the process that waited for this one is gone, so that no signal will be forwarded.
  static var isOrphaned: Bool { parent.map { $0 != getppid() } ?? false }

  /// The signals of processes that crashed.
  private static let crashes = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE]

  /// Runs the command line in a child process if it names a log.
  ///
  /// - Returns: The exit code; nil if this process must run the command itself.
  static func run(_ arguments: [String]) -> Int32? {
    if getenv(variable) != nil {
      // Child processes of this one are not supervised.
      unsetenv(variable)
      parent = getppid()
      return nil
    }
    let logs = arguments.dropFirst().filter {
      isLog($0) || Fleet.isFleet($0) || (try? LogFolder($0)) != nil
    }
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
          + "signal \(signal); rollcall verify says what is damaged, and rollcall recover saves "
          + "the rest")
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

  /// The number of bytes that identify an LMDB file.
  static let logHeadBytes = 20

  /// Whether LMDB's magic number follows the 16 bytes of a page header.
  static func isLog(head: [UInt8]) -> Bool {
    head.count == logHeadBytes && head[16...] == [0xDE, 0xC0, 0xEF, 0xBE]
  }
}

/// Forwards signals that ask this process to end to a child, which ends in its own way.
private enum SignalForwarding {
  // Set before the handler is installed; the handler only reads it.
  nonisolated(unsafe) private static var child: pid_t = 0

  static func begin(to process: borrowing ChildProcess) {
    child = process.identifier
    defer { Ending.receive() }
    for number in Ending.signals {
      let before = Foundation.signal(number, forward)
      // A signal that the caller has set to be ignored stays ignored.
      if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        Foundation.signal(number, SIG_IGN)
      }
    }
  }

  private static let forward: @convention(c) (Int32) -> Void = { number in
    kill(child, number)
  }
}
