import Foundation
import NIOCore
import NIOPosix
import Rollcall
import RosterClient
import Synchronization
import TestSupport
import Testing

/// A contact as a server stores it.
struct StoredContact: Hashable, CustomStringConvertible {
  var name = ""
  var subscription: String
  var isPending = false
  var groups: Set<String> = []

  var description: String {
    "\(name.debugDescription) \(subscription)\(isPending ? " asked" : "") \(groups.sorted())"
  }

  init(name: String = "", subscription: String, isPending: Bool = false, groups: Set<String> = []) {
    (self.name, self.subscription) = (name, subscription)
    (self.isPending, self.groups) = (isPending, groups)
  }

  /// Reads an item (RFC 6121 §2.1.2).
  init(_ item: XMPPElement) {
    self.init(
      name: item.attribute("name") ?? "", subscription: item.attribute("subscription") ?? "none",
      isPending: item.attribute("ask") == "subscribe",
      groups: Set(
        item.children.filter { $0.is("group", in: Namespace.roster) }.map(\.text)))
  }

  /// Converts an item of our roster.
  init(_ item: RosterItem) {
    self.init(
      name: item.name ?? "", subscription: item.subscription.rawValue, isPending: item.isPending,
      groups: Set(item.groups))
  }
}

/// The roster of an account as a server stores it.
struct StoredRoster: Hashable {
  var contacts: [String: StoredContact] = [:]
  /// The contacts whose subscription requests are unanswered.
  var requests: Set<String> = []
}

/// A domain of a server, named by what is special about it.
enum Domain: String, CaseIterable, Sendable {
  case usual
  /// Sessions end with their connections.
  case brief
  /// Only PLAIN is offered.
  case plain
  /// The password is stored with another hash.
  case hashed
  /// STARTTLS leads to this TLS version only.
  case tls12, tls13

  func name(at first: String) -> String { self == .usual ? first : "\(rawValue).\(first)" }
}

/// How TLS begins, and its version; nil for any.
struct TLSMode: Hashable, Sendable, CustomTestStringConvertible {
  var isDirect = false
  var version: Version?

  enum Version: String, CaseIterable, Sendable {
    case v12 = "TLSv1.2"
    case v13 = "TLSv1.3"
  }

  static let all = [false, true].flatMap { isDirect in
    [nil, .v12, .v13].map { TLSMode(isDirect: isDirect, version: $0) }
  }

  var testDescription: String {
    "\(isDirect ? "direct TLS" : "STARTTLS"), \(version?.rawValue ?? "any version")"
  }
}

/// The options of the module that records a server's clients.
struct TapOptions: Sendable {
  /// What is written: `roster` or `all`.
  var what = "roster"
  /// The size of the spool at which nothing more is written, in MB.
  var limit = 4096
}

/// A server from a package of the system, on the loopback address.
protocol RealServer: AnyObject, Sendable {
  static var isPossible: Bool { get }
  static var name: String { get }
  /// - Parameters:
  ///   - isQuiet: Whether it logs only problems.
  ///   - tap: The options of the module that `rollcall fleet tap` prints; nil to leave it out. A
  ///     server with the module also serves WebSocket and BOSH.
  init(isQuiet: Bool, tap: TapOptions?) throws
  /// The folder into which that module writes.
  var spool: String { get }
  /// The port for WebSocket and BOSH.
  var webPort: Int { get }
  /// Its first domain.
  var domain: String { get }
  var certificates: Certificates { get }
  /// The port for STARTTLS.
  var port: Int { get }
  /// The port for direct TLS.
  var directPort: Int { get }
  /// Its log, for a test that fails.
  var log: String { get }
  /// The domain and port that offer a TLS version.
  func endpoint(for mode: TLSMode) -> (domain: String, port: Int)
  /// Whether it distinguishes a contact without a subscription that has sent a request from an
  /// address that has only sent a request.
  var distinguishesRequests: Bool { get }
  /// Whether it pushes concurrent changes of two sessions in the order of the changes.
  var pushesInOrder: Bool { get }
  /// The stored roster of an account.
  func stored(_ account: BareJID) throws -> StoredRoster
  /// Changes the stored subscription of an account that is offline, and tells no other account: as
  /// a copy of older data does that is restored. The server may be restarted.
  func overwrite(
    _ subscription: String, of account: BareJID, to contact: BareJID
  ) async throws
  func start() async throws
  func stop() throws
  /// Kills it, as a power cut would.
  func kill() throws
}

