import Foundation

/// Programs installed on the system.
enum Programs {
  /// The path of a program. Ignores relative directories on the PATH, so that a program next to a
  /// capture is never run.
  static func path(of name: String, _ environment: [String: String]) -> String? {
    let path = environment["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
