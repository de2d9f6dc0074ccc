import Foundation
import TestSupport
import Testing

#if os(Linux)
  /// What is left of a password that the environment gave.
  @Suite("A password in the environment") struct PasswordVariableTests {
    @Test("It is gone from the environment of the process once it is read")
    func removed() async throws {
      // The connection shows that it was read.
      let server = try RawServer()
      let folder = try TemporaryFolder()
      let process = Process()
      process.executableURL = try Program.executable("rollcall-live")
      process.arguments = [
        "connect", "alice@example.test", "--server", "127.0.0.1:\(server.port)", "-o",
        folder.file("a.rollcall"),
      ]
      process.environment = ProcessInfo.processInfo.environment.merging([
        "ROLLCALL_PASSWORD": "qing-chun-7", "ROLLCALL_BESIDE": "beside-it",
      ]) { $1 }
      process.standardInput = FileHandle.nullDevice
      (process.standardOutput, process.standardError) = (
        FileHandle.nullDevice, FileHandle.nullDevice
      )
      try process.run()
      defer {
        kill(process.processIdentifier, SIGKILL)
        process.end()
      }
      try await server.wire(0).hears("<stream:stream")
      let file = URL(filePath: "/proc/\(process.processIdentifier)/environ")
      let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
      #expect(text.contains("beside-it"))
      #expect(!text.contains("qing"))
    }
  }
#endif
