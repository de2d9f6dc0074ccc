import Foundation
import NIOCore
import NIOPosix
import Rollcall
import RosterClient
import Synchronization
import TestSupport
import Testing

/// A contact as a server keeps it.
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

  /// As an item is written (RFC 6121 §2.1.2).
  init(_ item: XMPPElement) {
    self.init(
      name: item.attribute("name") ?? "", subscription: item.attribute("subscription") ?? "none",
      isPending: item.attribute("ask") == "subscribe",
      groups: Set(
        item.children.filter { $0.is("group", in: Namespace.roster) }.map(\.text)))
  }

  /// As our roster has it.
  init(_ item: RosterItem) {
    self.init(
      name: item.name ?? "", subscription: item.subscription.rawValue, isPending: item.isPending,
      groups: Set(item.groups))
  }
}

/// What a server keeps of an account.
struct StoredRoster: Hashable {
  var contacts: [String: StoredContact] = [:]
  /// Who has asked to see its presence, and waits.
  var requests: Set<String> = []
}

/// A domain of a server, by what is different there.
enum Domain: String, CaseIterable, Sendable {
  case usual
  /// Sessions end with their connections.
  case brief
  /// Nothing but PLAIN is offered.
  case plain
  /// The password is hashed otherwise.
  case hashed
  /// STARTTLS leads to this version of TLS and no other.
  case tls12, tls13

  func name(at first: String) -> String { self == .usual ? first : "\(rawValue).\(first)" }
}

/// How TLS begins, and by which version; nil for any.
struct Door: Hashable, Sendable, CustomTestStringConvertible {
  var isDirect = false
  var version: Version?

  enum Version: String, CaseIterable, Sendable {
    case v12 = "TLSv1.2"
    case v13 = "TLSv1.3"
  }

  static let all = [false, true].flatMap { isDirect in
    [nil, .v12, .v13].map { Door(isDirect: isDirect, version: $0) }
  }

  var testDescription: String {
    "\(isDirect ? "direct TLS" : "STARTTLS"), \(version?.rawValue ?? "any version")"
  }
}

/// A server from a package of the system, on the loopback address.
protocol RealServer: AnyObject, Sendable {
  static var isPossible: Bool { get }
  static var name: String { get }
  /// - Parameter isQuiet: Whether it logs only what is out of order.
  init(isQuiet: Bool) throws
  /// Its first domain.
  var domain: String { get }
  var certificates: Certificates { get }
  /// The port for STARTTLS.
  var port: Int { get }
  /// The port for direct TLS.
  var directPort: Int { get }
  /// What it logged, for a test that fails.
  var log: String { get }
  /// Where a version of TLS is to be had.
  func place(of door: Door) -> (domain: String, port: Int)
  /// Whether it keeps a contact of no subscription who has asked apart from somebody who has only
  /// asked.
  var distinguishesRequests: Bool { get }
  /// Whether the pushes of what two sessions change at once come in the order of these changes.
  var pushesInOrder: Bool { get }
  /// What the server stores of an account.
  func stored(_ account: BareJID) throws -> StoredRoster
  func start() async throws
  func stop() throws
  /// Ends it as a loss of power does.
  func kill() throws
}

extension RealServer {
  init() throws { try self.init(isQuiet: false) }

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

  /// A session of somebody who has made an account just now.
  func register(_ user: String) async throws -> LiveSession {
    var login = try login(user)
    login.registers = true
    let session = try LiveSession(login)
    try await session.start()
    return session
  }

  /// Waits until the server answers: some take connections before they know their domain, and on a
  /// busy machine they need long.
  func awaitPort() async throws {
    // Attempts and no deadline: where all tests run at once, one may take minutes.
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

/// Tells whether features come before the connection is closed.
private final class FirstAnswer: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  private let answer: EventLoopPromise<Bool>
  private let text = Mutex("")

  init(_ answer: EventLoopPromise<Bool>) { self.answer = answer }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let isThere = text.withLock { text in
      text += String(buffer: unwrapInboundIn(data))
      return text.contains("starttls")
    }
    if isThere { answer.succeed(true) }
  }

  func channelInactive(context: ChannelHandlerContext) { answer.succeed(false) }
}

/// Below those that the system gives to whoever asks for any: between the choice of a port and its
/// use, a connection of another test could get such a one.
private let ports = 10_000..<32_768
private let nextPort = Mutex(Int.random(in: ports))

/// A port that nobody uses, another one each time.
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

/// The program of a server, where it runs.
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
  /// Ends it, by force where it does not go by itself, and waits until it is gone: `waitUntilExit`
  /// needs a run loop.
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
