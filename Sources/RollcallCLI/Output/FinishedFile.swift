import EventStore
import Foundation

/// A file that takes its place when it is complete; before that it has another name, and goes
/// away with the last reference.
final class FinishedFile {
  private let path: String
  private let draft: String
  private let file: FileHandle
  private var pending: [UInt8] = []
  private var isFinished = false

  /// Runs `body` with a way to write to a file, which is there when it is complete or not at all;
  /// without a path to standard output.
  static func writing<R>(
    to path: String?, _ body: (([UInt8]) throws -> Void) throws -> R
  ) throws -> R {
    guard let path else { return try body { try Terminal.write($0) } }
    guard !FileManager.default.fileExists(atPath: path) else {
      throw Failure("\(path) exists already")
    }
    let file = try FinishedFile(path)
    let result = try body { try file.write($0) }
    try file.finish()
    return result
  }

  private init(_ path: String) throws {
    self.path = path
    // Named as drafts of logs are, so that the next one removes what was left by a process that
    // was killed.
    EventLog.removeStaleDrafts(of: path)
    draft = "\(path).draft-\(getpid())-1"
    guard FileManager.default.createFile(atPath: draft, contents: nil),
      let file = FileHandle(forWritingAtPath: draft)
    else { throw Failure("\(path): it cannot be written") }
    self.file = file
  }

  deinit {
    if !isFinished { try? FileManager.default.removeItem(atPath: draft) }
  }

  private func write(_ bytes: [UInt8]) throws {
    pending += bytes
    if pending.count >= 1 << 16 { try flush() }
  }

  private func finish() throws {
    do {
      try flush()
      try file.synchronize()
      try file.close()
      try FileManager.default.moveItem(atPath: draft, toPath: path)
    } catch {
      throw Failure(error, in: path)
    }
    isFinished = true
  }

  private func flush() throws {
    try file.write(contentsOf: Data(pending))
    pending.removeAll(keepingCapacity: true)
  }
}
