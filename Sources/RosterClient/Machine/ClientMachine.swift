import Captures
package import Rollcall
import XMPPStanza
import XMPPStream

/// One connection of a client, from the first byte to the session and its end (RFC 6120 §4 to §7).
///
/// The inputs are methods in the past tense; each returns the actions to carry out, in order. A
/// value: it reads no socket and no clock, and makes no random choices.
package struct ClientMachine: Sendable {
  let login: ClientLogin
  private(set) var state = State.idle
  /// The namespaces whose requests are left to the application.
  var namespaces: Set<String> = []
  /// The number of ids used so far.
  private var requests = 0

  /// A connection that has not been made yet.
  package init(_ login: ClientLogin) {
    self.login = login
  }

  /// What is needed to resume the session on another connection; nil if it cannot be resumed.
  package var resumption: Resumption? { state.ending.resumption }

  /// Whether commands can be sent.
  package var isOnline: Bool { if case .online = state { true } else { false } }

  /// Whether there is a session, or there was one before the end.
  var hadSession: Bool { state.ending.hadSession }

  /// Whether the connection ended without a session. The server then spoke out of turn, or someone
  /// else did in its place, so that its last words mean nothing.
  package var hasFailed: Bool { state.end != nil && !hadSession }

  /// Whether the server has accepted the login.
  package var wasLetIn: Bool { state.ending.wasLetIn }

  /// Whether the connection is over.
  package var isOver: Bool { if case .over = state { true } else { false } }

  // MARK: The state

  /// Changes the state.
  mutating func enter(_ next: State) {
    state = next
  }

  /// Stores a changed session in the state.
  mutating func enter(with session: Session) {
    switch state {
    case .boundFeatures: enter(.boundFeatures(session))
    case .legacySession(let features, let id, _):
      enter(.legacySession(features, id: id, session))
    case .online: enter(.online(session))
    case .idle, .handshake, .header, .features, .startTLS, .registrationForm, .registration, .sasl,
      .sasl2, .resuming, .binding, .closing, .over:
      break
    }
  }

  // MARK: The connection

  /// The connection was made. With direct TLS, TLS begins first (XEP-0368).
  package mutating func connected(to address: String, isDirectTLS: Bool) -> ClientResult {
    guard case .idle = state else { return .ignored(state.end ?? .outOfTurn) }
    let note = ClientAction.note(.connected(to: address))
    guard isDirectTLS else { return .actions([note] + header(.plain)) }
    enter(.handshake)
    return .actions([note, .startTLS])
  }

  /// TLS has begun, and the certificate was accepted.
  ///
  /// - Parameters:
  ///   - version: The version of TLS, such as `TLSv1.3`.
  ///   - serverEndPoint: The hash of the certificate for `tls-server-end-point` (RFC 5929 §4.1).
  package mutating func secured(by version: String?, serverEndPoint: [UInt8]?) -> ClientResult {
    guard case .handshake = state else { return .ignored(state.end ?? .outOfTurn) }
    return .actions(
      [.note(.secured(tls: version))] + header(.secured(serverEndPoint: serverEndPoint)))
  }

  /// The connection failed or was closed, or TLS could not begin on it.
  package mutating func disconnected(_ failure: LiveFailure) -> ClientResult {
    switch state {
    case .over: return .ignored(.over)
    case .closing: return .actions(finish(nil))
    case .header(.plain):
      guard case .lost(let reason) = failure else { return .actions(finish(failure)) }
      return .actions(finish(.noHeader(reason: reason)))
    case .idle, .handshake, .header(.secured), .header(.authenticated), .features, .startTLS,
      .registrationForm, .registration, .sasl, .sasl2, .boundFeatures, .resuming, .binding,
      .legacySession, .online:
      return .actions(finish(failure))
    }
  }

  // MARK: The stream

  /// A part of the server's stream arrived.
  package mutating func received(_ part: StreamIntake.Part) -> ClientResult {
    if case .over = state { return .ignored(.over) }
    if case .closing = state { return receivedWhileClosing(part) }
    if var session = state.session, session.isPinged {
      session.isPinged = false
      enter(with: session)
    }
    switch part {
    case .header(let tag): return headerReceived(tag.node)
    case .element(let element): return elementReceived(element.node)
    case .end: return .actions(streamEnded())
    case .unreadable(let bytes, let reason):
      if case .header(.plain) = state, bytes.beginWithTLS {
        return .actions(finish(.startedWithoutTLS))
      }
      return violation(.unreadable(reason: reason), "not-well-formed")
    case .skipped(let element): return elementSkipped(element)
    }
  }

  /// An element beyond a limit arrived, which is skipped if the login was accepted.
  private mutating func elementSkipped(_ element: SkippedElement) -> ClientResult {
    guard wasLetIn else {
      return violation(.unreadable(reason: element.reason), "policy-violation")
    }
    if element.isStanza, var session = state.session {
      session.received()
      enter(with: session)
    }
    return .ignored(.tooLarge)
  }

  /// Unencrypted bytes arrived after the element that begins TLS (RFC 6120 §5.4.3.3).
  package mutating func injected() -> ClientResult {
    if case .over = state { return .ignored(.over) }
    return .violation(.injectedBytes, finish(.injectedBytes))
  }

  private mutating func headerReceived(_ header: XMPPElement) -> ClientResult {
    guard case .header(let trust) = state else {
      return violation("a stream header within a stream")
    }
    guard header.attribute("version")?.hasPrefix("1.") == true else {
      return violation(
        .protocolViolation("its stream is not of version 1.0"), "unsupported-version")
    }
    enter(.features(trust))
    return .actions([])
  }

  /// After our end of the stream nothing more is sent (RFC 6120 §4.4), whatever still arrives.
  private mutating func receivedWhileClosing(_ part: StreamIntake.Part) -> ClientResult {
    switch part {
    case .end: return .actions(finish(nil))
    case .unreadable(_, let reason):
      let failure = LiveFailure.unreadable(reason: reason)
      return .violation(failure, finish(failure))
    case .element(let element) where element.node.is("error", in: Namespace.streams):
      let (condition, text) = element.node.condition(in: Namespace.streamErrors)
      return .actions(finish(.stream(condition: condition, text: text)))
    case .header, .element, .skipped: return .ignored(.closing)
    }
  }

  private mutating func streamEnded() -> [ClientAction] {
    let end = ClientAction.send(Array("</stream:stream>".utf8))
    return [end] + finish(.lost(reason: "the server ended the stream"))
  }

  private mutating func elementReceived(_ node: XMPPElement) -> ClientResult {
    if node.is("error", in: Namespace.streams) { return .actions(streamError(node)) }
    switch state {
    case .idle, .handshake: return violation("an element outside a stream")
    case .header: return violation("an element before the stream's header")
    case .features(let trust):
      guard node.is("features", in: Namespace.streams) else {
        return violation("<\(node.name.local)/> instead of the stream's features")
      }
      return featuresReceived(node, trust)
    case .startTLS: return startTLSAnswered(node)
    case .registrationForm(let registration): return registrationFormReceived(node, registration)
    case .registration(let registration): return registrationAnswered(node, registration)
    case .sasl(let exchange): return saslReceived(node, exchange)
    case .sasl2(let exchange): return sasl2Received(node, exchange)
    case .boundFeatures(let session):
      guard node.is("features", in: Namespace.streams) else {
        return stanzaReceived(node, session)
      }
      return .actions(online(session))
    case .resuming(let features): return resumeAnswered(node, features)
    case .binding(let features, let id): return bindAnswered(node, features, id)
    case .legacySession(let features, let id, let session):
      return legacySessionAnswered(node, features, id, session)
    case .online(let session): return stanzaReceived(node, session)
    case .closing: return .ignored(.closing)
    case .over: return .ignored(.over)
    }
  }

  /// RFC 6120 §4.9: the stream ends with an error.
  private mutating func streamError(_ node: XMPPElement) -> [ClientAction] {
    let (condition, text) = node.condition(in: Namespace.streamErrors)
    let end = ClientAction.send(Array("</stream:stream>".utf8))
    return [end] + finish(.stream(condition: condition, text: text))
  }

  // MARK: Time

  /// What was waited for has not arrived in time.
  package mutating func timedOut() -> ClientResult {
    switch state {
    case .over: return .ignored(.over)
    case .closing: return .actions(finish(nil))
    case .online: return .actions(finish(.lost(reason: "the server is silent")))
    case .idle, .handshake, .header, .features, .startTLS, .registrationForm, .registration, .sasl,
      .sasl2, .boundFeatures, .resuming, .binding, .legacySession:
      return .actions(finish(.timeout(state.waitsFor)))
    }
  }

  /// Nothing has arrived for a while. The first time, the server is asked whether it is there; if
  /// nothing has arrived by the next time either, the connection counts as lost.
  package mutating func silenceElapsed() -> ClientResult {
    guard case .online(var session) = state else { return .ignored(state.end ?? .outOfTurn) }
    guard !session.isPinged else { return timedOut() }
    session.isPinged = true
    enter(.online(session))
    if case .on = session.counting { return .actions([send(.askForAcknowledgement)]) }
    return ping(.silence).result
  }

  // MARK: The end

  /// The user ends the session.
  package mutating func closed() -> ClientResult {
    switch state {
    case .over: return .ignored(.over)
    case .closing: return .ignored(.closing)
    case .idle, .handshake: return .actions(finish(nil))
    case .header, .features, .startTLS, .registrationForm, .registration, .sasl, .sasl2,
      .boundFeatures, .resuming, .binding, .legacySession, .online:
      let refusals = refuse { _ in true }
      guard state.end == nil else { return .actions(refusals) }
      // A session that was ended in order cannot be resumed (XEP-0198 §5).
      var ending = state.ending
      ending.resumption = nil
      enter(.closing(ending))
      return .actions(refusals + [.send(Array("</stream:stream>".utf8))])
    }
  }

  mutating func finish(_ failure: LiveFailure?) -> [ClientAction] {
    enter(.over(state.ending))
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

  mutating func violation(_ what: String) -> ClientResult {
    violation(.protocolViolation(what), "policy-violation")
  }

  private mutating func violation(
    _ failure: LiveFailure, _ condition: StaticString
  ) -> ClientResult {
    .violation(failure, breakOff(failure, condition))
  }

  // MARK: Sending

  func send(_ element: XMPPElement) -> ClientAction { .send(element.serialized()) }

  /// An id that no open request has: an application may choose any id.
  mutating func nextID() -> String {
    let open = state.session?.open
    var id: String
    repeat {
      requests += 1
      id = "\(login.idPrefix)\(requests)"
    } while open?[id] != nil
    return id
  }

  /// The header of a new stream. It does not name the account as long as anyone can read it (RFC
  /// 6120 §4.7.1).
  mutating func header(_ trust: Trust) -> [ClientAction] {
    enter(.header(trust))
    let from = trust == .plain ? "" : " from='\(login.account.text.escapedInAttribute)'"
    let header = """
      <?xml version='1.0'?><stream:stream\(from) to='\(login.account.domain.escapedInAttribute)' \
      version='1.0' xml:lang='en' xmlns='jabber:client' xmlns:stream='\(Namespace.streams)'>
      """
    return [.send(Array(header.utf8))]
  }
}

extension [UInt8] {
  /// Whether they begin like a record of TLS: an alert or a handshake, of major version 3 (RFC 8446
  /// §5.1). XML never begins so.
  package var beginWithTLS: Bool {
    guard let type = first else { return false }
    return [0x15, 0x16].contains(type) && (count < 2 || self[1] == 3)
  }
}

extension String {
  /// The text, escaped for an attribute of XML.
  fileprivate var escapedInAttribute: String {
    var bytes: [UInt8] = []
    bytes.appendEscaped(self, inAttribute: true)
    return String(decoding: bytes, as: UTF8.self).replacing("'", with: "&apos;")
  }
}
