import Foundation
import Rollcall

/// A live session that this program records in a separate process.
enum LiveRecording {
  private static let elements = 12
  /// The number of records of a session. If the log ends in an open session, a recorder first
  /// closes it.
  static let records = elements...elements + 1
  /// The number of elements between waits for the disk.
  private static let burst = 3
  /// The maximum number of records of a burst.
  static let mostInBurst = burst + 1
  private static let acknowledgements = "acks"

  /// Records a session in bursts. After each burst, appends as many bytes to a file as records
  /// became durable.
  ///
  /// - Returns: The exit code.
  static func run(_ path: String) -> Int32 {
    do {
      let session = try RosterSession(recordingTo: path)
      var durable = session.roster.position
      let file = open(acknowledgements, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
      for number in 0..<elements {
        try session.received(Session.stanza(number).utf8, at: nil)
        guard (number + 1).isMultiple(of: burst) else { continue }
        try session.flush()
        let count = Int(session.roster.position - durable)
        durable = session.roster.position
        _ = write(file, [UInt8](repeating: UInt8(ascii: "+"), count: count), count)
      }
      return 0
    } catch {
      FileHandle.standardError.write(Data("rollcall: \(error)\n".utf8))
      return 2
    }
  }

  /// The number of acknowledged records.
  static func acknowledged(in folder: Scratch) -> Int {
    (try? Data(contentsOf: URL(filePath: folder.file(acknowledgements))).count) ?? 0
  }

  /// The number of records that a change of the disk acknowledges.
  static func acknowledged(by event: DiskEvent) -> Int {
    guard case .write(_, _, let bytes, let path) = event else { return 0 }
    return path.hasSuffix("/\(acknowledgements)") ? bytes.count : 0
  }
}
