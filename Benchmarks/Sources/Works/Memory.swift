import EventStore
import Foundation
import Rollcall
import Synchronization

/// What a process that does one thing takes beside its input and the log.
public enum Footprint {
  /// Imports a capture's file into a new log.
  /// - Returns: The most anonymous memory beyond what there was before, in bytes.
  public static func importing(_ capture: String, to path: String) throws -> Int {
    try MemoryWatch.most {
      let log = try EventLog.draft(for: path, eventVersion: DecodedRecord.version)
      let file = try FileHandle(forReadingFrom: URL(filePath: capture))
      var importing = CaptureImport(ImportOptions())
      _ = try importing.run(file, into: log)
      try log.publish()
    }
  }

  /// Makes the state at a log's head.
  /// - Returns: As `importing` does.
  public static func rebuilding(_ path: String) throws -> Int {
    try MemoryWatch.most {
      _ = try Timeline(opened(path)).replay(upTo: .head(minus: 0)) { _, _ in }
    }
  }

  /// The bytes of all records of a log, and those of its file.
  public static func sizes(_ path: String) throws -> (raw: Int, file: Int) {
    var raw = 0
    try opened(path).forEachRecord(in: 1...UInt64.max) { raw += $1.byteCount }
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (raw, (attributes[.size] as? Int) ?? 0)
  }
}

/// Looks at the memory of this process again and again.
private final class MemoryWatch: Sendable {
  private let isDone = Atomic<Bool>(false)
  private let most = Atomic<Int>(0)

  /// The most that there was during a work, beyond what there was before it.
  static func most(during work: () throws -> Void) throws -> Int {
    let watch = MemoryWatch()
    let before = anonymousBytes
    let thread = Thread {
      while !watch.isDone.load(ordering: .relaxed) {
        watch.look()
        usleep(2000)
      }
    }
    thread.start()
    defer { watch.isDone.store(true, ordering: .relaxed) }
    try work()
    watch.look()
    return max(0, watch.most.load(ordering: .relaxed) - before)
  }

  private func look() {
    _ = most.max(Self.anonymousBytes, ordering: .relaxed)
  }

  /// What is no file's, so without the pages of the log that are mapped; 0 where Linux is not.
  private static var anonymousBytes: Int {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
      let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first
    else { return 0 }
    return (Int(kilobytes) ?? 0) << 10
  }
}
