import Foundation
import Rollcall
import TestSupport

/// ejabberd, as packaged by Debian.
final class Ejabberd: RealServer {
  static let name = "ejabberd"
  static var isPossible: Bool {
    Tool.find("erl") != nil && Tool.find("curl") != nil && Tool.find("ejabberdctl") != nil
      && Certificates.isPossible
  }

  static let usualDomain = "ejabberd.test"

  let domain = usualDomain
  let distinguishesRequests = false
  /// Each session is a process of its own, which stores a change and then pushes it: of two changes
  /// to one contact, the later may be pushed first. A push carries the version of the roster at the
  /// time of the push, so the version does not show the order either.
  let pushesInOrder = false
  let certificates: Certificates
  let port: Int
  let directPort: Int
  /// The ports for one version of TLS.
  private let ports: [TLSMode: Int]
  private let apiPort: Int
  private let level: String
  var webPort: Int { apiPort }
  private let tap: TapOptions?
  private let link: ServerLink?
  private let folder: TemporaryFolder
  private let process = ServerProcess()

  convenience init(isQuiet: Bool, tap: TapOptions?) throws {
    try self.init(isQuiet: isQuiet, tap: tap, link: nil)
  }

  init(isQuiet: Bool, tap: TapOptions? = nil, link: ServerLink?) throws {
    (self.tap, self.link) = (tap, link)
    level = isQuiet ? "warning" : "debug"
    folder = try TemporaryFolder()
    let domain = domain
    certificates = try Certificates(for: Domain.allCases.map { $0.name(at: domain) })
    (port, directPort, apiPort) = (try freePort(), try freePort(), try freePort())
    let modes = TLSMode.all.filter { $0.version != nil }
    ports = try Dictionary(uniqueKeysWithValues: modes.map { ($0, try freePort()) })
    try FileManager.default.createDirectory(
      atPath: folder.file("data"), withIntermediateDirectories: true)
    let chain = try [certificates.certificate, certificates.key]
      .map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
    try chain.write(toFile: folder.file("server.pem"), atomically: true, encoding: .utf8)
    if tap != nil {
      let source = folder.file("mod_rollcall_tap.erl")
      try Self.tap().write(toFile: source, atomically: true, encoding: .utf8)
      let compiled = try Tool.run("erlc", ["-o", folder.path, source])
      guard compiled.code == 0 else { throw Tool.Failure(words: compiled.output) }
    }
    // The system's servers for DNS know nothing about the domains of tests.
    try """
    {lookup, [file]}.
    {resolv_conf, ""}.

    """.write(toFile: folder.file("inetrc"), atomically: true, encoding: .utf8)
    try configuration.write(
      toFile: folder.file("ejabberd.yml"), atomically: true, encoding: .utf8)
  }

  private var configuration: String {
    """
    hosts:
      - "\(domain)"
      - "\(name(of: .brief))"
      - "\(name(of: .plain))"
      - "\(name(of: .hashed))"
    loglevel: \(level)
    certfiles:
      - "\(folder.file("server.pem"))"
    auth_password_format: scram
    auth_scram_hash: sha256
    registration_timeout: infinity
    \(link.map(options) ?? "")
    listen:
    \(listeners)
    \(link.map(listener) ?? "")
      -
        port: \(apiPort)
        ip: "127.0.0.1"
        module: ejabberd_http
        request_handlers:
          /api: mod_http_api
          /xmpp-websocket: ejabberd_http_ws
          /http-bind: mod_bosh
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
    \(modules("  "))
      mod_admin_extra: {}
      mod_http_api: {}
      mod_stream_mgmt: {}
    \(link == nil ? "" : "  mod_s2s_dialback: {}")
    \(tap.map(module) ?? "")
    host_config:
      "\(name(of: .brief))":
        modules:
    \(modules("      "))
      "\(name(of: .plain))":
        auth_password_format: plain
        disable_sasl_mechanisms: [\(Self.allButPlain)]
      "\(name(of: .hashed))":
        auth_scram_hash: sha

    """
  }

  private func options(_ link: ServerLink) -> String {
    """
    outgoing_s2s_port: \(link.peerPort)
    s2s_use_starttls: false
    """
  }

  private func listener(_ link: ServerLink) -> String {
    """
      -
        port: \(link.port)
        ip: "127.0.0.1"
        module: ejabberd_s2s_in
    """
  }

  /// The module that records, and the one for BOSH.
  private func module(_ tap: TapOptions) -> String {
    """
      mod_bosh: {}
      mod_rollcall_tap: { folder: "\(spool)", what: \(tap.what), limit: \(tap.limit) }
    """
  }

