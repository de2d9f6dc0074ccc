import Captures
package import Rollcall
import XMPPStanza
import XMPPStream

/// One connection of a client, from the first byte to the session and its end (RFC 6120 §4 to §7).
///
/// What happened goes in by methods in the past tense, what is to be done comes out, in order. A
/// value: it reads no socket and no clock, and chooses nothing by chance.
package struct ClientMachine: Sendable {
  /// How far the two sides trust each other.
  package enum Trust: Hashable, Sendable {
    case plain, secured, authenticated
  }

  /// What is waited for.
  enum State: Sendable {
    case idle
    /// TLS to begin.
    case handshake
    /// The server's stream header.
    case header(Trust)
    case features(Trust)
    /// `<proceed/>`.
    case startTLS
    /// What the server wants for an account, with the features to go on with then.
    case registrationForm(XMPPElement)
    case registration(XMPPElement)
    case sasl(SASLExchange)
    /// SASL 2 (XEP-0388).
    case sasl2(SASLExchange)
    /// The features after SASL 2 has bound a resource too.
    case boundFeatures
    case resuming(XMPPElement)
    case binding(XMPPElement)
    /// What older servers still want, with the features to go on with then.
    case legacySession(XMPPElement)
    case online
    /// The end of the server's stream, after ours.
    case closing
    case over
  }

  let login: ClientLogin
  var state = State.idle {
    didSet { if hasResource { hadSession = true } }
  }
  private(set) var hadSession = false
  var trust = Trust.plain
  /// The hash of the server's certificate.
  var serverEndPoint: [UInt8]?
  var management: StreamManagement?
  /// Whether the server has said that it counts too.
  var isManaged = false
  var requests = 0
  /// The connection's own requests that are open: what for.
  var open: [String: OwnRequest] = [:]
  private(set) var isPinged = false

  /// What a request of the connection's own is for.
  enum OwnRequest: Hashable, Sendable {
    /// To hear anything at all.
    case silence
    /// To know that what came before is done.
    case ping
    case password
  }

  /// A connection that is not made yet.
  package init(_ login: ClientLogin) {
    self.login = login
  }

  /// What the session can be gone on with by on another connection; nil where it cannot.
  package var resumption: Resumption? { management?.id == nil ? nil : management }

  /// Whether commands can be sent.
  package var isOnline: Bool { if case .online = state { true } else { false } }

  /// Whether stanzas may be sent: before there is a resource, the server ends the stream for one
  /// (RFC 6120 §7.1), and after our end of the stream there is nothing more (§4.4).
  var hasResource: Bool {
    switch state {
    case .boundFeatures, .legacySession, .online: true
    case .idle, .handshake, .header, .features, .startTLS, .registrationForm, .registration, .sasl,
      .sasl2, .resuming, .binding, .closing, .over:
      false
    }
  }

  /// Whether it ends without a session: what the server said then was not its turn, or not the
  /// server's, and means nothing.
  package var hasFailed: Bool {
    switch state {
    case .closing, .over: !hadSession
    case .idle, .handshake, .header, .features, .startTLS, .registrationForm, .registration, .sasl,
      .sasl2, .boundFeatures, .resuming, .binding, .legacySession, .online:
      false
    }
  }

  /// Whether the server has let us in.
  package var wasLetIn: Bool { trust == .authenticated }

  /// Whether nothing more will be done.
  package var isOver: Bool { if case .over = state { true } else { false } }

  // MARK: The connection

  /// A connection is there; with direct TLS, that has to begin first (XEP-0368).
  package mutating func connected(to address: String, isDirectTLS: Bool) -> [ClientAction] {
    guard case .idle = state else { return [] }
    let note = ClientAction.note(.connected(to: address))
    guard isDirectTLS else { return [note] + header(.plain) }
    state = .handshake
    return [note, .startTLS]
  }

  /// TLS has begun, with a certificate that is to be trusted.
  ///
  /// - Parameters:
  ///   - version: Of TLS, such as `TLSv1.3`.
  ///   - serverEndPoint: The hash of the certificate for `tls-server-end-point` (RFC 5929 §4.1).
  package mutating func secured(by version: String?, serverEndPoint: [UInt8]?) -> [ClientAction] {
    guard case .handshake = state else { return [] }
    trust = .secured
    self.serverEndPoint = serverEndPoint
    return [.note(.secured(tls: version))] + header(.secured)
  }

  /// The connection, or what is to begin on it, has failed, or it is closed.
  package mutating func disconnected(_ failure: LiveFailure) -> [ClientAction] {
    switch state {
    case .over: return []
    case .closing: return finish(nil)
    case .idle, .handshake, .header, .features, .startTLS, .registrationForm, .registration, .sasl,
      .sasl2, .boundFeatures, .resuming, .binding, .legacySession, .online:
      return finish(failure)
    }
  }

  // MARK: The stream

  /// A part of the server's stream came.
  package mutating func received(_ part: StreamIntake.Part) -> [ClientAction] {
    if case .over = state { return [] }
    if case .closing = state { return receivedWhileClosing(part) }
    isPinged = false
    switch part {
    case .header(let tag): return headerReceived(tag.node)
    case .element(let element): return elementReceived(element.node)
    case .end: return streamEnded()
    case .unreadable(_, let reason):
      return breakOff(.unreadable(reason: reason), "not-well-formed")
    case .skipped(let element): return elementSkipped(element)
    }
  }

  /// An element beyond a limit came. Once we are let in it is passed over: the server may have it
  /// from anybody, and would send it again to each session that breaks off because of it.
  private mutating func elementSkipped(_ element: SkippedElement) -> [ClientAction] {
    guard trust == .authenticated else {
      return breakOff(.unreadable(reason: element.reason), "policy-violation")
    }
    if element.isStanza, isManaged { management?.received() }
    return []
  }

  /// More bytes came in one read with what ended the time before TLS, or a part of some (RFC 6120
  /// §5.4.3.3).
  package mutating func injected() -> [ClientAction] {
    isOver ? [] : finish(.injectedBytes)
  }

  private mutating func headerReceived(_ header: XMPPElement) -> [ClientAction] {
    guard case .header(let trust) = state else {
      return violation("a stream header within a stream")
    }
    guard header.attribute("version")?.hasPrefix("1.") == true else {
      return breakOff(
        .protocolViolation("its stream is not of version 1.0"), "unsupported-version")
    }
    state = .features(trust)
    return []
  }

  /// After our end of the stream nothing more is said (RFC 6120 §4.4), whatever still comes.
  private mutating func receivedWhileClosing(_ part: StreamIntake.Part) -> [ClientAction] {
    switch part {
    case .end: return finish(nil)
    case .unreadable(_, let reason): return finish(.unreadable(reason: reason))
    case .element(let element) where element.node.is("error", in: Namespace.streams):
      let (condition, text) = element.node.condition(in: Namespace.streamErrors)
      return finish(.stream(condition: condition, text: text))
    case .header, .element, .skipped: return []
    }
  }

  private mutating func streamEnded() -> [ClientAction] {
    let end = ClientAction.send(Array("</stream:stream>".utf8))
    return [end] + finish(.lost(reason: "the server ended the stream"))
  }

  private mutating func elementReceived(_ node: XMPPElement) -> [ClientAction] {
    if node.is("error", in: Namespace.streams) { return streamError(node) }
    switch state {
    case .idle, .handshake, .over: return violation("an element where there is no stream")
    case .header: return violation("an element before the stream's header")
    case .features(let trust):
      guard node.is("features", in: Namespace.streams) else {
        return violation("<\(node.name.local)/> in place of the stream's features")
      }
      return featuresReceived(node, trust)
    case .startTLS: return startTLSAnswered(node)
    case .registrationForm(let features): return registrationFormReceived(node, features)
    case .registration(let features): return registrationAnswered(node, features)
    case .sasl(let exchange): return saslReceived(node, exchange)
    case .sasl2(let exchange): return sasl2Received(node, exchange)
    case .boundFeatures:
      guard node.is("features", in: Namespace.streams) else { return stanzaReceived(node) }
      return online()
    case .resuming(let features): return resumeAnswered(node, features)
    case .binding(let features): return bindAnswered(node, features)
    case .legacySession(let features): return legacySessionAnswered(node, features)
    case .online: return stanzaReceived(node)
    case .closing: return []
    }
  }

  /// RFC 6120 §4.9: nothing more comes.
  private mutating func streamError(_ node: XMPPElement) -> [ClientAction] {
    let (condition, text) = node.condition(in: Namespace.streamErrors)
    let end = ClientAction.send(Array("</stream:stream>".utf8))
    return [end] + finish(.stream(condition: condition, text: text))
  }

  // MARK: Time

  /// What was waited for has not come in time.
  package mutating func timedOut() -> [ClientAction] {
    switch state {
    case .over: return []
    case .closing: return finish(nil)
    case .online: return finish(.lost(reason: "the server is silent"))
    case .idle, .handshake, .header, .features, .startTLS, .registrationForm, .registration, .sasl,
      .sasl2, .boundFeatures, .resuming, .binding, .legacySession:
      return finish(.timeout(state.waitsFor))
    }
  }

  /// Nothing has come for a while: the server is asked whether it is there, and where it does not
  /// answer either until the next time, the connection is gone.
  package mutating func silenceElapsed() -> [ClientAction] {
    guard case .online = state else { return [] }
    guard !isPinged else { return timedOut() }
    isPinged = true
    if isManaged { return [send(.askForAcknowledgement)] }
    return ping(nextID(.silence))
  }

  // MARK: The end

  /// The user has seen enough.
  package mutating func closed() -> [ClientAction] {
    switch state {
    case .over, .closing: return []
    case .idle, .handshake: return finish(nil)
    case .header, .features, .startTLS, .registrationForm, .registration, .sasl, .sasl2,
      .boundFeatures, .resuming, .binding, .legacySession, .online:
      // A session that is ended in order cannot be gone on with (XEP-0198 §5).
      management = nil
      state = .closing
      return [.send(Array("</stream:stream>".utf8))]
    }
  }

  mutating func finish(_ failure: LiveFailure?) -> [ClientAction] {
    state = .over
    return [.finish(failure)]
  }

  /// Ends the stream with an error of ours (RFC 6120 §4.9).
  mutating func breakOff(_ failure: LiveFailure, _ condition: StaticString) -> [ClientAction] {
    let error = """
      <stream:error><\(condition) xmlns='\(Namespace.streamErrors)'/></stream:error>\
      </stream:stream>
      """
    return [.send(Array(error.utf8))] + finish(failure)
  }

  mutating func violation(_ what: String) -> [ClientAction] {
    breakOff(.protocolViolation(what), "policy-violation")
  }

  // MARK: Sending

  func send(_ element: XMPPElement) -> ClientAction { .send(element.serialized()) }

  mutating func nextID(_ request: OwnRequest? = nil) -> String {
    requests += 1
    let id = "\(login.idPrefix)\(requests)"
    open[id] = request
    return id
  }

  /// The header of a new stream. Whose it is stays unsaid as long as everybody can read it (RFC
  /// 6120 §4.7.1).
  mutating func header(_ trust: Trust) -> [ClientAction] {
    self.trust = trust
    state = .header(trust)
    let from = trust == .plain ? "" : " from='\(login.account.text.escapedInAttribute)'"
    let header = """
      <?xml version='1.0'?><stream:stream\(from) to='\(login.account.domain.escapedInAttribute)' \
      version='1.0' xml:lang='en' xmlns='jabber:client' xmlns:stream='\(Namespace.streams)'>
      """
    return [.send(Array(header.utf8))]
  }
}

extension ClientMachine.State {
  /// What is waited for, in words.
  var waitsFor: String {
    switch self {
    case .idle, .over: "the connection"
    case .handshake: "TLS"
    case .header: "the server's stream header"
    case .features, .boundFeatures: "the stream's features"
    case .startTLS: "leave to begin TLS"
    case .registrationForm, .registration: "the account"
    case .sasl, .sasl2: "being let in"
    case .resuming: "resumption"
    case .binding, .legacySession: "a resource"
    case .online: "an answer"
    case .closing: "the end of the stream"
    }
  }
}

extension String {
  /// The text for an attribute of XML.
  fileprivate var escapedInAttribute: String {
    var bytes: [UInt8] = []
    bytes.appendEscaped(self, inAttribute: true)
    return String(decoding: bytes, as: UTF8.self).replacing("'", with: "&apos;")
  }
}
