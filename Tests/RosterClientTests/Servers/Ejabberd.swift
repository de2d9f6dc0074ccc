import Foundation
import TestSupport

/// ejabberd, as Debian has it.
final class Ejabberd: RealServer {
  static let name = "ejabberd"
  static var isPossible: Bool {
    Tool.find("erl") != nil && Tool.find("curl") != nil && Tool.find("ejabberdctl") != nil
      && Certificates.isPossible
  }

  let domain = "ejabberd.test"
  let certificates: Certificates
  let port: Int
  let directPort: Int
  private let askingPort: Int
  private let folder: TemporaryFolder
  private var process: Process?

  init() throws {
    folder = try TemporaryFolder()
    certificates = try Certificates(for: domain)
    (port, directPort, askingPort) = (try freePort(), try freePort(), try freePort())
    try FileManager.default.createDirectory(
      atPath: folder.file("data"), withIntermediateDirectories: true)
    let chain = try [certificates.certificate, certificates.key]
      .map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
    try chain.write(toFile: folder.file("server.pem"), atomically: true, encoding: .utf8)
    try configuration.write(
      toFile: folder.file("ejabberd.yml"), atomically: true, encoding: .utf8)
  }

  deinit { process?.end() }

  private var configuration: String {
    """
    hosts:
      - "\(domain)"
    loglevel: debug
    certfiles:
      - "\(folder.file("server.pem"))"
    auth_password_format: scram
    auth_scram_hash: sha256
    registration_timeout: infinity
    listen:
      -
        port: \(port)
        ip: "127.0.0.1"
        module: ejabberd_c2s
        starttls_required: true
      -
        port: \(directPort)
        ip: "127.0.0.1"
        module: ejabberd_c2s
        tls: true
      -
        port: \(askingPort)
        ip: "127.0.0.1"
        module: ejabberd_http
        request_handlers:
          /api: mod_http_api
    acl:
      loopback:
        ip:
          - 127.0.0.0/8
    access_rules:
      register:
        allow: all
    api_permissions:
      "everything":
        from:
          - mod_http_api
        who:
          access:
            allow:
              acl: loopback
        what: "*"
    modules:
      mod_admin_extra: {}
      mod_blocking: {}
      mod_disco: {}
      mod_http_api: {}
      mod_last: {}
      mod_ping: {}
      mod_privacy: {}
      mod_register:
        ip_access: all
        access: register
      mod_roster:
        versioning: true
      mod_stream_mgmt: {}

    """
  }

  func start() async throws {
    let process = Process()
    process.executableURL = URL(filePath: Tool.find("erl") ?? "erl")
    process.arguments = [
      "-noinput", "-mnesia", "dir", "\"\(folder.file("data"))\"", "-s", "ejabberd",
    ]
    process.environment = ProcessInfo.processInfo.environment.merging([
      "EJABBERD_CONFIG_PATH": folder.file("ejabberd.yml"),
      "EJABBERD_LOG_PATH": folder.file("log"), "ERL_LIBS": libraries,
    ]) { $1 }
    process.currentDirectoryURL = URL(filePath: folder.path)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process = process
    try await awaitPort()
  }

  func stop() throws { process?.end() }

  /// Where Debian puts what it is made of.
  private var libraries: String {
    let folders = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map { "/usr/lib/\($0)" }
    return folders.filter { FileManager.default.fileExists(atPath: $0) }.joined(separator: ":")
  }

  var log: String { (try? String(contentsOfFile: folder.file("log"), encoding: .utf8)) ?? "" }

  private struct Item: Decodable {
    let jid: String
    let nick: String
    let subscription: String
    let ask: String
    /// Who is in several comes several times.
    let group: String
  }

  func roster(of user: String) throws -> [String: StoredContact] {
    let asked = "{\"user\":\"\(user)\",\"server\":\"\(domain)\"}"
    let answer = try Tool.run(
      "curl", ["-sS", "-d", asked, "http://127.0.0.1:\(askingPort)/api/get_roster"])
    guard answer.code == 0 else { throw Tool.Failure(words: answer.output) }
    guard let items = try? JSONDecoder().decode([Item].self, from: Data(answer.output.utf8)) else {
      throw Tool.Failure(words: answer.output)
    }
    var contacts: [String: StoredContact] = [:]
    // Who has only asked is kept, but no contact (RFC 6121 §3.1.3).
    for item in items where item.subscription != "none" || item.ask != "in" {
      let known = contacts[item.jid]?.groups ?? []
      contacts[item.jid] = StoredContact(
        name: item.nick, subscription: item.subscription,
        isPending: ["subscribe", "out", "both"].contains(item.ask),
        groups: known.union([item.group].filter { !$0.isEmpty }))
    }
    return contacts
  }
}