extension RealServer {
  init(isQuiet: Bool = false) throws { try self.init(isQuiet: isQuiet, tap: nil) }

  /// The module for this server, as the program prints it.
  static func tap() throws -> String {
    let run = try Program("fleet", "tap", name)
    guard run.code == 0 else { throw Tool.Failure(words: run.errors) }
    return run.output
  }

  func name(of domain: Domain) -> String { domain.name(at: self.domain) }

  func jid(_ user: String) throws -> BareJID { try BareJID(parsing: "\(user)@\(domain)") }

  /// The account's contacts, as the server stores them.
  func roster(of user: String) throws -> [String: StoredContact] {
    try stored(jid(user)).contacts
  }

  func login(_ user: String, isDirect: Bool = false) throws -> LiveLogin {
    var login = LiveLogin(account: try jid(user), password: Password("pass of \(user)"))
    login.server = ServerAddress(
      host: "127.0.0.1", port: isDirect ? directPort : port, isDirectTLS: isDirect)
    login.authority = certificates.authority
    return login
  }

  /// Creates an account, and returns its session.
  func register(_ user: String) async throws -> LiveSession {
    var login = try login(user)
    login.registers = true
    let session = try LiveSession(login)
    try await session.start()
    return session
  }

  /// Waits until the server answers: some accept connections before they know their domain, and
  /// take long to start on a busy machine.
  func awaitPort() async throws {
    // Limited by attempts and not by time: when all tests run at once, one may take minutes.
    for _ in 0..<3000 {
      if try await isAnswered() { return }
      try await Task.sleep(for: .milliseconds(100))
    }
    throw Tool.Failure(words: "\(Self.name) does not begin: \(log.suffix(2000))")
  }

  private func isAnswered() async throws -> Bool {
    let loop = MultiThreadedEventLoopGroup.singleton.any()
    let answer = loop.makePromise(of: Bool.self)
    let connecting = ClientBootstrap(group: loop)
      .channelInitializer { $0.pipeline.addHandler(FirstAnswer(answer)) }
      .connect(host: "127.0.0.1", port: port)
    guard let channel = try? await connecting.get() else {
      answer.succeed(false)
      return false
    }
    let header = """
      <stream:stream to='\(domain)' version='1.0' xmlns='jabber:client' \
      xmlns:stream='http://etherx.jabber.org/streams'>
      """
    channel.writeAndFlush(ByteBuffer(string: header), promise: nil)
    defer { channel.close(promise: nil) }
    return try await answer.futureResult.get()
  }
}

/// Reports whether features arrive before the connection is closed.
private final class FirstAnswer: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  private let answer: EventLoopPromise<Bool>
  private let text = Mutex("")

  init(_ answer: EventLoopPromise<Bool>) { self.answer = answer }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let hasFeatures = text.withLock { text in
      text += String(buffer: unwrapInboundIn(data))
      return text.contains("starttls")
    }
    if hasFeatures { answer.succeed(true) }
  }

  func channelInactive(context: ChannelHandlerContext) { answer.succeed(false) }
}

/// Below the system's ephemeral ports: otherwise a connection of another test could get a port
/// between its choice and its use.
private let ports = 10_000..<32_768
private let nextPort = Mutex(Int.random(in: ports))

/// An unused port, a different one each time.
func freePort() throws -> Int {
  for _ in ports {
    let port = nextPort.withLock { next in
      defer { next = next + 1 < ports.upperBound ? next + 1 : ports.lowerBound }
      return next
    }
    let binding = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .bind(host: "127.0.0.1", port: port)
    guard let channel = try? binding.wait() else { continue }
    try channel.close().wait()
    return port
  }
  throw Tool.Failure(words: "no port")
}

/// The process of a server, if it is running.
final class ServerProcess: Sendable {
  private let running = Mutex<Process?>(nil)

  func begin(_ process: Process) throws {
    try process.run()
    running.withLock { $0 = process }
  }

  func end() { running.withLock { $0.take() }?.end() }

  func kill() {
    guard let process = running.withLock({ $0.take() }) else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.end()
  }

  deinit { end() }
}

extension Process {
  /// Ends it, by force if necessary, and waits until it is gone: `waitUntilExit` needs a run loop.
  func end() {
    guard isRunning else { return }
    terminate()
    var attempts = 0
    while isRunning {
      attempts += 1
      if attempts == 200 { kill(processIdentifier, SIGKILL) }
      Thread.sleep(forTimeInterval: 0.01)
    }
  }
}
