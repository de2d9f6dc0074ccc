import ArgumentParser
import Foundation
import Rollcall
import RollcallCLI
import RosterClient
import RosterProxy

struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Records what any client and its server say.",
    discussion: """
      The client connects here in place of its server, and trusts an authority that is made once \
      by --make-authority. What the two say is passed on as it is, but for offers of compression \
      and what would lead the client past here, and recorded in a log for each account; nothing \
      that lets one log in is. A client that would send its password as it is, with PLAIN, is \
      broken off unless --allow-plain says otherwise.

      Ctrl-C ends all streams in order.

      Examples:
        rollcall record --make-authority
        rollcall record -o sessions
        rollcall record --listen [::1]:5300 --upstream example.org -o sessions
      """)

  @Option(
    help: ArgumentHelp(
      "Where the client connects to; port 0 for one that is free.", valueName: "address"))
  var listen = "127.0.0.1:5222"

  @Option(
    help: ArgumentHelp(
      "The server, in place of the one that DNS names. Its certificate has to be the domain's "
        + "that the client asks for.", valueName: "host[:port]"))
  var upstream: String?

  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp(
      "The folder of the logs, made or gone on with.", valueName: "folder"),
    completion: .directory)
  var output: String?

  @Flag(help: "Make the authority that clients are to trust, and say how.")
  var makeAuthority = false

  @Option(
    help: ArgumentHelp(
      "The folder of the authority; by default rollcall in the configuration folder.",
      valueName: "folder"), completion: .directory)
  var authority: String?

  @Option(
    help: ArgumentHelp(
      "PEM certificates to trust in servers beside the system's, as for one of one's own.",
      valueName: "file"), completion: .file())
  var upstreamAuthority: String?

  @Flag(
    help: "Let clients send their password as it is, to a server whose certificate was checked.")
  var allowPlain = false

  @Flag(help: "Pass nothing on before it is on the disk.")
  var durable = false

  func validate() throws {
    guard makeAuthority == (output == nil) else {
      throw ValidationError("either a folder for the logs is needed, -o, or --make-authority")
    }
    _ = try address("--listen", listen)
    _ = try upstream.map { try address("--upstream", $0) }
  }

  private func address(_ option: String, _ text: String) throws -> ServerAddress {
    do {
      // Any free port is one for who listens.
      guard option == "--listen", text.hasSuffix(":0") else {
        return try ServerAddress(parsing: text)
      }
      var address = try ServerAddress(parsing: String(text.dropLast(2)))
      address.port = 0
      return address
    } catch {
      throw ValidationError("\(option) \(text): \(error)")
    }
  }

  private var authorityFolder: String {
    if let authority { return authority }
    let environment = ProcessInfo.processInfo.environment
    let base = environment["XDG_CONFIG_HOME"] ?? "\(NSHomeDirectory())/.config"
    return "\(base)/rollcall"
  }

  @MainActor func run() async throws {
    guard let output else { return try announceAuthority() }
    var settings = ProxySettings(
      listen: try address("--listen", listen),
      upstream: try upstream.map { try address("--upstream", $0) }, folder: output,
      authority: try usable { () throws(AuthorityError) in try LocalAuthority(in: authorityFolder) }
    )
    settings.upstreamAuthority = upstreamAuthority
    settings.allowsPlain = allowPlain
    settings.isDurable = durable
    let proxy = try Failure.naming(output) { try RecordingProxy(settings) }
    let listening: ServerAddress
    do {
      listening = try await proxy.start()
    } catch {
      throw Failure("nobody can be listened for at \(listen): \(error.reason)")
    }
    Ending.begin()
    try Terminal.say("recording to \(output); clients connect to \(listening)")
    try Terminal.flush()
    try await follow(proxy)
  }

  /// Tells what happens, until somebody asks for the end.
  @MainActor private func follow(_ proxy: RecordingProxy) async throws {
    let telling = Task { @MainActor in
      var status = ProxyStatus()
      for await event in proxy.events {
        for line in status.lines(of: event) { try Terminal.say(line) }
        try Terminal.flush()
      }
      return status
    }
    while !Ending.isAsked { try await Task.sleep(for: .milliseconds(50)) }
    do {
      try await proxy.stop()
    } catch {
      throw Failure("what was passed on last could not be recorded: \(error)")
    }
    try Terminal.say(try await telling.value.summary)
  }

  private func announceAuthority() throws {
    let folder = authorityFolder
    try usable { () throws(AuthorityError) in try LocalAuthority.make(in: folder, at: Date()) }
    try Terminal.say([
      "\(LocalAuthority.certificatePath(in: folder)) is the authority that clients are to trust.",
      "Whoever has the key beside it can be any server to them: it is for you alone, and a client",
      "that is not recorded any more should no longer trust it. How to tell them:",
      "",
      "profanity   copy it to a folder, run openssl rehash FOLDER, /tls certpath FOLDER;",
      "            /account set NAME server 127.0.0.1 and port 5222",
      "mcabber     set ssl_ca = FILE, server = 127.0.0.1; it needs --allow-plain",
      "slixmpp     client.ca_certs = FILE; client.connect((\"127.0.0.1\", 5222))",
      "aioxmpp     load_verify_locations(FILE) in the context of the security layer;",
      "            override_peer=[(\"127.0.0.1\", 5222, STARTTLSConnector())]",
      "QXmpp       setCaCertificates(QSslCertificate::fromPath(FILE)), setHost, setPort",
      "gloox       setServer(\"127.0.0.1\"); onTLSConnect decides",
      "",
      "FILE is that file. Others that go by the system's roots trust what update-ca-certificates",
      "is given.",
    ])
  }

  private func usable<R>(_ body: () throws(AuthorityError) -> R) throws -> R {
    do throws(AuthorityError) {
      return try body()
    } catch {
      throw Failure("\(error)")
    }
  }
}

/// What a proxy has recorded, told as it comes.
struct ProxyStatus {
  private var open = 0
  private var connections = 0
  private var records = 0
  private var findings = 0
  private var accounts: [Int: BareJID] = [:]

  /// What is to be told of an event.
  mutating func lines(of event: ProxyEvent) -> [String] {
    switch event {
    case .accepted(let number, let from):
      (open, connections) = (open + 1, connections + 1)
      return ["#\(number) a client connects from \(from)"]
    case .bound(let number, let account, let path):
      accounts[number] = account
      return ["#\(number) \(account) is recorded in \(path)"]
    case .step(let number, let account, let step):
      records += 1
      findings += step.outcome.findings.count
      return step.outcome.findings.map {
        "#\(number) \(account.map { "\($0) " } ?? "")\($0.line)"
      }
    case .over(let number, let failure):
      open -= 1
      let who = accounts.removeValue(forKey: number).map { "\($0) " } ?? ""
      return ["#\(number) \(who)is over\(failure.map { ": \($0)" } ?? "")  [\(summary)]"]
    }
  }

  /// All in one line.
  var summary: String {
    "\(open) open of \(connections) connections, \(records) records, \(findings) findings"
  }
}
