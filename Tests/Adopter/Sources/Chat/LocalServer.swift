import Foundation

/// A Prosody on the loopback address that lets accounts be created and takes files.
final class LocalServer {
  let domain = "chat.test"
  /// The port for clients.
  let port: Int
  /// The port that takes files.
  private let filePort: Int
  let folder: URL
  private let process = Process()

  /// Whether Prosody and OpenSSL are installed.
  static var isPossible: Bool {
    ["/usr/bin/prosody", "/usr/bin/openssl"].allSatisfy(FileManager.default.isExecutableFile)
  }

  init(in folder: URL) throws {
    self.folder = folder
    let ports = try Self.freePorts(2)
    (port, filePort) = (ports[0], ports[1])
    try run(
      "/usr/bin/openssl",
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=chat",
        "-addext", "subjectAltName=DNS:\(domain),DNS:localhost", "-keyout", path("key.pem"),
        "-out", certificate,
      ]
    ).waitUntilExit()
    try configuration.write(toFile: path("prosody.cfg.lua"), atomically: true, encoding: .utf8)
    process.executableURL = URL(filePath: "/usr/bin/prosody")
    process.arguments = ["--config", path("prosody.cfg.lua"), "-F"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// Whether the server has not ended by itself.
  var isRunning: Bool { process.isRunning }

  /// Ports of the loopback address that no other program uses: the system chooses them, all at once
  /// so that they differ.
  private static func freePorts(_ count: Int) throws -> [Int] {
    let sockets = (0..<count).map { _ in socket(AF_INET, Self.streams, 0) }
    defer { for socket in sockets where socket >= 0 { close(socket) } }
    return try sockets.map { socket in
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
        }
      }
      guard isBound else { throw CocoaError(.featureUnsupported) }
      return Int(UInt16(bigEndian: address.sin_port))
    }
  }

  #if canImport(Glibc)
    private static let streams = Int32(SOCK_STREAM.rawValue)
  #else
    private static let streams = SOCK_STREAM
  #endif

  /// Ends the server, and waits until it has ended.
  func stop() {
    process.terminate()
    process.waitUntilExit()
  }

  /// The certificate, which is its own authority.
  var certificate: String { path("server.pem") }

  func path(_ name: String) -> String {
    folder.appending(path: name).path(percentEncoded: false)
  }

  private func run(_ program: String, _ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  private var configuration: String {
    let files = "certificate = \"\(certificate)\"; key = \"\(path("key.pem"))\""
    return """
      daemonize = false
      run_as_root = true
      pidfile = "\(path("prosody.pid"))"
      data_path = "\(path("data"))"
      interfaces = { "127.0.0.1" }
      c2s_ports = { \(port) }
      s2s_ports = { }
      http_ports = { }
      https_ports = { \(filePort) }
      https_ssl = { \(files) }
      modules_enabled = {
        "roster"; "saslauth"; "tls"; "disco"; "ping"; "smacks"; "blocklist"; "register"; "pep";
        "vcard_legacy";
      }
      modules_disabled = { "s2s"; "s2s_auth_certs" }
      allow_registration = true
      registration_whitelist = { "127.0.0.1" }
      authentication = "internal_hashed"
      default_iteration_count = 4096
      limits = { }
      log = { { levels = { min = "warn" }, to = "file", filename = "\(path("server.log"))" } }
      ssl = { \(files) }
      VirtualHost "\(domain)"
      Component "upload.\(domain)" "http_file_share"
        modules_disabled = { "s2s"; "s2s_auth_certs" }
        http_host = "localhost"
        http_external_url = "https://localhost:\(filePort)/"
      """
  }
}
