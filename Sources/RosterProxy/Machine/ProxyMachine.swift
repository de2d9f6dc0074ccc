import Captures
package import Rollcall
package import RosterClient
import XMPPStanza
import XMPPStream

/// A client's connection and the one to its server, and what goes from one to the other.
///
/// What happened goes in by methods in the past tense, what is to be done comes out, in order. A
/// value: it reads no socket and no clock.
///
/// Every byte is passed on as it came, but for three things that would lead the client past the
/// proxy or hide what it says: an offer of compression, where else to resume (XEP-0198), and where
/// else to connect (`see-other-host`). TLS begins on both sides where the two agree on it; what the
/// server offers to log in with is never changed, for a client that is offered less may show its
/// password, unless the proxy is to log in itself.
package struct ProxyMachine: Sendable {
  enum State: Hashable, Sendable {
    /// Nothing was said.
    case idle
    /// The client's TLS waits, or what it said, until there is a server.
    case connecting(isDirectTLS: Bool)
    /// Streams without TLS.
    case plain
    /// The client asked for TLS.
    case startTLSAsked
    /// TLS begins with the server; what the client is told then.
    case securingServer(answer: [UInt8])
    case securingClient
    /// Streams in TLS.
    case secured
    /// The server knows the client.
    case authenticated
    case over
  }

  var state = State.idle
  /// Whether the password may be sent as it is, in TLS to a server whose certificate was checked.
  private let allowsPlain: Bool
  /// Whether the client is a program of this machine, so that its words may go without TLS.
  private let isClientLocal: Bool
  /// Whether both sides are in TLS, and the server's certificate is the domain's.
  private var isVerified = false
  /// Whose certificate was, or is to be, checked.
  private var domain: String?
  /// What the client said before there was a server.
  private var held: [ProxyIntake.Unit] = []
  /// Whether the client was given a stream header, and its own went to the server: only then either
  /// can be told that it is over.
  private var isOpen: [ProxySide: Bool] = [:]
  /// Whether the client has asked to be let in: nobody is by a word that answers nothing.
  private var hasAsked = false
  /// The id of a login from before SASL (XEP-0078).
  private var legacyLogin: String?
  /// Where the proxy logs in in the client's place.
  var login: TerminatedLogin?
  /// How much was said before the client is let in.
  private var said: [ProxySide: Int] = [:]
  /// A form to register with, and a picture in it, is the longest that one needs.
  private static let mostBeforeLogin = 1 << 20

  /// How many nonces a connection can need.
  package static let nonces = 10

  /// Two connections that are not made yet.
  ///
  /// - Parameters:
  ///   - allowsPlain: Whether a client may send its password as it is, if the server's
  ///     certificate was checked.
  ///   - isClientLocal: Whether the client connects from a loopback address.
  ///   - secrets: Where the proxy logs in itself.
  ///   - nonces: Fresh, unguessable, printable ASCII without a comma; none where it does not.
  package init(
    allowsPlain: Bool, isClientLocal: Bool, secrets: TerminationSecrets? = nil,
    nonces: [String] = []
  ) {
    (self.allowsPlain, self.isClientLocal) = (allowsPlain, isClientLocal)
    login = secrets.map { TerminatedLogin($0, nonces: nonces) }
  }

  /// Whether the client has not said yet what it wants.
  package var isUnbegun: Bool { state == .idle }

  /// Whether nothing may come before TLS has begun.
  package var isBeginningTLS: Bool {
    switch state {
    case .securingServer, .securingClient: true
    case .idle, .connecting, .plain, .startTLSAsked, .secured, .authenticated, .over: false
    }
  }

  /// Whether nothing more will be done.
  package var isOver: Bool { state == .over }

  /// Whether the client was let in: before it is, not everything is borne.
  package var isAuthenticated: Bool { state == .authenticated }

  // MARK: The connections

  /// The client begins with TLS (XEP-0368), and wants this domain (SNI, RFC 6066 §3).
  package mutating func helloReceived(for domain: String?) -> [ProxyAction] {
    guard state == .idle else { return [] }
    guard let domain, !domain.isEmpty else { return finish(.noDomain) }
    guard Self.fault(ofDomain: domain) == nil else { return finish(.notADomain(domain)) }
    self.domain = domain
    state = .connecting(isDirectTLS: true)
    return [.connect(domain: domain)]
  }

  /// There is a connection to the server.
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

  /// The connection to the server arrived at this proxy, or this is the one that arrived.
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
  ///   - version: Of TLS with the server, such as `TLSv1.3`.
  ///   - endPoint: The hash of the certificate that vouches on this side, where there is one (RFC
  ///     5929 §4.1).
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
      // What was said before anybody could have said.
      (isOpen, hasAsked, legacyLogin) = ([:], false, nil)
      state = .secured
      isVerified = true
      return []
    case (.idle, _), (.connecting, _), (.plain, _), (.startTLSAsked, _), (.securingServer, _),
      (.securingClient, _), (.secured, _), (.authenticated, _), (.over, _):
      return []
    }
  }

  /// TLS cannot begin, or the connection fails later.
  package mutating func failed(_ side: ProxySide, _ failure: LiveFailure) -> [ProxyAction] {
    switch state {
    case .over: return []
    case .securingServer(let answer):
      // The client still waits for permission to begin (RFC 6120 §5.4.2.2).
      let refusal = "<failure xmlns='\(Namespace.tls)'/></stream:stream>"
      let word = answer.isEmpty ? [] : [ProxyAction.send(to: .client, Array(refusal.utf8))]
      return word + finish(Self.handshakeFailure(of: side, failure))
    case .securingClient: return finish(Self.handshakeFailure(of: side, failure))
    case .secured where isSilentInTLS(side):
      return finish(Self.handshakeFailure(of: side, failure))
    case .plain where side == .server && isOpen[.client] != true:
      return finish(.noHeader(reason: failure.clause))
    case .idle, .connecting, .plain, .startTLSAsked, .secured, .authenticated:
      return finish(.lost(side, reason: failure.clause))
    }
  }

  /// One side has closed its connection: what it sent is passed on, and both are done.
  package mutating func ended(_ side: ProxySide) -> [ProxyAction] {
    switch state {
    case .over: return []
    case .securingServer, .securingClient: return finish(.handshake(side, .closed))
    case .secured where isSilentInTLS(side): return finish(.handshake(side, .closed))
    case .plain where side == .server && isOpen[.client] != true:
      return finish(.noHeader(reason: nil))
    case .idle, .connecting, .plain, .startTLSAsked, .secured, .authenticated:
      return finish(nil)
    }
  }

  /// Whether this is the client, and it has not begun a stream in TLS: clients that check the
  /// proxy's certificate only after the handshake give up then.
  private func isSilentInTLS(_ side: ProxySide) -> Bool {
    side == .client && isOpen[.server] != true
  }

  private static func handshakeFailure(
    of side: ProxySide, _ failure: LiveFailure
  ) -> ProxyFailure {
    switch failure {
    case .certificate(let fault): .certificate(fault)
    case .handshake(let fault): .handshake(side, fault)
    // The connection was reset.
    case .lost: .handshake(side, .closed)
    case .resolving, .unreachable, .encryptionNotOffered, .injectedBytes, .authority,
      .startedWithoutTLS, .noHeader, .sasl, .notAuthorized, .bindRefused, .registrationNotOffered,
      .registrationRefused, .registrationNeedsMore, .stream, .protocolViolation, .unreadable,
      .unacknowledged, .timeout, .recording, .passwordChangePending, .notOnline, .cancelled,
      .alreadyStarted, .over:
      .lost(side, reason: failure.description)
    }
  }

  // MARK: What they say

  /// More bytes came in one read with what ended the time before TLS, or a part of some (RFC 6120
  /// §5.4.3.3).
  package mutating func injected(by side: ProxySide) -> [ProxyAction] {
    finish(.injectedBytes(side))
  }

  /// Bytes came that are handed over next, complete or not.
  package mutating func heard(_ count: Int, from side: ProxySide) -> [ProxyAction] {
    guard state != .authenticated, state != .over else { return [] }
    said[side, default: 0] += count
    guard said[side, default: 0] > Self.mostBeforeLogin else { return [] }
    return breakOff(.tooMuch(side), "policy-violation")
  }

  /// Something came, in the order of its bytes.
  package mutating func received(
    _ unit: ProxyIntake.Unit, from side: ProxySide
  ) -> [ProxyAction] {
    switch state {
    case .over: return []
    // There is no server yet.
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

  /// The client's first words.
  private mutating func begun(_ unit: ProxyIntake.Unit) -> [ProxyAction] {
    switch unit.part {
    case nil:
      held.append(unit)
      return []
    case .header(let tag):
      guard let to = tag.node.attribute("to"), !to.isEmpty else {
        return greeting(from: nil) + breakOff(.noDomain, "improper-addressing")
      }
      // No account has such a server, so there would be no log to record it in.
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

  /// The condition by which a stream to what cannot be a domain is refused (RFC 6120 §4.9.3.7,
  /// §4.9.3.6); nil for a domain.
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
    var first: [ProxyAction] = []
    switch part {
    case .header(let tag):
      if side == .client, let failure = mismatch(tag.node) {
        return greeting(from: nil) + breakOff(failure, "host-unknown")
      }
      isOpen[side.other] = true
    case .end: isOpen[side.other] = false
    case .unreadable(let read, let reason):
      if state == .plain, side == .server, isOpen[.client] != true, read.beginWithTLS {
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
      if side == .client, let refusal = refusal(of: element.node) { return refusal }
      if let own = ownLogin(element.node, from: side) {
        return [.record(part, from: side)] + own
      }
      let wasAuthenticated = isAuthenticated
      follow(element.node, from: side)
      if isAuthenticated, !wasAuthenticated { first = serverNote }
      if side == .server {
        bytes = element.node.withoutDetours(in: bytes, offering: ownOffer(element.node))
      }
      // Passed on, for the client knows what to make of it. But it is in nobody's roster.
      if state != .authenticated, element.node.wantsLogin {
        part = .unreadable(element.bytes, reason: "it stands where it has no place")
      }
    }
    // Recorded first: where that fails, it has not been passed on.
    return first + [.record(part, from: side), .send(to: side.other, bytes)]
  }

  /// Notes whose server lets the client in, and whether that was checked, before it names an
  /// account.
  var serverNote: [ProxyAction] {
    guard let domain, let server = try? BareJID(parsing: domain), server.local == nil else {
      return []
    }
    return [.note(isVerified ? .verified(domain: server) : .unverified(domain: server))]
  }

  /// Another domain than the one that the certificate was checked for.
  private func mismatch(_ header: XMPPElement) -> ProxyFailure? {
    guard let domain, let to = header.attribute("to"), !to.isSameDomain(as: domain) else {
      return nil
    }
    return .otherDomain(to, checked: domain)
  }

  /// What the client may not say.
  private mutating func refusal(of node: XMPPElement) -> [ProxyAction]? {
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

  private mutating func follow(_ node: XMPPElement, from side: ProxySide) {
    switch (state, side) {
    case (.plain, .client), (.secured, .client):
      if state == .plain, node.is("starttls", in: Namespace.tls) { state = .startTLSAsked }
      if node.asksIn { hasAsked = true }
      if node.isLegacyLogin { legacyLogin = node.attribute("id") }
    case (.plain, .server), (.secured, .server):
      let isResult = node.name.local == "iq" && node.attribute("type") == "result"
      let endsLegacyLogin = isResult && legacyLogin != nil && node.attribute("id") == legacyLogin
      if (hasAsked && node.letsIn) || endsLegacyLogin { state = .authenticated }
    case (.idle, _), (.connecting, _), (.startTLSAsked, _), (.securingServer, _),
      (.securingClient, _), (.authenticated, _), (.over, _):
      break
    }
  }

  // MARK: The end

  /// Nobody was let in in time.
  package mutating func timedOut() -> [ProxyAction] {
    switch state {
    case .over, .authenticated: return []
    case .idle, .connecting, .plain, .startTLSAsked, .securingServer, .securingClient, .secured:
      return breakOff(.timeout, "connection-timeout")
    }
  }

  /// It cannot be recorded.
  package mutating func unrecorded(_ error: RollcallError) -> [ProxyAction] {
    breakOff(.recording(error), "internal-server-error")
  }

  /// The proxy is ended.
  package mutating func stopped() -> [ProxyAction] { breakOff(.stopped, "system-shutdown") }

  private mutating func finish(_ failure: ProxyFailure?) -> [ProxyAction] {
    guard state != .over else { return [] }
    state = .over
    return [.finish(failure)]
  }

  /// Ends the streams that are open: the client is told why (RFC 6120 §4.9.3), the server that it
  /// is over. What is passed on is always whole, so that both can be told.
  mutating func breakOff(
    _ failure: ProxyFailure, _ condition: StaticString
  ) -> [ProxyAction] {
    guard !isOver else { return [] }
    var actions: [ProxyAction] = []
    if isOpen[.client] == true, state != .securingClient {
      actions.append(.send(to: .client, Self.error(condition)))
    }
    // While TLS begins, the old stream is over and the new one has not begun (RFC 6120 §5.4.3.1).
    if isOpen[.server] == true, !isBeginningTLS {
      actions += [.record(.end, from: .client), .send(to: .server, Self.streamEnd)]
    }
    return actions + finish(failure)
  }

  /// A stream header of the proxy's own, where the client has none yet to be told anything in.
  private mutating func greeting(from domain: String?) -> [ProxyAction] {
    guard isOpen[.client] != true else { return [] }
    isOpen[.client] = true
    var from: [UInt8] = []
    if let domain {
      from = Array(" from=\"".utf8)
      from.appendEscaped(domain, inAttribute: true)
      from.append(UInt8(ascii: "\""))
    }
    let rest = " version='1.0' xmlns='jabber:client' xmlns:stream='\(Namespace.streams)'>"
    return [
      .send(to: .client, Array("<?xml version='1.0'?><stream:stream".utf8) + from + rest.utf8)
    ]
  }

  private static let streamEnd = Array("</stream:stream>".utf8)

  private static func error(_ condition: StaticString) -> [UInt8] {
    let error = "<stream:error><\(condition) xmlns='\(Namespace.streamErrors)'/></stream:error>"
    return Array(error.utf8) + streamEnd
  }
}

extension LiveFailure {
  /// The reason alone, for messages that already say which connection failed.
  fileprivate var clause: String {
    if case .lost(let reason) = self { return reason }
    return description
  }
}
