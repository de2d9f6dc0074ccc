import Captures
import Foundation
import Rollcall

/// A compressed file or pipe as the system's own tool unpacks it. A file can be begun anew.
///
/// Nothing of it is held: the tool is only as far ahead of its reader as a pipe allows.
final class Decompression {
  /// What is unpacked comes from here; it is another one after each `begin`.
  private(set) var handle: FileHandle = .nullDevice

  /// What the tool is called.
  var name: String { tool.rawValue }

  private let path: String
  private let file: FileHandle
  private let isFile: Bool
  private let tool: Tool
  private let program: String
  private var process: ChildProcess?
  private var isRunning = false
  private var errors: FileHandle?

  /// Nil where the file is not compressed in a way that is known.
  ///
  /// - Parameters:
  ///   - head: Its first bytes, which it has still.
  ///   - isFile: Whether it is no pipe.
  /// - Throws: `Failure` where the tool is not there.
  init?(_ path: String, _ file: FileHandle, head: [UInt8], isFile: Bool) throws {
    guard case .compressed(let name)? = UnreadableFile(head), let tool = Tool(rawValue: name)
    else { return nil }
    guard let program = Programs.path(of: name, ProcessInfo.processInfo.environment) else {
      throw Failure(
        "\(path): it is compressed with \(name), which is not on the PATH; "
          + "install the package \(tool.package)")
    }
    (self.path, self.file, self.tool, self.program) = (path, file, tool, program)
    self.isFile = isFile
    try begin()
  }

  /// Starts the tool at the file's beginning, in place of the one that runs.
  func begin() throws {
    stop()
    if isFile { try file.seek(toOffset: 0) }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure("\(path): \(text(ofSystemCode: errno))") }
    defer { close(ends[1]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // What it says is read when it has ended: it must not wait for that, however much it is.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    errors = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    do {
      let started = try ChildProcess(
        program, tool.arguments, piping: .filter(input: file.fileDescriptor, errors: ends[1]))
      handle = started.pipe
      process = consume started
      isRunning = true
    } catch let error as POSIXError {
      let why = text(ofSystemCode: error.code.rawValue)
      throw Failure("\(path): \(program) cannot be run: \(why)")
    }
  }

  /// Says what the tool met, where all that it had to say was read.
  ///
  /// - Throws: `Failure` where it did not unpack all.
  func check() throws {
    guard isRunning, try (handle.read(upToCount: 1) ?? Data()).isEmpty,
      let process = process.take()
    else { return }
    isRunning = false
    let ending = process.wait()
    if case .exited(code: 0) = ending { return }
    let words = String(decoding: try errors?.readToEnd() ?? Data(), as: UTF8.self)
      .split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }.prefix(Self.shownLines).joined(separator: "; ")
    let how =
      switch ending {
      case .exited(let code): "it ended with exit code \(code)"
      case .killed(let signal): "it was killed by signal \(signal)"
      }
    throw Failure("\(path): \(tool.rawValue) cannot unpack it: \(words.isEmpty ? how : words)")
  }

  /// Ends the tool, wherever it is.
  private func stop() {
    guard let process = process.take() else { return }
    kill(process.identifier, SIGKILL)
    _ = process.wait()
    isRunning = false
    handle = .nullDevice
  }

  deinit { stop() }

  private static let shownLines = 3
}

/// A program that unpacks what it reads.
private enum Tool: String {
  case gzip, xz, zstd

  /// What it is installed as.
  var package: String { self == .xz ? "xz-utils" : rawValue }

  /// The memory that a file can make xz take is the file's to say; zstd has a limit of its own.
  var arguments: [String] { self == .xz ? ["-dc", "--memlimit-decompress=256MiB"] : ["-dc"] }
}
