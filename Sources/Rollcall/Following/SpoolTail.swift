package import Foundation

/// Reads the segments of a spool in their order while a tap writes them.
package final class SpoolTail {
  private let folder: String
  private var name: String
  private var tail: FileTail

  /// - Parameters:
  ///   - file: The segment to begin with, open and positioned at its beginning.
  ///   - folder: The folder of the spool.
  ///   - name: The name of the segment in it.
  package init(_ file: FileHandle, in folder: String, called name: String) {
    (self.folder, self.name) = (folder, name)
    tail = FileTail(file, path: nil)
  }

  /// The path of the segment whose bytes `next` returns.
  package var path: String { "\(folder)/\(name)" }

  /// The bytes since the last call, without waiting for more.
  ///
  /// - Throws: `POSIXError`, and Foundation's errors if the folder cannot be read.
  package func next() throws -> FileTail.Step {
    // Look this up first: a tap that has begun another segment has finished this one.
    let age = LogFileName(name).age
    let next = try Self.segments(of: folder).first { LogFileName($0).age > age }
    let step = try tail.next()
    guard step == .nothing, let next,
      let file = FileHandle(forReadingAtPath: "\(folder)/\(next)")
    else { return step }
    (name, tail) = (next, FileTail(file, path: nil))
    return .beginsAnew
  }

  /// The names of the segments in a folder, oldest first.
  ///
  /// - Throws: Foundation's errors if the folder cannot be read.
  package static func segments(of folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder)
      .map { (name: $0, parsed: LogFileName($0)) }
      .filter(\.parsed.isSegment)
      .sorted { ($0.parsed.age, $0.name) < ($1.parsed.age, $1.name) }
      .map(\.name)
  }
}
