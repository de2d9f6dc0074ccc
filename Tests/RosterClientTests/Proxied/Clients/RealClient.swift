import Foundation
import TestSupport

/// A real client, run without a screen.
enum RealClient: String, CaseIterable, Sendable {
  case slixmpp, aioxmpp, gloox, qxmpp, profanity, mcabber, finch

  /// What a client needs to connect, and the friend that it adds.
  struct Setup {
    var account: String
    var password: String
    var port: Int
    /// The file of the authority that it has to trust.
    var authority: String
    /// The contact that it adds.
    var friend: String
    /// A folder of its own.
    var folder: TemporaryFolder
  }

  var isPossible: Bool {
    switch self {
    case .slixmpp, .aioxmpp:
      (try? Tool.run("python3", ["-c", "import \(rawValue)"]).code) == 0
    case .gloox, .qxmpp:
      Tool.find("g++") != nil && (try? Tool.run("pkg-config", ["--exists", rawValue]).code) == 0
    case .profanity, .mcabber:
      Tool.find(rawValue) != nil && Tool.find("script") != nil && Tool.find("openssl") != nil
    case .finch:
      ["finch", "gdbus", "dbus-run-session", "openssl"].allSatisfy { Tool.find($0) != nil }
    }
  }

  /// Whether it can log in to such a server only by sending the password: gloox 1.0 has no
  /// SCRAM-SHA-256, and ejabberd here offers nothing else.
  func needsPlain(at server: Servers) -> Bool {
    onlySupportsPlain || (self == .gloox && server == .ejabberd)
  }

  /// Whether it always logs in by sending the password.
  var onlySupportsPlain: Bool { self == .mcabber }

  /// Whether it logs in if its type of channel binding is not offered: gloox 1.0 only supports
  /// `tls-unique`, and gives up.
  var acceptsAnyBinding: Bool { self != .gloox }

  /// Whether it resumes a session that was cut off; others begin a new one. QXmpp 1.4 tries to, but
  /// its `<resume/>` has no namespace and names no session.
  var resumes: Bool {
    switch self {
    case .slixmpp, .aioxmpp, .profanity: true
    case .gloox, .qxmpp, .mcabber, .finch: false
    }
  }

  /// The word that it prints when it accepts commands again after it was cut off; nil if only its
  /// stanzas show that.
  var reconnectedText: String? {
    switch self {
    case .profanity: "re-established"
    case .slixmpp, .aioxmpp, .gloox, .qxmpp, .mcabber, .finch: nil
    }
  }

  /// The path of its log, in a format that Rollcall reads.
  func log(_ setup: Setup) -> String {
    self == .profanity
      ? setup.folder.file("share/profanity/logs/profanity.log") : setup.folder.file("log")
  }

  /// What to type once it has a session; nothing for clients that run a script.
  func firstInput(_ setup: Setup) -> [String] {
    switch self {
    case .slixmpp, .aioxmpp, .gloox, .qxmpp, .finch: []
    case .profanity:
      [
        "/roster add \(setup.friend) Frieda", "/sub request \(setup.friend)",
        "/msg \(setup.friend) hello",
      ]
    case .mcabber: ["/add \(setup.friend) Frieda", "/say_to -q \(setup.friend) hello"]
    }
  }

  /// What to type after the connection was cut, once it is back, and at the end.
  func lastInput(_ setup: Setup) -> (cut: [String], back: [String], end: [String]) {
    switch self {
    case .slixmpp, .aioxmpp, .gloox, .qxmpp, .finch: ([], [], [])
    case .profanity:
      ([], ["/roster nick \(setup.friend) Again", "/msg \(setup.friend) back"], ["/quit"])
    case .mcabber: (["/connect"], ["/say_to -q \(setup.friend) back"], ["/quit"])
    }
  }

  /// Runs it.
  func run(_ setup: Setup) throws -> Conversation {
    switch self {
    case .slixmpp, .aioxmpp:
      return try Conversation("python3", [source("py")] + words(setup), [:])
    case .finch:
      return try Conversation(
        "dbus-run-session", ["--", "python3", source("py")] + words(setup), [:])
    case .gloox:
      return try Conversation(URL(filePath: compiled(with: [rawValue], setup)), words(setup))
    case .qxmpp:
      let program = try compiled(with: [rawValue, "Qt5Core", "Qt5Network", "Qt5Xml"], setup)
      return try Conversation(URL(filePath: program), words(setup))
    case .profanity: return try profanity(setup)
    case .mcabber: return try mcabber(setup)
    }
  }

