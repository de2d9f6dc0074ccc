import Foundation
import Rollcall

/// A compressed file or pipe as the system's own tool unpacks it, or a capture of packets as tshark
/// reads it. A file can be begun anew.
///
/// Nothing of it is held: the tool is only as far ahead of its reader as a pipe allows.
final class ToolOutput {
  /// What the tool writes comes from here; it is another one after each `begin`.
  private(set) var handle: FileHandle = .nullDevice

  /// What the tool is called.
  var name: String { tool.name }

  private let path: String
  private let file: FileHandle
  private let isFile: Bool
  private let tool: Tool
  private var process: ChildProcess?
  private var isRunning = false
  private var errors: FileHandle?

  /// Nil where the file needs no tool that is known.
  ///
  /// - Parameters:
  ///   - head: Its first bytes, which it has still.
  ///   - isFile: Whether it is no pipe.
  ///   - keyLog: The file with the keys of TLS connections, for a capture of packets.
  /// - Throws: `Failure` where the tool is not there.
  init?(
    _ path: String, _ file: FileHandle, head: [UInt8], isFile: Bool, keyLog: String?
  ) throws {
    guard let tool = try Tool(path, file, head: head, isFile: isFile, keyLog: keyLog) else {
      return nil
    }
    (self.path, self.file, self.tool, self.isFile) = (path, file, tool, isFile)
    try begin()
  }

  /// What a tool writes of a file.
  init(_ path: String, _ file: FileHandle, _ tool: Tool) throws {
    (self.path, self.file, self.tool, isFile) = (path, file, tool, true)
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
        tool.program, tool.arguments, piping: .filter(input: file.fileDescriptor, errors: ends[1]))
      handle = started.pipe
      process = consume started
      isRunning = true
    } catch let error as POSIXError {
      let why = text(ofSystemCode: error.code.rawValue)
      throw Failure("\(path): \(tool.program) cannot be run: \(why)")
    }
  }

  /// Says what the tool met, where all that it had to say was read.
  ///
  /// - Throws: `Failure` where it did not do all.
  func check() throws {
    guard isRunning, try (handle.read(upToCount: 1) ?? Data()).isEmpty,
      let process = process.take()
    else { return }
    isRunning = false
    let ending = process.wait()
    try tool.check(ending, try errors?.readToEnd() ?? Data(), path)
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
}
