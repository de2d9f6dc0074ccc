package import Rollcall
package import RosterClient
import XMPPStanza
import XMPPStream

// The end of a connection: who ended it, and what the other side is told.
extension ProxyMachine {
  /// TLS cannot begin, or the connection fails later.
  package mutating func failed(_ side: ProxySide, _ failure: LiveFailure) -> [ProxyAction] {
    switch state {
    case .over: return []
    case .securingServer(let answer):
      // The client still waits for permission to begin (RFC 6120 §5.4.2.2).
      let refusal = "<failure xmlns='\(Namespace.tls)'/></stream:stream>"
      let word = answer.isEmpty ? [] : [ProxyAction.send(to: .client, Array(refusal.utf8))]
      return word + finish(Self.failure(of: side, failure, isBeginningTLS: side == .server))
    case .securingClient:
      return finish(Self.failure(of: side, failure, isBeginningTLS: side == .client))
    case .secured where isSilentInTLS(side):
      return finish(Self.failure(of: side, failure, isBeginningTLS: true))
    case .plain where isSilentServer(side): return finish(.noHeader(reason: failure.clause))
    case .idle, .connecting, .plain, .startTLSAsked, .secured, .authenticated:
      return end(by: firstEnd ?? .failed(.lost(side, reason: failure.clause)))
    }
  }

  /// One side has closed its connection: what it sent is passed on, and both are done.
  package mutating func ended(_ side: ProxySide) -> [ProxyAction] {
    switch state {
    case .over: return []
    case .securingServer:
      return side == .server ? finish(.handshake(.server, .closed)) : end(by: .dropped(.client))
    case .securingClient:
      return side == .client ? finish(.handshake(.client, .closed)) : end(by: .dropped(.server))
    case .secured where isSilentInTLS(side): return finish(.handshake(side, .closed))
    case .plain where isSilentServer(side): return finish(.noHeader(reason: nil))
    case .idle, .connecting, .plain, .startTLSAsked, .secured, .authenticated:
      return end(by: firstEnd ?? .dropped(side))
    }
  }

  /// Whether this is the client, and it has not begun a stream in TLS: clients that check the
  /// proxy's certificate only after the handshake give up then.
  private func isSilentInTLS(_ side: ProxySide) -> Bool {
    side == .client && isOpen[.server] == nil
  }

  /// Whether this is the server, and it has not begun a stream.
  private func isSilentServer(_ side: ProxySide) -> Bool {
    side == .server && isOpen[.client] == nil
  }

  /// - Parameter isBeginningTLS: Whether this side's handshake is, or was just, under way.
  private static func failure(
    of side: ProxySide, _ failure: LiveFailure, isBeginningTLS: Bool
  ) -> ProxyFailure {
    switch failure {
    case .lost(let reason) where !isBeginningTLS: .lost(side, reason: reason)
    case .certificate(let fault): .certificate(fault)
    case .handshake(let fault): .handshake(side, fault)
    // The connection was reset.
    case .lost: .handshake(side, .closed)
    case .resolving, .unreachable, .encryptionNotOffered, .injectedBytes, .authority,
      .startedWithoutTLS, .noHeader, .sasl, .notAuthorized, .bindRefused, .registrationNotOffered,
      .registrationRefused, .registrationNeedsMore, .stream, .protocolViolation, .unreadable,
      .unacknowledged, .timeout, .recording, .passwordChangePending, .notOnline, .suspended,
      .cancelled,
      .alreadyStarted, .over:
      .lost(side, reason: failure.description)
    }
  }

  /// The client has not logged in in time.
  package mutating func timedOut() -> [ProxyAction] {
    switch state {
    case .over, .authenticated: return []
    case .idle, .connecting, .plain, .startTLSAsked, .securingServer, .securingClient, .secured:
      return breakOff(.timeout, "connection-timeout")
    }
  }

  /// The traffic cannot be recorded.
  package mutating func unrecorded(_ error: RollcallError) -> [ProxyAction] {
    breakOff(.recording(error), "internal-server-error")
  }

  /// The proxy is being stopped.
  package mutating func stopped() -> [ProxyAction] { breakOff(.stopped, "system-shutdown") }

  mutating func finish(_ failure: ProxyFailure) -> [ProxyAction] { end(by: .failed(failure)) }

  private mutating func end(by cause: ProxyEnd.Cause) -> [ProxyAction] {
    guard state != .over else { return [] }
    state = .over
    return [.finish(ProxyEnd(cause, afterRefusal: refusal))]
  }

  /// Ends the open streams, towards the client with an error that says why (RFC 6120 §4.9.3). Only
  /// whole elements are passed on, so both streams can be ended at any time.
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

  /// A stream header of the proxy's own, if the client has no stream yet for an error.
  mutating func greeting(from domain: String?) -> [ProxyAction] {
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
