package import Rollcall
package import RosterClient

/// Why a proxied connection is over.
package enum ProxyFailure: Error, Hashable, Sendable {
  /// The client did not name a domain: neither in its stream header nor, with direct TLS, before
  /// it.
  case noDomain
  /// The client named something that is not a server's domain: it has a local part or a resource,
  /// or cannot be prepared (RFC 7622 §3).
  case notADomain(String)
  /// The client speaks another protocol, such as WebSocket or BOSH.
  case notXMPP
  /// The server cannot be reached.
  case unreachable(domain: String, reason: String)
  /// The server's certificate is not valid, not the domain's, or not from a trusted authority.
  case certificate(CertificateFault)
  /// TLS could not begin on one side, or broke off, for another reason.
  case handshake(ProxySide, HandshakeFault)
  /// The server expects TLS from the first byte (XEP-0368), and the client began without it.
  case startedWithoutTLS
  /// The connection to the server was lost before its stream header. The port may expect TLS from
  /// the first byte (XEP-0368).
  case noHeader(reason: String?)
  /// Unencrypted bytes arrived where TLS was to begin: someone may be tampering with the connection
  /// (RFC 6120 §5.4.3.3).
  case injectedBytes(ProxySide)
  /// The stream in TLS is for another domain than the one that the certificate was checked for.
  case otherDomain(String, checked: String)
  /// The client was about to send its password in plain text.
  case plain
  /// The client was about to send its password, or another credential, without TLS to a server
  /// whose certificate was checked.
  case plainToUnverified
  /// A client on another machine does not use TLS.
  case clientWithoutTLS
  /// The connection to the server at this address came back to the proxy.
  case ledToItself(String)
  /// The data before the login cannot be read.
  case unreadable(ProxySide, reason: String)
  /// The client did not log in in time.
  case timeout
  /// A side sent more than anyone needs before the login.
  case tooMuch(ProxySide)
  /// The proxy cannot log in in the client's place, with the reason.
  case login(String)
  /// A connection failed.
  case lost(ProxySide, reason: String)
  /// The traffic cannot be recorded, so it is not passed on.
  case recording(RollcallError)
  /// The proxy was stopped.
  case stopped
}

extension ProxyFailure: CustomStringConvertible {
  /// A sentence for a person, without a period.
  package var description: String {
    switch self {
    case .noDomain: "the client did not say which domain it wants to connect to"
    case .notADomain(let text): "the client asked for “\(text)”, which is not a domain"
    case .notXMPP:
      "the client speaks neither XMPP nor TLS (WebSocket and BOSH are not supported)"
    case .unreachable(let domain, let reason):
      "the server of \(domain) cannot be reached: \(reason)"
    case .certificate(let fault): "the server's certificate \(fault)"
    case .handshake(.client, let fault): Self.clientsHandshake(fault)
    case .handshake(.server, .notTLS):
      HandshakeFault.notTLS.sentence(about: "server")
        + ": if its port expects STARTTLS, set the client to STARTTLS"
    case .handshake(.server, let fault): fault.sentence(about: "server")
    case .startedWithoutTLS:
      "the server expects TLS from the first byte: set the client to direct TLS"
    case .noHeader(let reason):
      "the connection to the server was lost before its stream header"
        + (reason.map { " (\($0))" } ?? "")
        + ": if its port expects TLS from the first byte, set the client to direct TLS"
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
    case .unreadable(let side, let reason): "the data from the \(side) cannot be read: \(reason)"
    case .timeout: "the client did not log in in time"
    case .tooMuch(let side): "the \(side) sent too much before the login"
    case .login(let reason): "the proxy cannot log in on the client's behalf: \(reason)"
    case .lost(let side, let reason): "the connection to the \(side) was lost: \(reason)"
    case .recording(let error): "the connection cannot be recorded: \(error)"
    case .stopped: "the proxy was stopped"
    }
  }

  private static func clientsHandshake(_ fault: HandshakeFault) -> String {
    switch fault {
    case .alert(let name?) where fault.isDistrust:
      "the client broke off TLS (\(name)): it does not trust the authority of this proxy"
    case .alert(nil), .closed:
      "the client broke off TLS, probably because it does not trust the authority of this proxy"
    case .alert, .notTLS, .nothingInCommon, .failed: fault.sentence(about: "client")
    }
  }

  /// Whether the client does not trust, or probably does not trust, the proxy's authority.
  package var isClientsDistrust: Bool {
    switch self {
    case .handshake(.client, .alert(nil)), .handshake(.client, .closed): true
    case .handshake(.client, let fault): fault.isDistrust
    case .noDomain, .notADomain, .notXMPP, .unreachable, .certificate, .handshake,
      .startedWithoutTLS, .noHeader, .injectedBytes, .otherDomain, .plain, .plainToUnverified,
      .clientWithoutTLS, .ledToItself, .unreadable, .timeout, .tooMuch, .login, .lost, .recording,
      .stopped:
      false
    }
  }
}
