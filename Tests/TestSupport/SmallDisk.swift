import Foundation

/// A file system of a chosen size, in memory; it is unmounted when the test ends.
package final class SmallDisk {
  package static var isPossible: Bool {
    geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/bin/mount")
  }

  package let path: String

  package init(at path: String, size: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    self.path = path
    try Self.run("/bin/mount", ["-t", "tmpfs", "-o", "size=\(size)", "tmpfs", path])
  }

  deinit { try? Self.run("/bin/umount", [path]) }

  /// Changes the size, given as a number with a unit: `4m`.
  package func enlarge(to size: String) throws {
    try Self.run("/bin/mount", ["-o", "remount,size=\(size)", path])
  }

  package func forbidWriting() throws {
    try Self.run("/bin/mount", ["-o", "remount,ro", path])
  }

  private struct Failure: Error { var status: Int32 }

  private static func run(_ program: String, _ arguments: [String]) throws {
    let process = try Process.run(URL(fileURLWithPath: program), arguments: arguments)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(status: process.terminationStatus)
    }
  }
}
