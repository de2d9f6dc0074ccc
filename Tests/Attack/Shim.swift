import Foundation

/// The library that is preloaded into the attacked program: see `Shim/shim.c`.
struct Shim: Sendable {
  /// The kinds of calls that it counts.
  struct Calls: OptionSet, Sendable {
    let rawValue: UInt32

    static let writes = Calls(rawValue: 1)
    static let syncs = Calls(rawValue: 2)
    static let sizes = Calls(rawValue: 4)
    static let names = Calls(rawValue: 8)
    static let opens = Calls(rawValue: 16)
    static let maps = Calls(rawValue: 32)
    static let threads = Calls(rawValue: 64)
    static let all = Calls(rawValue: 127)
    /// The calls that change the disk.
    static let disk: Calls = [.writes, .syncs, .sizes, .names]

    var words: String {
      let names = ["write", "sync", "truncate", "name", "open", "map", "thread"]
      return names.indices.filter { rawValue & (1 << $0) != 0 }.map { names[$0] }
        .joined(separator: ", ")
    }
  }

  /// How a call fails.
  enum Manner: UInt32, Sendable {
    case refused = 1
    /// Half of the bytes are written.
    case short = 2
    /// The call succeeds but reports a failure.
    case late = 3
    /// The process is killed instead.
    case killed = 4
  }

  /// The fault to inject into a run.
  struct Fault: Sendable, CustomStringConvertible {
    var calls = Calls.all
    /// The first call that fails, counted from 1; 0 for none.
    var at: UInt32 = 0
    /// Whether all later calls fail as well.
    var isPermanent = false
    var error = EIO
    var manner = Manner.refused
    /// The number of milliseconds by which the clock jumps, and the reading at which it does; 0 for
    /// never.
    var shift: (milliseconds: Int64, at: UInt32) = (0, 0)

    var description: String {
      guard at > 0 else { return shift.at > 0 ? "a clock that jumps at look \(shift.at)" : "none" }
      let which = isPermanent ? "call \(at) and all after it" : "call \(at)"
      switch manner {
      case .refused: return "\(which): \(String(cString: strerror(error)))"
      case .short: return "\(which): short"
      case .late: return "\(which): done, then \(String(cString: strerror(error)))"
      case .killed: return "killed in place of \(which)"
      }
    }
  }

  /// The counts of a run.
  struct Count: Sendable {
    var calls: UInt32
    var failed: UInt32
    /// The kind of the first call that failed.
    var kind: Calls
    var looks: UInt32
  }

  private let library: String
  private let folder: Scratch

  /// Compiles the library.
  init() throws {
    folder = try Scratch()
    library = folder.file("shim.so")
    let source = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Shim/shim.c").path(percentEncoded: false)
    // Uses the toolchain's compiler, even if only `swift` is on the path.
    let compiler = """
      exec "$(command -v clang || echo "$(dirname "$(readlink -f "$(command -v swift)")")/clang")" "$@"
      """
    let run = try Run(
      "/bin/sh",
      [
        "-c", compiler, "sh", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o",
        library, source,
      ])
    guard run.ending == .exited(0) else { throw Trouble("the shim: \(run.errors)") }
  }

  /// Runs the program with a fault in a folder whose files are watched.
  ///
  /// - Parameter trace: The file in which to record changes of the disk.
  func run(
    _ program: String, _ arguments: [String], in watched: String, _ fault: Fault,
    trace: String? = nil, until deadline: Run.Deadline = .minute
  ) throws -> (run: Run, count: Count) {
    let control = try Control(in: folder, fault)
    var environment = [
      "LD_PRELOAD": library, "ATTACK_CONTROL": control.path, "ATTACK_FOLDER": watched,
    ]
    environment["ATTACK_TRACE"] = trace
    let run = try Run(
      program, arguments, in: watched, setting: environment, until: deadline)
    return (run, control.count)
  }
}

/// The memory that the shim and this program share: `struct control` in the shim.
private struct Control: ~Copyable {
  let path: String
  private static let bytes = 48

  init(in folder: Scratch, _ fault: Shim.Fault) throws {
    path = folder.file(UUID().uuidString)
    var bytes: [UInt8] = []
    let words = [
      fault.calls.rawValue, fault.at, fault.isPermanent ? 1 : 0, UInt32(fault.error),
      fault.manner.rawValue, 0, 0, 0,
    ]
    for word in words { withUnsafeBytes(of: word.littleEndian) { bytes += $0 } }
    withUnsafeBytes(of: fault.shift.milliseconds.littleEndian) { bytes += $0 }
    for word in [fault.shift.at, 0] { withUnsafeBytes(of: word.littleEndian) { bytes += $0 } }
    try Data(bytes).write(to: URL(filePath: path))
  }

  deinit { unlink(path) }

  var count: Shim.Count {
    let bytes = (try? Data(contentsOf: URL(filePath: path))) ?? Data(count: Self.bytes)
    func word(_ index: Int) -> UInt32 {
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self) }
    }
    return Shim.Count(
      calls: word(5), failed: word(6), kind: Shim.Calls(rawValue: word(7)), looks: word(11))
  }
}

/// A failure of the harness itself.
struct Trouble: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
