import Foundation
import TestSupport

/// A run of a program, with its outcome.
struct Run {
  enum Ending: Hashable {
    case exited(Int32)
    case signalled(Int32)
    /// The process had to be killed.
    case hung
  }

  /// The time after which a run is killed.
  enum Deadline {
    /// A minute, which no run should need.
    case minute
    case microseconds(UInt32)
  }

  let ending: Ending
  let output: String
  let errors: String
  let microseconds: UInt64

  /// An action during the run.
  struct Meanwhile {
    var microseconds: UInt32
    var act: () throws -> Void
  }

  /// - Parameter folder: The working directory; nil for that of this process.
  init(
    _ program: String, _ arguments: [String], in folder: String? = nil,
    setting changes: [String: String] = [:], until deadline: Deadline = .minute,
    meanwhile: Meanwhile? = nil
  ) throws {
    let scratch = try Scratch()
    let files = [scratch.file("output"), scratch.file("errors")]
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for (number, file) in files.enumerated() {
      let flags = O_WRONLY | O_CREAT | O_TRUNC
      posix_spawn_file_actions_addopen(&actions, Int32(number + 1), file, flags, 0o600)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A separate process group, so that child processes can be killed with it.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawnattr_setpgroup(&attributes, 0)
    let environment = ProcessInfo.processInfo.environment
      .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }.merging(changes) { $1 }
    // `posix_spawn` cannot set a working directory on every system.
    let command = (folder.map { ["/usr/bin/env", "-C", $0] } ?? []) + [program] + arguments
    let words = command.map { strdup($0) } + [nil]
    let settings = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for string in words + settings { free(string) } }
    var process = pid_t()
    let start = DispatchTime.now().uptimeNanoseconds
    let code = posix_spawn(&process, command[0], &actions, &attributes, words, settings)
    guard code == 0 else {
      throw Trouble("\(program): \(String(cString: strerror(code)))")
    }
    if let meanwhile {
      usleep(meanwhile.microseconds)
      try meanwhile.act()
    }
    ending = Self.wait(process, deadline)
    microseconds = (DispatchTime.now().uptimeNanoseconds - start) / 1000
    (output, errors) = (try Self.text(files[0]), try Self.text(files[1]))
  }

  private static func wait(_ process: pid_t, _ deadline: Deadline) -> Ending {
    let start = DispatchTime.now().uptimeNanoseconds
    let microseconds: UInt64 =
      switch deadline {
      case .minute: 60_000_000
      case .microseconds(let count): UInt64(count)
      }
    var status: Int32 = 0
    var isKilled = false
    while true {
      let found = waitpid(process, &status, isKilled ? 0 : WNOHANG)
      if found == process { break }
      if DispatchTime.now().uptimeNanoseconds - start >= microseconds * 1000, !isKilled {
        isKilled = true
        kill(-process, SIGKILL)
      }
      if !isKilled { usleep(300) }
    }
    if isKilled, case .minute = deadline { return .hung }
    let signal = status & 0x7F
    return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
  }

  private static func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
  }
}

/// A folder that is removed with its last reference. It is in memory if possible, because the
/// attacks concern the order of calls, not a real disk.
final class Scratch: Sendable {
  let path: String

  init() throws {
    let memory = "/dev/shm"
    let parent =
      FileManager.default.isWritableFile(atPath: memory)
      ? memory : FileManager.default.temporaryDirectory.path(percentEncoded: false)
    path = "\(parent)/rollcall-attack-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  var names: Set<String> {
    get throws { Set(try FileManager.default.contentsOfDirectory(atPath: path)) }
  }

  func copy(_ files: [String], from other: Scratch) throws {
    for name in files {
      try FileManager.default.copyItem(atPath: other.file(name), toPath: file(name))
    }
  }
}
