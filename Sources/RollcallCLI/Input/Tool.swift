import Captures
import Foundation

/// A program of the system that makes something readable of what it reads.
struct Tool {
  /// What it is called.
  let name: String
  /// What it is asked to do, after “cannot”.
  let task: String
  /// What is started, and with which arguments.
  let program: String
  let arguments: [String]
  /// What it says of input that ends too early, all of which before that it has read.
  var shortage: String?
  /// Whether something else says so.
  var isQuiet = false

  /// The packages of the programs that unpack.
  private static let packages = ["gzip": "gzip", "xz": "xz-utils", "zstd": "zstd"]
  private static let shownLines = 3

  /// The program for a file that begins so; nil where there is none, or none is needed.
  ///
  /// - Throws: `Failure` where it is not there.
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
      // The memory that a file can make xz take is the file's to say; zstd has a limit of its own.
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

  /// Says what it met, where it did not do all that it was asked to.
  ///
  /// - Parameter errors: What it wrote to standard error.
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
