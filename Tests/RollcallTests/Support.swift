import EventLog
import Foundation
import Rollcall
import TestSupport
import Testing
import XMPPStanza

/// A draft log of what a capture holds; nothing in the capture may be unreadable.
func importedLog(
  of path: String, _ account: String?, in folder: TemporaryFolder
) throws -> EventLog {
  let log = try EventLog.draft(
    for: folder.file("\(UUID()).rollcall"), eventVersion: RecordMeaning.version)
  var reading = CaptureImport(ImportOptions(account: try account.map { try BareJID(parsing: $0) }))
  let file = try FileHandle(forReadingFrom: URL(filePath: path))
  let summary = try reading.run(file, into: log)
  #expect(summary.problemCount == 0)
  return log
}
