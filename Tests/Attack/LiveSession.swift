import Foundation
import Rollcall

/// A session that is recorded live, by this program run as a process of its own.
enum LiveRecording {
  static let records = 12
  /// How many are handed over before the disk is waited for.
  static let burst = 3
  private static let acknowledgements = "acks"

  /// Records a session in bursts, and adds as many bytes to a file after each as are durable.
  ///
  /// - Returns: the exit code.
  static func run(_ path: String) -> Int32 {
    do {
      let session = try RosterSession(recordingTo: path)
      let file = open(acknowledgements, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
      for number in 0..<records {
        try session.received(Session.stanza(number).utf8, at: nil)
        guard (number + 1).isMultiple(of: burst) else { continue }
        try session.flush()
        _ = write(file, [UInt8](repeating: UInt8(ascii: "+"), count: burst), burst)
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

  /// Whether a change of the disk is an acknowledgement.
  static func isAcknowledgement(_ event: DiskEvent) -> Bool {
    if case .write(_, _, _, let path) = event {
      path.hasSuffix("/\(acknowledgements)")
    } else {
      false
    }
  }
}
