import Foundation

/// The library that is loaded into the attacked program: see `Shim/shim.c`.
struct Shim: Sendable {
  /// The calls that it counts.
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
    /// Those by which something gets onto the disk.
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
    /// Half of what was to be written is.
    case short = 2
    /// All of it is done, and then it fails.
    case late = 3
    /// The process is killed in its place.
    case killed = 4
  }

  /// What is to go wrong in a run.
  struct Fault: Sendable, CustomStringConvertible {
    var calls = Calls.all
    /// The first call that fails, counted from 1; 0 for none.
    var at: UInt32 = 0
    /// Whether all after it fail as well.
    var goesOn = false
    var error = EIO
    var manner = Manner.refused
    /// How many milliseconds the clock jumps by, at which look at it; 0 for never.
    var shift: (milliseconds: Int64, at: UInt32) = (0, 0)

    var description: String {
      guard at > 0 else { return shift.at > 0 ? "a clock that jumps at look \(shift.at)" : "none" }
      let which = goesOn ? "call \(at) and all after it" : "call \(at)"
      switch manner {
      case .refused: return "\(which): \(String(cString: strerror(error)))"
      case .short: return "\(which): short"
      case .late: return "\(which): done, then \(String(cString: strerror(error)))"
      case .killed: return "killed in place of \(which)"
      }
    }
  }

  /// What came of it.
  struct Count: Sendable {
    var calls: UInt32
    var failed: UInt32
    /// What the first call was that failed.
    var kind: Calls
    var looks: UInt32
  }

  private let library: String
  private let folder: Scratch

  /// Compiles it.
  init() throws {
    folder = try Scratch()
    library = folder.file("shim.so")
    let source = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Shim/shim.c").path(percentEncoded: false)
    // The toolchain's own, also where only `swift` is on the path.
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

  /// Runs the program in a folder, all files of which are watched, with a fault.
  ///
  /// - Parameter trace: Where to write down what changes the disk.
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

/// What the shim and this program share: `struct control` in the shim.
private struct Control: ~Copyable {
  let path: String
  private static let bytes = 48

  init(in folder: Scratch, _ fault: Shim.Fault) throws {
    path = folder.file(UUID().uuidString)
    var bytes: [UInt8] = []
    let words = [
      fault.calls.rawValue, fault.at, fault.goesOn ? 1 : 0, UInt32(fault.error),
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

/// Why the harness itself cannot go on.
struct Trouble: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
