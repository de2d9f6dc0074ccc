import Foundation
import TestSupport

/// A test's own authority, and a certificate that it issues for some domains.
struct Certificates: Sendable {
  let folder: TemporaryFolder

  static var isPossible: Bool { Tool.find("openssl") != nil }

  /// - Parameter days: The validity of the certificate; negative for one that has expired.
  init(for domains: [String], days: Int = 2) throws {
    folder = try TemporaryFolder()
    try Self.run([
      "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=Test authority",
      "-keyout", folder.file("authority.key"), "-out", authority,
    ])
    try Self.run([
      "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=Test server", "-keyout", key, "-out",
      folder.file("request.pem"),
    ])
    let extensions = folder.file("extensions.txt")
    let names = domains.map { "DNS:\($0)" }.joined(separator: ",")
    try "subjectAltName=\(names)\n".write(toFile: extensions, atomically: true, encoding: .utf8)
    try Self.run([
      "x509", "-req", "-in", folder.file("request.pem"), "-CA", authority, "-CAkey",
      folder.file("authority.key"), "-CAcreateserial", "-days", "\(days)", "-extfile", extensions,
      "-out", certificate,
    ])
  }

  /// The root to trust.
  var authority: String { folder.file("authority.pem") }
  var certificate: String { folder.file("server.pem") }
  var key: String { folder.file("server.key") }

  private static func run(_ arguments: [String]) throws {
    let result = try Tool.run("openssl", arguments)
    guard result.code == 0 else { throw Tool.Failure(words: result.output) }
  }
}

/// Finds and runs programs of the system.
enum Tool {
  struct Failure: Error {
    let words: String
  }

  static func find(_ name: String) -> String? {
    ["/usr/bin", "/usr/sbin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  static func run(
    _ name: String, _ arguments: [String], _ environment: [String: String] = [:]
  ) throws -> (code: Int32, output: String) {
    guard let path = find(name) else { throw Failure(words: "there is no \(name)") }
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let pipe = Pipe()
    (process.standardOutput, process.standardError) = (pipe, pipe)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
