import Captures
import Foundation

/// A system program that converts an input into readable bytes.
struct Tool {
  /// The name of the program.
  let name: String
  /// Its task, as a phrase after “cannot”.
  let task: String
  /// The executable to start, and its arguments.
  let program: String
  let arguments: [String]
  /// The text of its error if the input ends early; it has then converted everything before the
  /// end.
  var shortage: String?
  /// Whether that error needs no note here, because it is reported elsewhere.
  var isQuiet = false

  /// The packages that contain the programs.
  private static let packages = ["gzip": "gzip", "xz": "xz-utils", "zstd": "zstd"]
  private static let shownLines = 3

  /// The program for a file that begins with `head`; nil if none exists or none is needed.
  ///
  /// - Throws: `Failure` if the program is not installed.
  init?(
    _ path: String, _ file: FileHandle, head: [UInt8], isFile: Bool, keyLog: String?
  ) throws {
    switch UnreadableFile(head) {
    case .compressed(let name)?:
      guard let package = Self.packages[name] else { return nil }
      guard let program = Self.path(of: name) else {
        throw Failure(
          "\(path): it is compressed with \(name), which is not on the PATH; "
            + "install the package \(package)")
      }
      // A file determines how much memory xz needs, so limit it; zstd has its own limit.
      let limit = name == "xz" ? ["--memlimit-decompress=256MiB"] : []
      self.init(name: name, task: "unpack it", program: program, arguments: ["-dc"] + limit)
    case .packets?:
      self = try PacketCapture(path, file, isFile: isFile, keyLog: keyLog).tool()
    case .empty?, .zeros?, .binary?, nil: return nil
    }
  }

  init(
    name: String, task: String, program: String, arguments: [String], shortage: String? = nil
  ) {
    (self.name, self.task, self.program) = (name, task, program)
    (self.arguments, self.shortage) = (arguments, shortage)
  }

  static func path(of name: String) -> String? {
    Programs.path(of: name, ProcessInfo.processInfo.environment)
  }

  /// Throws the errors of the program if it did not complete its task.
  ///
  /// - Parameter errors: Its output on standard error.
  func check(_ ending: ChildProcess.Ending, _ errors: Data, _ path: String) throws {
    if case .exited(code: 0) = ending { return }
    let lines = String(decoding: errors, as: UTF8.self)
      .split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("Running as user") }
    if let shortage, let line = lines.first(where: { $0.contains(shortage) }) {
      return isQuiet ? () : Terminal.note("\(path): \(line)")
    }
    let how =
      switch ending {
      case .exited(let code): "it ended with exit code \(code)"
      case .killed(let signal): "it was killed by signal \(signal)"
      }
    let words = lines.prefix(Self.shownLines).joined(separator: "; ")
    throw Failure("\(path): \(name) cannot \(task): \(words.isEmpty ? how : words)")
  }
}
