import ArgumentParser
import CShims
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
      broken off unless --allow-plain says otherwise; without TLS to a server whose certificate \
      was checked, it always is. A client on another machine has to use TLS: only one on a \
      loopback address may do without.

      What a server says of an account counts if the account is of the domain that the client \
      asked for. Other streams stay in the folder unbound, where the last hundred are kept. \
      Streams without TLS on the server's side are marked by a finding, and never in one log with \
      those whose server was checked: if NAME.rollcall holds the one kind, the other goes to \
      NAME.plain.rollcall or NAME.tls.rollcall beside it.

      A client that insists on binding its login to the channel (the mechanisms that end in -PLUS) \
      can be served with --terminate-sasl and the password: it logs in here, and the login at the \
      server is rollcall's own.

      One program at a time records to a folder, and to each log in it: a second one is refused. \
      Reading commands work beside it.

      Ctrl-C ends all streams in order.

      Examples:
        rollcall record --make-authority
        rollcall record -o sessions
        rollcall record --listen [::1]:5300 --upstream example.org -o sessions
        rollcall record --terminate-sasl --password-file password.txt -o sessions
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
    help: ArgumentHelp(
      "Let clients send their password as it is, in TLS, to a server whose certificate was "
        + "checked; without TLS no password passes."))
  var allowPlain = false

  @Flag(
    help: ArgumentHelp(
      "Have the client log in here, bound to this channel where it insists on that, and log in at "
        + "the server in its place."))
  var terminateSasl = false

  @Option(
    help: ArgumentHelp(
      "A file whose first line is the password of the accounts, for --terminate-sasl.",
      valueName: "file"), completion: .file())
  var passwordFile: String?

  @Flag(help: "Pass nothing on before it is on the disk.")
  var durable = false

  func validate() throws {
    guard makeAuthority == (output == nil) else {
      throw ValidationError("either a folder for the logs is needed, -o, or --make-authority")
    }
    guard terminateSasl == (passwordFile != nil) else {
      throw ValidationError("--terminate-sasl and --password-file go together")
    }
    _ = try address("--listen", listen)
    _ = try upstream.map { try address("--upstream", $0) }
  }

  private func address(_ option: String, _ text: String) throws -> ServerAddress {
    do {
      // A listener can use any free port.
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
    // For every open log, LMDB allocates two megabytes that it hardly touches. Such memory is not
    // in use unless it was used before, because then it must be cleared.
    rollcall_keep_large_blocks_apart()
    Self.allowManyFiles()
    let settings = try settings(recordingTo: output)
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
    if !listening.isLoopback {
      Terminal.note(
        "other machines can connect to \(listening) too: whoever does is recorded like you")
    }
    try await RecordConsole(proxy).run()
  }

  /// Raises the limit of open files to the maximum. A connection has two descriptors and a log two
  /// more, and shells often allow only a thousand.
  private static func allowManyFiles() {
    var limit = rlimit()
    #if canImport(Glibc)
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let files = RLIMIT_NOFILE
    #endif
    guard getrlimit(files, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(files, &limit)
  }

  private func settings(recordingTo output: String) throws -> ProxySettings {
    var settings = ProxySettings(
      listen: try address("--listen", listen),
      upstream: try upstream.map { try address("--upstream", $0) }, folder: output,
      authority: try usable { () throws(AuthorityError) in try LocalAuthority(in: authorityFolder) }
    )
    settings.upstreamAuthority = upstreamAuthority
    settings.allowsPlain = allowPlain
    settings.isDurable = durable
    if let passwordFile {
      let password = Password(try PasswordSource.file(passwordFile))
      do throws(SASLFailure) {
        settings.termination = try TerminationSecrets(
          password, allowsPlain: allowPlain,
          salt: (0..<16).map { _ in UInt8.random(in: .min ... .max) })
      } catch {
        throw Failure("\(passwordFile): \(error)")
      }
    }
    return settings
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
