import Foundation
import Rollcall

/// A compressed file or pipe unpacked by the system's own tool, or a packet capture read by tshark.
/// A file can be read again from the beginning.
///
/// Nothing is buffered: the tool is ahead of its reader only as far as a pipe allows.
final class ToolOutput {
  /// The output of the tool; a new handle after each `begin`.
  private(set) var handle: FileHandle = .nullDevice

  /// The name of the tool.
  var name: String { tool.name }

  private let path: String
  private let file: FileHandle
  private let isFile: Bool
  private let tool: Tool
  private var process: ChildProcess?
  private var isRunning = false
  private var errors: FileHandle?

  /// Starts the tool for a file; nil if it needs no known tool.
  ///
  /// - Parameters:
  ///   - head: The first bytes, which are not consumed.
  ///   - isFile: Whether it is a file rather than a pipe.
  ///   - keyLog: The file with the keys of TLS connections, for a packet capture.
  /// - Throws: `Failure` if the tool is not installed.
  init?(
    _ path: String, _ file: FileHandle, head: [UInt8], isFile: Bool, keyLog: String?
  ) throws {
    guard let tool = try Tool(path, file, head: head, isFile: isFile, keyLog: keyLog) else {
      return nil
    }
    (self.path, self.file, self.tool, self.isFile) = (path, file, tool, isFile)
    try begin()
  }

  /// Starts a given tool on a file.
  init(_ path: String, _ file: FileHandle, _ tool: Tool) throws {
    (self.path, self.file, self.tool, isFile) = (path, file, tool, true)
    try begin()
  }

  /// Starts the tool at the beginning of the file, replacing a running one.
  func begin() throws {
    stop()
    if isFile { try file.seek(toOffset: 0) }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure("\(path): \(text(ofSystemCode: errno))") }
    defer { close(ends[1]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // The errors are read after the tool has ended, so it must never block on writing them.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    errors = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    do {
      let started = try ChildProcess(
        tool.program, tool.arguments, piping: .filter(input: file.fileDescriptor, errors: ends[1]))
      handle = started.pipe
      process = consume started
      isRunning = true
    } catch let error as POSIXError {
      let why = text(ofSystemCode: error.code.rawValue)
      throw Failure("\(path): \(tool.program) cannot be run: \(why)")
    }
  }

  /// Reports the tool's errors, once all of its output was read.
  ///
  /// - Throws: `Failure` if it did not complete its task.
  func check() throws {
    guard isRunning, try (handle.read(upToCount: 1) ?? Data()).isEmpty,
      let process = process.take()
    else { return }
    isRunning = false
    let ending = process.wait()
    try tool.check(ending, try errors?.readToEnd() ?? Data(), path)
  }

  /// Ends the tool, whatever it is doing.
  private func stop() {
    guard let process = process.take() else { return }
    kill(process.identifier, SIGKILL)
    _ = process.wait()
    isRunning = false
    handle = .nullDevice
  }

  deinit { stop() }
}
