import Captures
import EventStore
package import Foundation

extension Timeline {
  /// A history of stand-ins: what `LogExport.writeRedacted` writes of this one up to a point, read
  /// again.
  ///
  /// - Parameter directory: Where temporary files may be made, which are gone at the end.
  /// - Returns: The history, with the numbers that records have in such an export, and the number
  ///   of its last record.
  package func redacted(upTo point: Point, in directory: URL) throws -> Timeline {
    let path = directory.path(percentEncoded: false)
    let part = try EventLog.unnamed(in: path, eventVersion: DecodedRecord.version)
    let whole = try Branch(of: self, upTo: point, edits: BranchEdits(), policy: .strict)
    try whole.write(to: part)
    let file = directory.appending(path: "rollcall-\(UUID()).jsonl")
    let name = file.path(percentEncoded: false)
    guard FileManager.default.createFile(atPath: name, contents: nil) else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: name])
    }
    defer { try? FileManager.default.removeItem(at: file) }
    let writing = try FileHandle(forWritingTo: file)
    _ = try LogExport(part, narrowedTo: connection).writeRedacted {
      try writing.write(contentsOf: Data($0))
    }
    try writing.close()
    let log = try EventLog.unnamed(in: path, eventVersion: DecodedRecord.version)
    var reading = CaptureImport(ImportOptions(format: CaptureFormat.named("native")))
    _ = try reading.run(try FileHandle(forReadingFrom: file), into: log)
    return Timeline(log)
  }
}
