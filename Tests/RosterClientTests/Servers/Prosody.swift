import Foundation
import TestSupport

/// Prosody, as Debian has it.
final class Prosody: RealServer {
  static let name = "prosody"
  static var isPossible: Bool {
    Tool.find("prosody") != nil && Tool.find("lua") != nil && Certificates.isPossible
  }

  let domain = "prosody.test"
  let certificates: Certificates
  let port: Int
  let directPort: Int
  private let folder: TemporaryFolder
  private var process: Process?

  init() throws {
    folder = try TemporaryFolder()
    certificates = try Certificates(for: domain)
    port = try freePort()
    directPort = try freePort()
    try FileManager.default.createDirectory(
      atPath: folder.file("data"), withIntermediateDirectories: true)
    try configuration.write(
      toFile: folder.file("prosody.cfg.lua"), atomically: true, encoding: .utf8)
  }

  deinit { process?.end() }

  private var configuration: String {
    """
    daemonize = false
    run_as_root = true
    pidfile = "\(folder.file("prosody.pid"))"
    data_path = "\(folder.file("data"))"
    interfaces = { "127.0.0.1" }
    c2s_ports = { \(port) }
    c2s_direct_tls_ports = { \(directPort) }
    s2s_ports = { }
    modules_enabled = {
      "roster"; "saslauth"; "tls"; "disco"; "ping"; "smacks"; "blocklist"; "register"; "pep";
    }
    modules_disabled = { "s2s"; "s2s_auth_certs" }
    allow_registration = true
    registration_whitelist = { "127.0.0.1" }
    c2s_require_encryption = true
    authentication = "internal_hashed"
    limits = { }
    log = { { levels = { min = "debug" }, to = "file", filename = "\(folder.file("log"))" } }
    ssl = { certificate = "\(certificates.certificate)"; key = "\(certificates.key)" }
    c2s_direct_tls_ssl = {
      certificate = "\(certificates.certificate)"; key = "\(certificates.key)"
    }
    VirtualHost "\(domain)"
    """
  }

  func start() async throws {
    let process = Process()
    process.executableURL = URL(filePath: Tool.find("prosody") ?? "prosody")
    process.arguments = ["--config", folder.file("prosody.cfg.lua"), "-F"]
    process.currentDirectoryURL = URL(filePath: folder.path)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process = process
    try await awaitPort()
  }

  func stop() throws { process?.end() }

  var log: String { (try? String(contentsOfFile: folder.file("log"), encoding: .utf8)) ?? "" }

  /// Its files are tables of Lua, so Lua reads them.
  func roster(of user: String) throws -> [String: StoredContact] {
    let host = domain.replacing(".", with: "%2e")
    let file = folder.file("data/\(host)/roster/\(user).dat")
    guard FileManager.default.fileExists(atPath: file) else { return [:] }
    let script = """
      for jid, item in pairs(dofile(arg[1])) do
        if jid then
          local groups = {}
          for group in pairs(item.groups or {}) do groups[#groups + 1] = group end
          print(table.concat({ jid, item.name or "", item.subscription or "none",
            item.ask or "", table.concat(groups, "\\1") }, "\\2"))
        end
      end
      """
    try script.write(toFile: folder.file("roster.lua"), atomically: true, encoding: .utf8)
    let result = try Tool.run("lua", [folder.file("roster.lua"), file])
    guard result.code == 0 else { throw Tool.Failure(words: result.output) }
    var contacts: [String: StoredContact] = [:]
    for line in result.output.split(separator: "\n") {
      let parts = line.split(separator: "\u{2}", omittingEmptySubsequences: false).map(String.init)
      contacts[parts[0]] = StoredContact(
        name: parts[1], subscription: parts[2], isPending: parts[3] == "subscribe",
        groups: Set(parts[4].split(separator: "\u{1}").map(String.init)))
    }
    return contacts
  }
}
