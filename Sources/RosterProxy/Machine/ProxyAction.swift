package import Captures
package import Rollcall
package import RosterClient

/// One end of what a proxy stands between.
package enum ProxySide: Hashable, Sendable, CaseIterable {
  case client, server

  package var other: ProxySide { self == .client ? .server : .client }

  /// The direction, seen from the client, of what this side says.
  package var direction: Direction { self == .client ? .outbound : .inbound }
}

/// What is to be done by who holds the two connections, in the order in which it is given.
package enum ProxyAction: Hashable, Sendable {
  /// Make the connection to the server of this domain.
  case connect(domain: String)
  /// Write these bytes.
  case send(to: ProxySide, [UInt8])
  /// Record what this side said.
  case record(StreamIntake.Part, from: ProxySide)
  /// Record what became of the connection to the server.
  case note(Lifecycle)
  /// What is read from this side and written to it from now on is in TLS: to the server as a
  /// client that wants the domain's certificate, to the client with one for the domain.
  case beginTLS(on: ProxySide, domain: String)
  /// Make the keys of a login, on another thread, and say so by `derived`.
  case derive(SCRAMDerivation)
  /// Close both connections once everything is written; nil where both sides are done with it.
  case finish(ProxyFailure?)
}

/// Why a proxied connection is over.
package enum ProxyFailure: Error, Hashable, Sendable {
  /// The client says not what domain it wants: neither in its stream header nor, with direct TLS,
  /// before it.
  case noDomain
  /// The client wants what can be no server's domain: it has a local part or a resource, or cannot
  /// be prepared (RFC 7622 §3).
  case notADomain(String)
  /// The client speaks something else: WebSocket, BOSH.
  case notXMPP
  /// The server cannot be reached.
  case unreachable(domain: String, reason: String)
  /// TLS could not begin on one side, for example by the certificate.
  case tls(ProxySide, reason: String)
  /// Bytes came that were to be read only after TLS began: somebody stands in between (RFC 6120
  /// §5.4.3.3).
  case injectedBytes(ProxySide)
  /// The stream in TLS is for another domain than the certificate was checked for.
  case otherDomain(String, checked: String)
  /// The client was about to send its password as it is.
  case plain
  /// The client was about to send its password, or what else lets one log in, without TLS to a
  /// server whose certificate was checked.
  case plainToUnverified
  /// A client on another machine does not use TLS.
  case clientWithoutTLS
  /// The connection to the server at this address came back to the proxy.
  case ledToItself(String)
  /// What came before the client was let in cannot be read.
  case unreadable(ProxySide, reason: String)
  /// The client has not been let in in time.
  case timeout
  /// Somebody says more than anybody needs before the client is let in.
  case tooMuch(ProxySide)
  /// The proxy cannot log in in the client's place, and why.
  case login(String)
  /// A connection failed.
  case lost(ProxySide, reason: String)
  /// What cannot be recorded is not passed on.
  case recording(RollcallError)
  /// The proxy is ended.
  case stopped
}

extension ProxyFailure: CustomStringConvertible {
  /// A sentence for a person, without its full stop.
  package var description: String {
    switch self {
    case .noDomain: "the client did not say which domain it wants to connect to"
    case .notADomain(let text): "the client asked for “\(text)”, which is not a domain"
    case .notXMPP:
      "the client speaks neither XMPP nor TLS (WebSocket and BOSH are not supported)"
    case .unreachable(let domain, let reason):
      "the server of \(domain) cannot be reached: \(reason)"
    case .tls(let side, let reason): "the TLS handshake with the \(side) failed: \(reason)"
    case .injectedBytes(let side):
      "the \(side) sent unencrypted bytes where TLS was to begin: someone may be tampering with "
        + "the connection"
    case .otherDomain(let domain, let checked):
      "the client opened a stream to \(domain), but the certificate was checked for \(checked)"
    case .plain: "the client tried to send its password in plain text, which is not allowed"
    case .plainToUnverified:
      "the client tried to send its password without TLS to a verified server, which is never "
        + "allowed: set it to use TLS"
    case .clientWithoutTLS:
      "the client does not use TLS, and only a client on a loopback address may connect without it"
    case .ledToItself(let address):
      "\(address) leads back to this proxy: name the real server with --upstream HOST[:PORT]"
    case .unreadable(let side, let reason): "what the \(side) sends cannot be read: \(reason)"
    case .timeout: "the client did not log in in time"
    case .tooMuch(let side): "the \(side) sent too much before the login"
    case .login(let reason): "the proxy cannot log in on the client's behalf: \(reason)"
    case .lost(let side, let reason): "the connection to the \(side) was lost: \(reason)"
    case .recording(let error): "the connection cannot be recorded: \(error)"
    case .stopped: "the proxy was stopped"
    }
  }
}
