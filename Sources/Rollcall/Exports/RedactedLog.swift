import Captures
import EventStore
package import Foundation

extension Timeline {
  /// Returns a redacted history: the part up to a point, as `LogExport.writeRedacted` writes it.
  ///
  /// - Parameter directory: The directory for temporary files, which are removed at the end.
  /// - Returns: The history, whose records have the numbers of such an export.
  package func redacted(upTo point: LogPoint, in directory: URL) throws -> Timeline {
    let path = directory.path(percentEncoded: false)
    let part = try EventLog.unnamed(in: path, eventVersion: RecordReader.version)
    let whole = try Branch(of: self, upTo: point, edits: BranchEdits(), policy: .strict)
    try whole.write(to: part)
    let file = try FileHandle.nameless(in: directory)
    _ = try LogExport(part, narrowedTo: connection).writeRedacted {
      try file.write(contentsOf: Data($0))
    }
    try file.seek(toOffset: 0)
    let log = try EventLog.unnamed(in: path, eventVersion: RecordReader.version)
    var reading = CaptureImport(ImportOptions(format: CaptureFormat.named("native")))
    _ = try reading.run(file, into: log)
    return Timeline(log)
  }
}

extension FileHandle {
  /// A file to write and then read, which disappears with the process, however the process ends.
  fileprivate static func nameless(in directory: URL) throws -> FileHandle {
    let url = directory.appending(path: "rollcall-\(UUID()).jsonl")
    let path = url.path(percentEncoded: false)
    guard FileManager.default.createFile(atPath: path, contents: nil) else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
    }
    defer { try? FileManager.default.removeItem(at: url) }
    return try FileHandle(forUpdating: url)
  }
}
