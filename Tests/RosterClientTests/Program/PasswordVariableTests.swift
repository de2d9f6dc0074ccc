import Foundation
import TestSupport
import Testing

#if os(Linux)
  /// What remains of a password that was passed in the environment.
  @Suite("A password in the environment") struct PasswordVariableTests {
    @Test("It is removed from the environment of the process once it is read")
    func removed() async throws {
      // On a busy machine the login can time out before the test gets a turn.
      for _ in 0..<10 {
        guard let environment = try await environmentWhileConnecting() else { continue }
        #expect(environment.contains("beside-it"))
        #expect(!environment.contains("qing"))
        return
      }
      Issue.record("the program always ended before its environment was read")
    }

    /// The environment of a program that is logging in; nil if it ended before that was read.
    private func environmentWhileConnecting() async throws -> String? {
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
      // The connection shows that the password was read.
      try await server.wire(0).hears("<stream:stream")
      let file = URL(filePath: "/proc/\(process.processIdentifier)/environ")
      guard let bytes = try? Data(contentsOf: file), !bytes.isEmpty else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }
  }
#endif
