import Captures
import Rollcall
import RosterClient
package import XMPPStanza
import XMPPStream

/// A client's connection, the connection to its server, and what is passed on between them.
///
/// The inputs are methods in the past tense; each returns the actions to carry out, in order. A
/// value: it reads no socket and no clock.
///
/// Every byte is passed on as it arrived, except for three things that would lead the client past
/// the proxy or hide its traffic: an offer of compression, another address to resume at (XEP-0198),
/// and another address to connect to (`see-other-host`). TLS begins on both sides if the two agree
/// on it. The server's list of mechanisms is never changed unless the proxy logs in itself: a
/// client that is offered fewer may fall back to sending its password.
package struct ProxyMachine: Sendable {
  enum State: Hashable, Sendable {
    /// Nothing has arrived.
    case idle
    /// The client's handshake or data waits for the connection to the server.
    case connecting(isDirectTLS: Bool)
    /// Streams without TLS.
    case plain
    /// The client asked for TLS.
    case startTLSAsked
    /// TLS begins with the server; the answer is sent to the client after that.
    case securingServer(answer: [UInt8])
    case securingClient
    /// Streams in TLS.
    case secured
    /// The server has accepted the login.
    case authenticated
    case over
  }

  var state = State.idle
  /// Whether the password may be sent in plain text, in TLS to a server whose certificate was
  /// checked.
  private let allowsPlain: Bool
  /// Whether the client is a program of this machine, which may do without TLS.
  private let isClientLocal: Bool
  /// Whether both sides are in TLS, and the server's certificate is the domain's.
  private var isVerified = false
  /// The domain whose certificate is required.
  private var domain: String?
  /// The client's data from before the connection to the server.
  private var held: [ProxyIntake.Unit] = []
  /// Whether a side was sent a stream header, and not yet the end of the stream: only then can the
  /// stream to it be ended. Nil if it was never sent one.
  var isOpen: [ProxySide: Bool] = [:]
  /// The first of the two sides that closed its stream, in order or with an error.
  var firstEnd: ProxyEnd.Cause?
  /// What the server's last refusal of a login says; nil once it has accepted one.
  package private(set) var refusal: ErrorReport?
  /// The name that the client last began to log in with, at its server.
  package private(set) var loginName: String?
  /// Whether the client has asked to log in; a success that answers no request does not count.
  private var hasAsked = false
  /// The id of a login by the protocol before SASL (XEP-0078).
  private var legacyLogin: String?
  /// The login, if the proxy logs in in the client's place.
  var login: TerminatedLogin?
  /// The number of bytes that each side has sent before the login.
  private var said: [ProxySide: Int] = [:]
  /// The maximum before the login. The longest that is needed is a registration form with a
  /// picture.
  private static let mostBeforeLogin = 1 << 20

  /// The number of nonces that a connection can need.
  package static let nonces = 10

  /// Two connections of which neither has carried any data.
  ///
  /// - Parameters:
  ///   - allowsPlain: Whether a client may send its password in plain text, if the server's
  ///     certificate was checked.
  ///   - isClientLocal: Whether the client connects from a loopback address.
  ///   - secrets: The secrets, if the proxy logs in itself.
  ///   - nonces: Fresh, unguessable, printable ASCII without a comma; none if it does not.
  package init(
    allowsPlain: Bool, isClientLocal: Bool, secrets: TerminationSecrets? = nil,
    nonces: [String] = []
  ) {
    (self.allowsPlain, self.isClientLocal) = (allowsPlain, isClientLocal)
    login = secrets.map { TerminatedLogin($0, nonces: nonces) }
  }

  /// Whether nothing has arrived from the client.
  package var isUnbegun: Bool { state == .idle }

  /// Whether only TLS may follow on one of the sides.
  package var isBeginningTLS: Bool {
    switch state {
    case .securingServer, .securingClient: true
    case .idle, .connecting, .plain, .startTLSAsked, .secured, .authenticated, .over: false
    }
  }

  /// Whether the connection is over.
  package var isOver: Bool { state == .over }

  /// Whether the server has accepted the login; before that, stricter limits apply.
  package var isAuthenticated: Bool { state == .authenticated }

  // MARK: The connections

  /// The client begins with TLS (XEP-0368), and asks for this domain (SNI, RFC 6066 §3).
  package mutating func helloReceived(for domain: String?) -> [ProxyAction] {
    guard state == .idle else { return [] }
    guard let domain, !domain.isEmpty else { return finish(.noDomain) }
    guard Self.fault(ofDomain: domain) == nil else { return finish(.notADomain(domain)) }
    self.domain = domain
    state = .connecting(isDirectTLS: true)
    return [.connect(domain: domain)]
  }

  /// The connection to the server was made.
  package mutating func connected(to address: String) -> [ProxyAction] {
    guard case .connecting(let isDirectTLS) = state, let domain else { return [] }
    let note = ProxyAction.note(.connected(to: address))
    if isDirectTLS {
      state = .securingServer(answer: [])
      return [note, .beginTLS(on: .server, domain: domain)]
    }
    state = .plain
    let units = held
    held = []
    return [note] + units.flatMap { received($0, from: .client) }
  }

  /// The server cannot be reached.
  package mutating func unreachable(_ reason: String) -> [ProxyAction] {
    guard case .connecting(let isDirectTLS) = state, let domain else { return [] }
    let failure = ProxyFailure.unreachable(domain: domain, reason: reason)
    guard !isDirectTLS else { return finish(failure) }
    return greeting(from: domain) + breakOff(failure, "remote-connection-failed")
  }

  /// The connection to the server arrived at this proxy, or this is the connection that arrived.
  package mutating func ledToItself(by address: String) -> [ProxyAction] {
    let failure = ProxyFailure.ledToItself(address)
    switch state {
    case .connecting(isDirectTLS: false), .plain, .startTLSAsked:
      return greeting(from: domain) + breakOff(failure, "remote-connection-failed")
    case .over, .authenticated: return []
    case .idle, .connecting, .securingServer, .securingClient, .secured:
      return breakOff(failure, "remote-connection-failed")
    }
  }

  /// TLS has begun with one side.
  ///
  /// - Parameters:
  ///   - version: The version of TLS with the server, such as `TLSv1.3`.
  ///   - endPoint: The hash of the certificate on this side, if it is known (RFC 5929 §4.1).
  package mutating func secured(
    _ side: ProxySide, by version: String?, endPoint: [UInt8]? = nil
  ) -> [ProxyAction] {
    login?.secured(side, endPoint: endPoint, domain: domain ?? "")
    switch (state, side) {
    case (.securingServer(let answer), .server):
      guard let domain else { return [] }
      state = .securingClient
      let word = answer.isEmpty ? [] : [ProxyAction.send(to: .client, answer)]
      return [.note(.secured(tls: version))] + word + [.beginTLS(on: .client, domain: domain)]
    case (.securingClient, .client):
      // Anyone could have sent the data before TLS.
      (isOpen, hasAsked, legacyLogin) = ([:], false, nil)
      (firstEnd, refusal) = (nil, nil)
      state = .secured
      isVerified = true
      return []
    case (.idle, _), (.connecting, _), (.plain, _), (.startTLSAsked, _), (.securingServer, _),
      (.securingClient, _), (.secured, _), (.authenticated, _), (.over, _):
      return []
    }
  }

  // MARK: The streams

  /// Unencrypted bytes arrived after the element that begins TLS (RFC 6120 §5.4.3.3).
  package mutating func injected(by side: ProxySide) -> [ProxyAction] {
    finish(.injectedBytes(side))
  }

  /// Bytes arrived, which the next calls of `received` pass on as far as they are complete.
  package mutating func heard(_ count: Int, from side: ProxySide) -> [ProxyAction] {
    guard state != .authenticated, state != .over else { return [] }
    said[side, default: 0] += count
    guard said[side, default: 0] > Self.mostBeforeLogin else { return [] }
    return breakOff(.tooMuch(side), "policy-violation")
  }

  /// A unit arrived from one side.
  package mutating func received(
    _ unit: ProxyIntake.Unit, from side: ProxySide
  ) -> [ProxyAction] {
    switch state {
    case .over: return []
    // There is no connection to the server yet.
    case .idle: return side == .client ? begun(unit) : []
    case .connecting:
      if side == .client { held.append(unit) }
      return []
    case .securingServer, .securingClient: return finish(.injectedBytes(side))
    case .startTLSAsked:
      guard unit.part != nil else { return passedOn(unit, from: side) }
      return side == .client ? finish(.injectedBytes(side)) : startTLSAnswered(unit)
    case .plain, .secured, .authenticated: return passedOn(unit, from: side)
    }
  }

  /// The client's first unit.
  private mutating func begun(_ unit: ProxyIntake.Unit) -> [ProxyAction] {
    switch unit.part {
    case nil:
      held.append(unit)
      return []
    case .header(let tag):
      guard let to = tag.node.attribute("to"), !to.isEmpty else {
        return greeting(from: nil) + breakOff(.noDomain, "improper-addressing")
      }
      // No account has such a server, so there would be no log to record to.
      if let condition = Self.fault(ofDomain: to) {
        return greeting(from: nil) + breakOff(.notADomain(to), condition)
      }
      domain = to
      held.append(unit)
      state = .connecting(isDirectTLS: false)
      return [.connect(domain: to)]
    case .unreadable, .skipped, .element, .end:
      return finish(.notXMPP)
    }
  }

  /// The condition with which a stream to something other than a domain is refused (RFC 6120
  /// §4.9.3.7, §4.9.3.6); nil for a domain.
  private static func fault(ofDomain text: String) -> StaticString? {
    guard let jid = try? JID(parsing: text) else { return "improper-addressing" }
    return jid.resource == nil && jid.bare.local == nil ? nil : "host-unknown"
  }

  private mutating func startTLSAnswered(_ unit: ProxyIntake.Unit) -> [ProxyAction] {
    guard case .element(let element) = unit.part, element.node.is("proceed", in: Namespace.tls)
    else {
      state = .plain
      return passedOn(unit, from: .server)
    }
    guard let domain else { return finish(.noDomain) }
    state = .securingServer(answer: unit.bytes)
    return [
      .record(.element(element), from: .server), .beginTLS(on: .server, domain: domain),
    ]
  }

  private mutating func passedOn(
    _ unit: ProxyIntake.Unit, from side: ProxySide
  ) -> [ProxyAction] {
    guard var part = unit.part else { return [.send(to: side.other, unit.bytes)] }
    var bytes = unit.bytes
    var (first, report): ([ProxyAction], [ProxyAction]) = ([], [])
    switch part {
    case .header(let tag):
      if side == .client, let failure = mismatch(tag.node) {
        return greeting(from: nil) + breakOff(failure, "host-unknown")
      }
      isOpen[side.other] = true
    case .end:
      isOpen[side.other] = false
      firstEnd = firstEnd ?? .closed(side)
    case .unreadable(let read, let reason):
      if state == .plain, side == .server, isOpen[.client] == nil, read.beginWithTLS {
        return greeting(from: domain)
          + breakOff(.startedWithoutTLS, "remote-connection-failed")
      }
      guard state == .authenticated else {
        return breakOff(.unreadable(side, reason: reason), "not-well-formed")
      }
    case .skipped(let element):
      guard state == .authenticated else {
        return breakOff(.unreadable(side, reason: element.reason), "policy-violation")
      }
    case .element(let element):
      if side == .client, let refusal = prohibition(of: element.node) { return refusal }
      report = noteError(element.node, from: side)
      if let own = ownLogin(element.node, from: side) {
        return [.record(part, from: side)] + report + own
      }
      let wasAuthenticated = isAuthenticated
      follow(element.node, from: side)
      if isAuthenticated, !wasAuthenticated { first = accepted() }
      if side == .server {
        bytes = element.node.withoutDetours(in: bytes, offering: ownOffer(element.node))
      }
      // Passed on, because the client knows how to handle it, but kept out of every roster.
      if state != .authenticated, element.node.wantsLogin {
        part = .unreadable(element.bytes, reason: "it is out of place before the login")
      }
    }
    // Recorded first, so that data that cannot be recorded is not passed on.
    return first + [.record(part, from: side)] + report + [.send(to: side.other, bytes)]
  }

  /// Forgets earlier refusals, and notes whose server accepted the login, and whether its
  /// certificate was checked, before it names an account.
  mutating func accepted() -> [ProxyAction] {
    refusal = nil
    guard let domain, let server = try? BareJID(parsing: domain), server.local == nil else {
      return []
    }
    return [.note(isVerified ? .verified(domain: server) : .unverified(domain: server))]
  }

  /// The failure if a header is for another domain than the checked certificate.
  private func mismatch(_ header: XMPPElement) -> ProxyFailure? {
    guard let domain, let to = header.attribute("to"), !to.isSameDomain(as: domain) else {
      return nil
    }
    return .otherDomain(to, checked: domain)
  }

  /// Refuses an element that the client must not send.
  private mutating func prohibition(of node: XMPPElement) -> [ProxyAction]? {
    if isVerified {
      guard !allowsPlain, node.showsPassword else { return nil }
      return breakOff(.plain, "policy-violation")
    }
    guard isClientLocal || node.is("starttls", in: Namespace.tls) else {
      return breakOff(.clientWithoutTLS, "policy-violation")
    }
    guard node.showsSecret else { return nil }
    return breakOff(.plainToUnverified, "policy-violation")
  }

  /// Remembers an error that explains the end of the connection, and reports a refused login.
  private mutating func noteError(_ node: XMPPElement, from side: ProxySide) -> [ProxyAction] {
    if node.is("error", in: Namespace.streams) {
      firstEnd = firstEnd ?? .error(side, ErrorReport(node, in: Namespace.streamErrors))
    }
    guard side == .server, state == .plain || state == .secured,
      let refused = refusal(by: node)
    else { return [] }
    refusal = refused
    return [.reportRefusal(name: loginName, refused)]
  }

  /// What the server's refusal of a login says (RFC 6120 §6.4.5, XEP-0388, XEP-0078); nil if it is
  /// something else.
  private func refusal(by node: XMPPElement) -> ErrorReport? {
    if node.is("failure", in: Namespace.sasl) || node.is("failure", in: Namespace.sasl2) {
      return ErrorReport(node, in: Namespace.sasl, Namespace.sasl2)
    }
    guard node.name.local == "iq", node.attribute("type") == "error", let legacyLogin,
      node.attribute("id") == legacyLogin
    else { return nil }
    return ErrorReport(
      node.child("error", in: Namespace.client), in: Namespace.stanzaErrors)
  }

  private mutating func follow(_ node: XMPPElement, from side: ProxySide) {
    switch (state, side) {
    case (.plain, .client), (.secured, .client):
      if state == .plain, node.is("starttls", in: Namespace.tls) { state = .startTLSAsked }
      if node.asksIn { hasAsked = true }
      if node.isLegacyLogin { legacyLogin = node.attribute("id") }
      if let user = node.userName, let domain { loginName = "\(user)@\(domain)" }
    case (.plain, .server), (.secured, .server):
      let isResult = node.name.local == "iq" && node.attribute("type") == "result"
      let endsLegacyLogin = isResult && legacyLogin != nil && node.attribute("id") == legacyLogin
      if (hasAsked && node.letsIn) || endsLegacyLogin { state = .authenticated }
    case (.idle, _), (.connecting, _), (.startTLSAsked, _), (.securingServer, _),
      (.securingClient, _), (.authenticated, _), (.over, _):
      break
    }
  }
}
