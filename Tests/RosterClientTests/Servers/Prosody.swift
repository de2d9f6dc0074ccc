import Foundation
import Rollcall
import TestSupport

/// Prosody, as packaged by Debian.
final class Prosody: RealServer {
  static let name = "prosody"
  static var isPossible: Bool {
    Tool.find("prosody") != nil && Tool.find("lua") != nil && Certificates.isPossible
  }

  /// The domain of a linked server: ejabberd resolves names as the system does, so that without
  /// changes to the system only this one is on the loopback address.
  static let linkedDomain = "localhost"

  let domain: String
  let distinguishesRequests = true
  let pushesInOrder = true
  let certificates: Certificates
  let port: Int
  let directPort: Int
  /// The ports for direct TLS of one version.
  private let directPorts: [TLSMode.Version: Int]
  /// The port of HTTPS, for files.
  private let filePort: Int
  private let level: String
  let webPort: Int
  private let tap: TapOptions?
  private let link: ServerLink?
  private let folder: TemporaryFolder
  private let process = ServerProcess()

  convenience init(isQuiet: Bool, tap: TapOptions?) throws {
    try self.init(isQuiet: isQuiet, days: 2, tap: tap)
  }

  /// - Parameter days: The validity of the certificate; negative for one that has expired.
  init(isQuiet: Bool, days: Int, tap: TapOptions? = nil, link: ServerLink? = nil) throws {
    (self.tap, self.link) = (tap, link)
    domain = link == nil ? "prosody.test" : Self.linkedDomain
    level = isQuiet ? "warn" : "debug"
    folder = try TemporaryFolder()
    let domain = domain
    certificates = try Certificates(
      for: Domain.allCases.map { $0.name(at: domain) } + ["localhost"], days: days)
    port = try freePort()
    filePort = try freePort()
    webPort = try freePort()
    directPort = try freePort()
    directPorts = [.v12: try freePort(), .v13: try freePort()]
    try FileManager.default.createDirectory(
      atPath: folder.file("data"), withIntermediateDirectories: true)
    if tap != nil {
      try Self.tap()
        .write(toFile: folder.file("mod_rollcall_tap.lua"), atomically: true, encoding: .utf8)
    }
    if let link {
      try Self.peerModule(link)
        .write(toFile: folder.file("mod_peer.lua"), atomically: true, encoding: .utf8)
    }
    try configuration.write(
      toFile: folder.file("prosody.cfg.lua"), atomically: true, encoding: .utf8)
    try Self.rosterScript.write(toFile: script, atomically: true, encoding: .utf8)
  }

  private var configuration: String {
    """
    daemonize = false
    run_as_root = true
    pidfile = "\(folder.file("prosody.pid"))"
    data_path = "\(folder.file("data"))"
    interfaces = { "127.0.0.1" }
    c2s_ports = { \(port) }
    c2s_direct_tls_ports = {
      \(directPort), \(directPorts[.v12] ?? 0), \(directPorts[.v13] ?? 0)
    }
    s2s_ports = { \(link.map { "\($0.port)" } ?? "") }
    s2s_require_encryption = false
    s2s_secure_auth = false
    http_ports = { \(tap == nil ? "" : "\(webPort)") }
    consider_websocket_secure = true
    consider_bosh_secure = true
    https_ports = { \(filePort) }
    https_ssl = { \(files) }
    modules_enabled = {
      "roster"; "saslauth"; "tls"; "disco"; "ping"; "smacks"; "blocklist"; "register"; "pep";
      "vcard_legacy";\(link == nil ? "" : " \"s2s\"; \"dialback\"; \"peer\";")\(tap == nil ? "" : " \"rollcall_tap\"; \"websocket\"; \"bosh\";")
    }
    plugin_paths = { "\(folder.path)" }
    rollcall_tap_folder = "\(spool)"
    rollcall_tap_what = "\(tap?.what ?? "")"
    rollcall_tap_limit = \(tap?.limit ?? 0)
    modules_disabled = { \(link == nil ? "\"s2s\"; " : "")"s2s_auth_certs" }
    allow_registration = true
    registration_whitelist = { "127.0.0.1" }
    c2s_require_encryption = true
    authentication = "internal_hashed"
    default_iteration_count = 4096
    limits = { }
    log = { { levels = { min = "\(level)" }, to = "file", filename = "\(folder.file("log"))" } }
    ssl = { \(files) }
    c2s_direct_tls_ssl = {
      \(files);
      [\(directPorts[.v12] ?? 0)] = { protocol = "tlsv1_2" };
      [\(directPorts[.v13] ?? 0)] = { protocol = "tlsv1_3" };
    }
    VirtualHost "\(domain)"
    VirtualHost "\(name(of: .brief))"
      modules_disabled = { "s2s"; "s2s_auth_certs"; "smacks" }
    VirtualHost "\(name(of: .plain))"
      authentication = "internal_plain"
      disable_sasl_mechanisms = {
        "SCRAM-SHA-1"; "SCRAM-SHA-1-PLUS"; "SCRAM-SHA-256"; "SCRAM-SHA-256-PLUS";
      }
    VirtualHost "\(name(of: .hashed))"
      password_hash = "SHA-256"
    VirtualHost "\(name(of: .tls12))"
      ssl = { \(files); protocol = "tlsv1_2" }
    VirtualHost "\(name(of: .tls13))"
      ssl = { \(files); protocol = "tlsv1_3" }
    Component "upload.\(domain)" "http_file_share"
      modules_disabled = { "s2s"; "s2s_auth_certs" }
      http_host = "localhost"
      http_external_url = "https://localhost:\(filePort)/"
      http_file_share_size_limit = 100000
    """
  }

