import Foundation
import Rollcall

/// A session that is recorded live, by this program run as a process of its own.
enum LiveRecording {
  private static let elements = 12
  /// How many records that makes: before the first one, the session that the log ends in is closed,
  /// by each recorder that finds it open.
  static let records = elements...elements + 1
  /// How many elements are handed over before the disk is waited for.
  private static let burst = 3
  /// How many records a burst can have.
  static let mostInBurst = burst + 1
  private static let acknowledgements = "acks"

  /// Records a session in bursts, and adds as many bytes to a file after each as are durable.
  ///
  /// - Returns: the exit code.
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

  /// How many records were acknowledged.
  static func acknowledged(in folder: Scratch) -> Int {
    (try? Data(contentsOf: URL(filePath: folder.file(acknowledgements))).count) ?? 0
  }

  /// How many records a change of the disk acknowledges.
  static func acknowledged(by event: DiskEvent) -> Int {
    guard case .write(_, _, let bytes, let path) = event else { return 0 }
    return path.hasSuffix("/\(acknowledgements)") ? bytes.count : 0
  }
}