  private func source(_ kind: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "\(rawValue)_client.\(kind)").path(percentEncoded: false)
  }

  /// The arguments of clients that run a script.
  private func words(_ setup: Setup) -> [String] {
    [
      setup.account, setup.password, "127.0.0.1", "\(setup.port)", setup.authority, setup.friend,
      log(setup),
    ]
  }

  private func compiled(with libraries: [String], _ setup: Setup) throws -> String {
    let program = setup.folder.file(rawValue)
    let flags = try Tool.run("pkg-config", ["--cflags", "--libs"] + libraries).output
      .split(whereSeparator: \.isWhitespace).map(String.init)
    let run = try Tool.run(
      "g++", ["-std=c++17", "-fPIC", "-o", program, source("cpp")] + flags)
    guard run.code == 0 else { throw Tool.Failure(words: run.output) }
    return program
  }

  /// Runs a command under `script`, which gives it a terminal.
  private func onTerminal(_ line: String, _ setup: Setup) throws -> Conversation {
    try Conversation(
      "script", ["-qfec", line, "/dev/null"],
      [
        "HOME": setup.folder.path, "TERM": "xterm", "LC_ALL": "C.UTF-8",
        "XDG_CONFIG_HOME": setup.folder.file("config"),
        "XDG_DATA_HOME": setup.folder.file("share"),
      ])
  }

  private func write(_ text: String, _ name: String, _ setup: Setup) throws {
    let file = URL(filePath: setup.folder.file(name))
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }

  private func profanity(_ setup: Setup) throws -> Conversation {
    // It finds a root by the hash of its name, as OpenSSL does.
    try write(
      try String(contentsOfFile: setup.authority, encoding: .utf8), "roots/authority.pem", setup)
    _ = try Tool.run("openssl", ["rehash", setup.folder.file("roots")])
    try write(
      """
      [connection]
      account=me
      reconnect=1
      autoping=0
      tls.certpath=\(setup.folder.file("roots"))
      [ui]
      splash=false
      """, "config/profanity/profrc", setup)
    try write(
      """
      [me]
      enabled=true
      jid=\(setup.account)
      server=127.0.0.1
      port=\(setup.port)
      eval_password=echo '\(setup.password)'
      tls.policy=force
      """, "share/profanity/accounts", setup)
    return try onTerminal("profanity --log DEBUG", setup)
  }

  private func mcabber(_ setup: Setup) throws -> Conversation {
    try write(
      """
      set jid = \(setup.account)/x
      set password = \(setup.password)
      set server = 127.0.0.1
      set port = \(setup.port)
      set tls = 1
      set ssl_ca = \(setup.authority)
      set tracelog_level = 3
      set tracelog_file = \(log(setup))
      set logging = 0
      """, ".mcabber/mcabberrc", setup)
    let folder = setup.folder.file(".mcabber")
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
    return try onTerminal("mcabber", setup)
  }
}

/// A program that runs while a test types into it.
final class Conversation {
  private let process = Process()
  private let input = Pipe()
  private let files: TemporaryFolder

  convenience init(_ name: String, _ arguments: [String], _ environment: [String: String]) throws {
    guard let path = Tool.find(name) else { throw Tool.Failure(words: "there is no \(name)") }
    try self.init(URL(filePath: path), arguments, environment)
  }

  init(_ program: URL, _ arguments: [String], _ environment: [String: String] = [:]) throws {
    files = try TemporaryFolder()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    try Data().write(to: URL(filePath: files.file("output")))
    let output = FileHandle(forWritingAtPath: files.file("output"))
    process.standardInput = input
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
  }

  deinit { process.end() }

  var isRunning: Bool { process.isRunning }
  var identifier: Int32 { process.processIdentifier }
  /// Its exit code.
  var code: Int32 { process.terminationStatus }

  /// Its output so far.
  var output: String {
    let bytes = FileManager.default.contents(atPath: files.file("output")) ?? Data()
    return String(decoding: bytes, as: UTF8.self)
  }

  func type(_ lines: [String]) {
    for line in lines {
      try? input.fileHandleForWriting.write(contentsOf: Data("\(line)\r".utf8))
    }
  }

  /// Interrupts it, as Ctrl-C does.
  func interrupt() { signal(SIGINT) }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }
}