  /// A module with which Prosody finds its peer without DNS.
  private static func peerModule(_ link: ServerLink) -> String {
    """
    module:set_global();
    local service, basic = require "net.resolvers.service", require "net.resolvers.basic";
    local find = service.new;
    function service.new(hostname, ...)
      if hostname ~= "\(link.peer)" then return find(hostname, ...); end
      return basic.new("127.0.0.1", \(link.peerPort), select(2, ...));
    end
    """
  }

  var spool: String { folder.file("spool") }

  private var files: String {
    "certificate = \"\(certificates.certificate)\"; key = \"\(certificates.key)\""
  }

  func endpoint(for mode: TLSMode) -> (domain: String, port: Int) {
    guard let version = mode.version else { return (domain, mode.isDirect ? directPort : port) }
    if mode.isDirect { return (domain, directPorts[version] ?? 0) }
    return (name(of: version == .v12 ? .tls12 : .tls13), port)
  }

  func start() async throws {
    let process = Process()
    process.executableURL = URL(filePath: Tool.find("prosody") ?? "prosody")
    process.arguments = ["--config", folder.file("prosody.cfg.lua"), "-F"]
    process.currentDirectoryURL = URL(filePath: folder.path)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try self.process.begin(process)
    try await awaitPort()
  }

  func stop() throws { process.end() }

  func kill() throws { process.kill() }

  var log: String { (try? String(contentsOfFile: folder.file("log"), encoding: .utf8)) ?? "" }

  private func rosterFile(of account: BareJID) -> String {
    let (host, user) = (account.domain.escapedForFileName, (account.local ?? "").escapedForFileName)
    return folder.file("data/\(host)/roster/\(user).dat")
  }

  /// Stores the contacts of an account that has not logged in since the server started.
  ///
  /// - Parameter contacts: The contacts; their names and groups must need no escaping.
  func store(_ contacts: [String: StoredContact], of account: BareJID) throws {
    let items = contacts.sorted { $0.key < $1.key }.map { jid, contact in
      let groups = contact.groups.sorted().map { "[\"\($0)\"] = true" }.joined(separator: ", ")
      return "[\"\(jid)\"] = { subscription = \"\(contact.subscription)\", "
        + "name = \"\(contact.name)\", groups = { \(groups) } };\n"
    }
    let file = rosterFile(of: account)
    try FileManager.default.createDirectory(
      at: URL(filePath: file).deletingLastPathComponent(), withIntermediateDirectories: true)
    let known = "[false] = { version = 1, pending = {} };\n"
    try "return {\n\(known)\(items.joined())};\n"
      .write(toFile: file, atomically: true, encoding: .utf8)
  }

  func overwrite(
    _ subscription: String, of account: BareJID, to contact: BareJID
  ) async throws {
    // It keeps rosters in memory that it has used lately.
    try stop()
    var contacts = try stored(account).contacts
    contacts[contact.text]?.subscription = subscription
    try store(contacts, of: account)
    try await start()
  }

  /// The roster, read by Lua because Prosody's files are Lua tables.
  func stored(_ account: BareJID) throws -> StoredRoster {
    let file = rosterFile(of: account)
    guard FileManager.default.fileExists(atPath: file) else { return StoredRoster() }
    let result = try Tool.run("lua", [script, file])
    guard result.code == 0 else { throw Tool.Failure(words: result.output) }
    var roster = StoredRoster()
    for line in result.output.split(separator: "\n") {
      let parts = line.split(separator: "\u{2}", omittingEmptySubsequences: false).map(String.init)
      guard parts.count > 1 else {
        roster.requests.insert(parts[0])
        continue
      }
      roster.contacts[parts[0]] = StoredContact(
        name: parts[1], subscription: parts[2], isPending: parts[3] == "subscribe",
        groups: Set(parts[4].split(separator: "\u{1}").map(String.init)))
    }
    return roster
  }

  private var script: String { folder.file("roster.lua") }

  private static let rosterScript = """
    for jid, item in pairs(dofile(arg[1])) do
      if jid then
        local groups = {}
        for group in pairs(item.groups or {}) do groups[#groups + 1] = group end
        print(table.concat({ jid, item.name or "", item.subscription or "none",
          item.ask or "", table.concat(groups, "\\1") }, "\\2"))
      else
        for asking in pairs(item.pending or {}) do print(asking) end
      end
    end
    """
}

extension String {
  /// The text as Prosody escapes it in file names.
  fileprivate var escapedForFileName: String {
    utf8.map { byte in
      let character = Character(UnicodeScalar(byte))
      let isPlain = character.isASCII && (character.isLetter || character.isNumber)
      return isPlain ? String(character) : "%" + String(byte, radix: 16)
    }.joined()
  }
}
