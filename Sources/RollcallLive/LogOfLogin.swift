import Foundation
import Rollcall

/// The log of a login, which leaves no file if it fails before there is anything to record.
struct LogOfLogin {
  private let path: String
  /// Whether the login makes the file.
  private let isNew: Bool

  /// Call this before the session is made, which makes the file.
  init(_ path: String) {
    self.path = path
    isNew = !FileManager.default.fileExists(atPath: path)
  }

  /// Removes the file if the login made it and it has no record.
  ///
  /// - Parameter timeline: The history of the log, whose session is closed.
  func removeIfEmpty(_ timeline: Timeline?) throws {
    guard isNew, let timeline, try timeline.record(at: .head(minus: 0)) == 0 else { return }
    for file in [path, path + "-lock"] { try? FileManager.default.removeItem(atPath: file) }
  }
}