  private static let allButPlain =
    ["1", "256", "512"]
    .flatMap { ["\"SCRAM-SHA-\($0)\"", "\"SCRAM-SHA-\($0)-PLUS\""] }
    .joined(separator: ", ") + ", \"X-OAUTH2\", \"DIGEST-MD5\""

  private var listeners: String {
    let modes = ports.merging([TLSMode(): port, TLSMode(isDirect: true): directPort]) { $1 }
    return modes.map { mode, port in
      let others =
        switch mode.version {
        case nil: ""
        case .v12: "no_tlsv1_3"
        case .v13: "no_tlsv1, no_tlsv1_1, no_tlsv1_2"
        }
      return """
          -
            port: \(port)
            ip: "127.0.0.1"
            module: ejabberd_c2s
            \(mode.isDirect ? "tls" : "starttls_required"): true
            protocol_options: [\(others)]
        """
    }.joined(separator: "\n")
  }

  private func modules(_ indentation: String) -> String {
    """
    mod_blocking: {}
    mod_disco: {}
    mod_last: {}
    mod_ping: {}
    mod_privacy: {}
    mod_register: { ip_access: all, access: register }
    mod_roster: { versioning: true, store_current_id: true }
    """
    .split(separator: "\n").map { indentation + $0 }.joined(separator: "\n")
  }

  var spool: String { folder.file("spool") }

  func endpoint(for mode: TLSMode) -> (domain: String, port: Int) {
    (domain, ports[mode] ?? (mode.isDirect ? directPort : port))
  }

  func start() async throws {
    let process = Process()
    process.executableURL = URL(filePath: Tool.find("erl") ?? "erl")
    process.arguments = [
      "-noinput", "-pa", folder.path, "-mnesia", "dir", "\"\(folder.file("data"))\"", "-s",
      "ejabberd",
    ]
    process.environment = ProcessInfo.processInfo.environment.merging([
      "EJABBERD_CONFIG_PATH": folder.file("ejabberd.yml"),
      "EJABBERD_LOG_PATH": folder.file("log"), "ERL_LIBS": libraries,
    ]) { $1 }
    if link != nil { process.environment?["ERL_INETRC"] = folder.file("inetrc") }
    process.currentDirectoryURL = URL(filePath: folder.path)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try self.process.begin(process)
    try await awaitPort()
  }

  func stop() throws { process.end() }

  func kill() throws { process.kill() }

  /// The folders where Debian installs its libraries.
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
    /// A contact in several groups is listed several times.
    let group: String
  }

  /// A request from an address that is not a contact, which only this command lists.
  private struct ListedRequest: Decodable {
    let contact: String
  }

  private func answer<Answer: Decodable>(
    to command: String, _ arguments: [String: String]
  ) throws -> Answer {
    let asked = String(decoding: try JSONEncoder().encode(arguments), as: UTF8.self)
    let result = try Tool.run(
      "curl", ["-sS", "-d", asked, "http://127.0.0.1:\(apiPort)/api/\(command)"])
    guard result.code == 0,
      let answer = try? JSONDecoder().decode(Answer.self, from: Data(result.output.utf8))
    else { throw Tool.Failure(words: result.output) }
    return answer
  }

  func overwrite(
    _ subscription: String, of account: BareJID, to contact: BareJID
  ) async throws {
    let code: Int = try answer(
      to: "add_rosteritem",
      [
        "localuser": account.local ?? "", "localhost": account.domain,
        "user": contact.local ?? "", "host": contact.domain, "nick": "", "group": "",
        "subs": subscription,
      ])
    guard code == 0 else { throw Tool.Failure(words: "add_rosteritem: \(code)") }
  }

  func stored(_ account: BareJID) throws -> StoredRoster {
    var roster = StoredRoster()
    let asking: [ListedRequest] = try answer(
      to: "process_rosteritems",
      [
        "action": "list", "subs": "none:from:to:both", "asks": "in:both", "users": account.text,
        "contacts": "any",
      ])
    roster.requests = Set(asking.map(\.contact))
    let items: [Item] = try answer(
      to: "get_roster", ["user": account.local ?? "", "server": account.domain])
    for item in items {
      let known = roster.contacts[item.jid]?.groups ?? []
      roster.contacts[item.jid] = StoredContact(
        name: item.nick, subscription: item.subscription,
        isPending: ["subscribe", "out", "both"].contains(item.ask),
        groups: known.union([item.group].filter { !$0.isEmpty }))
    }
    return roster
  }
}
