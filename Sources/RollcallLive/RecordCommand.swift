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
      The client connects here instead of to its server, and trusts an authority that you create \
      once with --make-authority. Everything that the two say is passed on unchanged, except \
      offers of compression and what would lead the client past here, and recorded in a log for \
      each account, without credentials. If a client is about to send its password as it is, with \
      PLAIN, its connection is closed unless --allow-plain is given, and always if there is no \
      TLS to a server whose certificate was checked. A client on another machine has to use TLS; \
      only one on a loopback address can do without.

      What a server says about an account counts if the account is of the domain that the client \
      asked for. Other streams stay in the folder unbound, where the last hundred are kept. \
      Streams without TLS on the server's side are marked by a finding, and are never in one log \
      with those whose server was checked: if NAME.rollcall has one kind, the other goes to \
      NAME.plain.rollcall or NAME.tls.rollcall next to it.

      A client that insists on binding its login to the channel (the mechanisms that end in -PLUS) \
      can be recorded with --terminate-sasl and the password: it logs in here, and rollcall logs \
      in at the server.

      Only one program at a time can record to a folder, and to each log in it: a second one is \
      refused. Commands that only read work at the same time.

      Ctrl-C closes all streams properly.

      Examples:
        rollcall record --make-authority
        rollcall record -o sessions
        rollcall record --listen [::1]:5300 --upstream example.org -o sessions
        rollcall record --terminate-sasl --password-file password.txt -o sessions
      """)

  @Option(
    help: ArgumentHelp(
      "The address that clients connect to; port 0 for any free port.", valueName: "address"))
  var listen = "127.0.0.1:5222"

  @Option(
    help: ArgumentHelp(
      "The server, instead of the one that DNS names. Its certificate has to be that of the domain "
        + "that the client asks for.", valueName: "host[:port]"))
  var upstream: String?

  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp(
      "The folder of the logs, created or continued.", valueName: "folder"),
    completion: .directory)
  var output: String?

  @Flag(help: "Create the authority that clients have to trust, and say how to set it up.")
  var makeAuthority = false

  @Option(
    help: ArgumentHelp(
      "The folder of the authority; by default rollcall in the configuration folder.",
      valueName: "folder"), completion: .directory)
  var authority: String?

  @Option(
    help: ArgumentHelp(
      "PEM certificates to trust in servers besides the system's, such as for one of your own.",
      valueName: "file"), completion: .file())
  var upstreamAuthority: String?

  @Flag(
    help: ArgumentHelp(
      "Let clients send their password as it is, in TLS, to a server whose certificate was "
        + "checked; without TLS no password passes."))
  var allowPlain = false

  @Flag(
    help: ArgumentHelp(
      "Let the client log in here, bound to this channel if it insists on that, and log in at the "
        + "server in its place."))
  var terminateSasl = false

  @Option(
    help: ArgumentHelp(
      "A file whose first line is the password of the accounts, for --terminate-sasl.",
      valueName: "file"), completion: .file())
  var passwordFile: String?

  @Flag(help: "Pass nothing on until it is on the disk.")
  var durable = false

  func validate() throws {
    guard makeAuthority == (output == nil) else {
      throw ValidationError("name a folder for the logs with -o, or use --make-authority")
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
      throw Failure("cannot listen at \(listen): \(error.reason)")
    }
    Ending.begin()
    try Terminal.say("recording to \(output); clients connect to \(listening)")
    try Terminal.flush()
    if !listening.isLoopback {
      Terminal.note(
        "other machines can connect to \(listening) too, and are recorded in the same way")
    }
    let certificate = LocalAuthority.certificatePath(in: authorityFolder)
    try await RecordConsole(proxy, authority: certificate).run()
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
    if let upstreamAuthority { try AuthorityFile.check(upstreamAuthority) }
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
      "\(LocalAuthority.certificatePath(in: folder)) is the authority that clients have to trust.",
      "Anyone who has the key next to it can pose as any server to them: keep it to yourself, and",
      "remove it from clients that you no longer record. How to set up clients:",
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
      "FILE is that file. Clients that use the system's roots trust what update-ca-certificates",
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
