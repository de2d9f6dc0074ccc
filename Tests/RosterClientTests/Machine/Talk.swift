import Captures
import Rollcall
@testable import RosterClient
import XMPPStanza

/// A client's side of a connection, beside what a test says in the server's place.
struct Talk {
  var machine: ClientMachine
  private var intake = StreamIntake(SessionLimits())
  /// What the client did since it was last asked, in short.
  private(set) var done: [String] = []
  /// What the client did, as the machine gave it.
  private(set) var actions: [ClientAction] = []
  /// The results of the events that were told since it was last asked.
  private(set) var results: [ClientResult] = []

  static let account = BareJID(prepared: "alice@example.test")

  static func login(
    _ change: (inout ClientLogin) -> Void = { _ in }
  ) -> ClientLogin {
    var login = ClientLogin(
      account: account, password: Password("pencil"), resource: "phone", allowsPlain: true,
      registers: false, resumption: nil, nonce: "fyko+d2lbbFgONRv9qkxdawL", idPrefix: "r")
    change(&login)
    return login
  }

  init(_ login: ClientLogin = Talk.login()) {
    machine = ClientMachine(login)
  }

  /// The server says something.
  mutating func hears(_ xml: String) { hears(Array(xml.utf8)) }

  mutating func hears(_ bytes: [UInt8]) {
    for part in intake.take(bytes) { take(machine.received(part)) }
  }

  /// Something else happens.
  mutating func happens(_ event: (inout ClientMachine) -> ClientResult) {
    take(event(&machine))
  }

  /// What the client has done since the last time.
  mutating func deeds() -> [String] {
    defer { (done, actions, results) = ([], [], []) }
    return done
  }

  private mutating func take(_ result: ClientResult) {
    results.append(result)
    actions += result.actions
    for action in result.actions {
      switch action {
      case .send(let bytes): done.append(String(decoding: bytes, as: UTF8.self))
      case .startTLS:
        done.append("TLS")
        intake.reset()
      case .derive(let derivation):
        take(machine.derived(Result { () throws(SASLFailure) in try derivation.keys() }))
      case .note(let lifecycle):
        done.append("note \(String(decoding: lifecycle.bytes, as: UTF8.self))")
      case .online(let isResumed): done.append(isResumed ? "resumed" : "online")
      case .answered(_, .result): done.append("answered well")
      case .answered(_, .failed(let failure)): done.append("answered \(failure)")
      case .answered(let name, .refused(let error)): done.append("\(name) refused (\(error))")
      case .answered(let name, .acknowledged): done.append("\(name) acknowledged")
      case .answered(let name, .written): done.append("\(name) written")
      case .finish(let failure): done.append("finish \(failure.map { "\($0)" } ?? "well")")
      }
    }
  }

  // MARK: The usual ways

  static let header = """
    <?xml version='1.0'?><stream:stream from='example.test' id='s1' version='1.0' \
    xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>
    """
  static let tlsFeatures = features("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
  static let proceed = "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
  static let saslFeatures = features(
    """
    <mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms>
    """)
  static let success = "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"
  static let bind = "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"
  static let counting = "<sm xmlns='urn:xmpp:sm:3'/>"

  static func features(_ inside: String) -> String {
    "<stream:features>\(inside)</stream:features>"
  }

  static func bound(_ id: String, _ jid: String = "alice@example.test/phone") -> String {
    """
    <iq type='result' id='\(id)'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>\
    <jid>\(jid)</jid></bind></iq>
    """
  }

  /// A session that can be resumed, in which nothing was sent or received.
  static let resumption: Resumption? = {
    var session = ClientMachine.Session(resource: "phone")
    session.counting = .on(StreamManagement(id: "some-id"))
    return Resumption(session)
  }()

  /// Up to the features inside TLS.
  mutating func secures() {
    happens { $0.connected(to: "example.test:5222", isDirectTLS: false) }
    hears(Self.header + Self.tlsFeatures)
    hears(Self.proceed)
    happens { $0.secured(by: "TLSv1.3", serverEndPoint: nil) }
    hears(Self.header)
  }

  /// Up to the features of who is let in.
  mutating func authenticates() {
    secures()
    hears(Self.saslFeatures)
    hears(Self.success)
    hears(Self.header)
  }

  /// Up to the session, with stanzas counted where `counts`.
  mutating func goesOnline(counts: Bool = true) {
    authenticates()
    hears(Self.features(Self.bind + (counts ? Self.counting : "")))
    hears(Self.bound("r1"))
    if counts { hears("<enabled xmlns='urn:xmpp:sm:3' id='some-id' resume='true'/>") }
    _ = deeds()
  }
}
