import Foundation
@testable import RosterClient
import TestSupport
import Testing

#if os(Linux)
  /// The memory of a session, as the system counts it for a process of its own.
  @Suite(
    "The memory of a session", .serialized,
    .enabled(if: Certificates.isPossible, "openssl is needed"))
  struct SessionMemoryTests {
    typealias Words = LoginScript

    /// The limit in MB, for a process that has only a few contacts to keep.
    private static let bound = 200

    private static let asked =
      "<iq type='get' id='then' from='example.test'><ping xmlns='urn:xmpp:ping'/></iq>"

    @Test("8,000 presences of one address take only the memory of what is kept of them")
    func presences() async throws {
      let flood = (0..<8000).map { "<presence from='bob@example.test/r\($0)'/>" }
      let peak = try await peak(of: flood.joined())
      #expect(peak < Self.bound, "\(peak) MB")
    }

    /// The peak memory of the command `connect` once it has answered the last stanza.
    private func peak(of flood: String) async throws -> Int {
      let certificates = try Certificates.usual.get()
      let item = "<item jid='bob@example.test' subscription='both'/>"
      let server = try ScriptedServer(
        [Words.online + [Words.roster(item, then: flood + Self.asked)]],
        .init(context: try certificates.context()))
      let folder = try TemporaryFolder()
      let password = folder.file("password")
      try Words.password.write(toFile: password, atomically: true, encoding: .utf8)
      let process = Process()
      process.executableURL = try Program.executable("rollcall-live")
      process.arguments = [
        "connect", "alice@example.test/phone", "--server", "127.0.0.1:\(server.port)",
        "--authority",
        certificates.authority, "--password-file", password, "-o", folder.file("a.rollcall"),
      ]
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      defer {
        kill(process.processIdentifier, SIGKILL)
        process.end()
      }
      try await server.hears("id=\"then\"")
      let status = try String(
        contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
      let line = try #require(status.firstMatch(of: /VmHWM:\s*([0-9]+) kB/))
      return try #require(Int(line.1)) >> 10
    }
  }
#endif
