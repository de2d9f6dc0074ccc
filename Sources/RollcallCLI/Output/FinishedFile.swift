import EventStore
import Foundation

/// A file that appears under its name when it is complete. Until then it has a temporary name, and
/// it is removed with the last reference.
final class FinishedFile {
  private let path: String
  private let draft: String
  private let file: FileHandle
  private let interruption: Interruption
  private var pending: [UInt8] = []
  private var isFinished = false

  /// Runs `body` with a function that writes to a file, which appears complete or not at all.
  /// Without a path, writes to standard output.
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
    // Named like drafts of logs, so that the next command removes a draft whose process was killed.
    EventLog.removeStaleDrafts(of: path)
    let draft = "\(path).draft-\(getpid())-1"
    self.draft = draft
    (file, interruption) = try Interruption.creating(
      {
        guard FileManager.default.createFile(atPath: draft, contents: nil),
          let file = FileHandle(forWritingAtPath: draft)
        else { throw Failure("\(path): it cannot be written") }
        return file
      }, path: { _ in draft })
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
