import Foundation

/// Programs of the system.
enum Programs {
  /// Where a program is. Relative directories of the PATH are left out: what stands beside a
  /// capture is not run.
  static func path(of name: String, _ environment: [String: String]) -> String? {
    let path = environment["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
