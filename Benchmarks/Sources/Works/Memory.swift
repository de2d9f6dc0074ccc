import EventStore
import Foundation
import Rollcall
import Synchronization

/// The memory of a process that does one thing, besides its input and the log.
public enum Footprint {
  /// Imports a capture's file into a new log.
  /// - Returns: The peak growth of anonymous memory, in bytes.
  public static func importing(_ capture: String, to path: String) throws -> Int {
    try MemoryWatch.peak {
      let log = try EventLog.draft(for: path, eventVersion: RecordReader.version)
      let file = try FileHandle(forReadingFrom: URL(filePath: capture))
      var importing = CaptureImport(ImportOptions())
      _ = try importing.run(file, into: log)
      try log.publish()
    }
  }

  /// Makes the state at a log's head.
  /// - Returns: The peak growth of anonymous memory, in bytes.
  public static func rebuilding(_ path: String) throws -> Int {
    try MemoryWatch.peak {
      _ = try Timeline(opened(path)).replay(upTo: .head(minus: 0)) { _, _ in }
    }
  }

  /// The total size of a log's records, and the size of its file, in bytes.
  public static func sizes(_ path: String) throws -> (raw: Int, file: Int) {
    var raw = 0
    try opened(path).forEachRecord(in: 1...UInt64.max) { raw += $1.byteCount }
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (raw, (attributes[.size] as? Int) ?? 0)
  }
}

/// Samples the memory of this process repeatedly.
private final class MemoryWatch: Sendable {
  private let isDone = Atomic<Bool>(false)
  private let peak = Atomic<Int>(0)

  /// The peak memory during a work, beyond the memory before it.
  static func peak(during work: () throws -> Void) throws -> Int {
    let watch = MemoryWatch()
    let before = anonymousBytes
    let thread = Thread {
      while !watch.isDone.load(ordering: .relaxed) {
        watch.sample()
        usleep(2000)
      }
    }
    thread.start()
    defer { watch.isDone.store(true, ordering: .relaxed) }
    try work()
    watch.sample()
    return max(0, watch.peak.load(ordering: .relaxed) - before)
  }

  private func sample() {
    _ = peak.max(Self.anonymousBytes, ordering: .relaxed)
  }

  /// The resident memory that is not mapped from a file, such as the log; 0 except on Linux.
  private static var anonymousBytes: Int {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
      let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first
    else { return 0 }
    return (Int(kilobytes) ?? 0) << 10
  }
}
