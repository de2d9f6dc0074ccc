public import Rollcall

/// Why a client cannot log in, or is no longer logged in.
public enum LiveFailure: Error, Hashable, Sendable {
  /// No server of the domain can be found.
  case resolving(ResolvingFailure)
  /// None of the servers can be connected to. With the last one that was tried, and the reason.
  case unreachable(ServerAddress, reason: String)
  /// The server offers no TLS, without which nothing is sent to it.
  case encryptionNotOffered
  /// Unencrypted bytes arrived where TLS was to begin: someone may be tampering with the connection
  /// (RFC 6120 §5.4.3.3).
  case injectedBytes
  /// The server's certificate is not valid, not the domain's, or not from a trusted authority.
  case certificate(CertificateFault)
  /// The file of certificates to trust cannot be used.
  case authority(path: String, reason: String)
  /// TLS could not begin, or broke off, for another reason.
  case handshake(HandshakeFault)
  /// The server expects TLS from the first byte (XEP-0368), and the connection began without it.
  case startedWithoutTLS
  /// The connection, which began without TLS, was lost before the server's stream header. The port
  /// may expect TLS from the first byte (XEP-0368).
  case noHeader(reason: String)
  /// The client gave up the login: the server offers nothing usable, or did not prove who it is.
  case sasl(SASLFailure)
  /// The server refused the login, with a condition such as `not-authorized` (RFC 6120 §6.5) and
  /// its own text.
  case notAuthorized(condition: String, text: String?)
  /// The server refused to bind a resource (RFC 6120 §7.7).
  case bindRefused(condition: String, text: String?)
  /// The server does not let clients create accounts (XEP-0077).
  case registrationNotOffered
  /// The account was not created or changed; `conflict` if the name is taken.
  case registrationRefused(condition: String, text: String?)
  /// The server requires more for an account than a name and a password: the names of the fields,
  /// or its instructions.
  case registrationNeedsMore([String])
  /// The server ended the stream with an error (RFC 6120 §4.9.3).
  case stream(condition: String, text: String?)
  /// The server violated the protocol. A clause says how.
  case protocolViolation(String)
  /// The data from the server cannot be read.
  case unreadable(reason: String)
  /// The number of our stanzas that the server has not acknowledged (XEP-0198), which is more than
  /// are kept to be sent again: it does not acknowledge them, or too many were sent at once.
  case unacknowledged(Int)
  /// An answer did not arrive in time. The text names what was waited for.
  case timeout(String)
  /// The connection was lost.
  case lost(reason: String)
  /// The traffic cannot be recorded, so the session does not go on.
  case recording(RollcallError)
  /// The server has not answered the last request for another password yet, or its answer was lost
  /// and no login has shown yet which password counts.
  case passwordChangePending
  /// There is no session.
  case notOnline
  /// The session was suspended, and `resume` continues it.
  case suspended
  /// The task that waited was cancelled.
  case cancelled
  /// The session was already started.
  case alreadyStarted
  /// The session was closed, or ended for a reason that is final. Create another one.
  case over

  /// The failure without counts and free text, which can differ each time; nil if the reason is the
  /// network or the state of the server.
  ///
  /// A failure that is not nil is likely to end the next session in the same way.
  var kindOfStream: LiveFailure? {
    switch self {
    case .stream(let condition, _):
      isFinal || ["undefined-condition", "internal-server-error"].contains(condition)
        ? .stream(condition: condition, text: nil) : nil
    case .protocolViolation: .protocolViolation("")
    case .unreadable: .unreadable(reason: "")
    case .unacknowledged: .unacknowledged(0)
    case .resolving, .unreachable, .encryptionNotOffered, .injectedBytes, .certificate, .authority,
      .handshake, .startedWithoutTLS, .noHeader, .sasl, .notAuthorized, .bindRefused,
      .registrationNotOffered, .registrationRefused, .registrationNeedsMore, .timeout, .lost,
      .recording, .passwordChangePending, .notOnline, .suspended, .cancelled, .alreadyStarted,
      .over:
      nil
    }
  }

  /// Whether another attempt is pointless or harmful, because it would end in the same way. A
  /// session also ends after three logins in a row that ended with the same failure of the stream.
  public var isFinal: Bool {
    switch self {
    case .resolving(let failure): failure.isFinal
    case .stream(let condition, _):
      // These may be over at the next attempt: the server restarts, or is full for a while.
      ![
        "system-shutdown", "internal-server-error", "connection-timeout", "resource-constraint",
        "remote-connection-failed", "reset", "undefined-condition",
      ].contains(condition)
    case .notAuthorized(let condition, _): condition != "temporary-auth-failure"
    case .bindRefused(let condition, _): condition != "resource-constraint"
    case .unreachable, .timeout, .lost, .noHeader, .handshake, .unreadable, .unacknowledged,
      .passwordChangePending, .notOnline, .suspended, .cancelled, .alreadyStarted:
      false
    case .encryptionNotOffered, .injectedBytes, .certificate, .authority, .startedWithoutTLS, .sasl,
      .registrationNotOffered, .registrationRefused, .registrationNeedsMore, .protocolViolation,
      .recording, .over:
      true
    }
  }
}

extension LiveFailure: CustomStringConvertible {
  /// A sentence for a person, without a period. Texts of the server are quoted in it as they are.
  public var description: String {
    switch self {
    case .resolving(let failure): "\(failure)"
    case .unreachable(let address, let reason): "\(address) cannot be reached: \(reason)"
    case .encryptionNotOffered:
      "the server offers no TLS, and without TLS nothing is sent to it"
    case .injectedBytes:
      "the server sent unencrypted bytes where TLS was to begin: someone may be tampering with the "
        + "connection"
    case .certificate(let fault): "the server's certificate \(fault)"
    case .authority(let path, let reason): "no authority can be read from \(path): \(reason)"
    case .handshake(let fault): fault.sentence(about: "server")
    case .startedWithoutTLS:
      "the server expects TLS from the first byte (XEP-0368), and the connection began without it"
    case .noHeader(let reason):
      "the connection was lost before the server's stream header (\(reason)): the port may expect "
        + "TLS from the first byte (XEP-0368)"
    case .sasl(let failure): "\(failure)"
    case .notAuthorized("not-authorized", let text):
      "the server refuses the name or the password" + Self.words(text)
    case .notAuthorized(let condition, let text):
      "the server refuses the login (\(condition))" + Self.words(text)
    case .bindRefused(let condition, let text):
      "the server refuses to bind a resource (\(condition))" + Self.words(text)
    case .registrationNotOffered: "the server does not let clients create accounts (XEP-0077)"
    case .registrationRefused("conflict", let text):
      "the name is taken" + Self.words(text)
    case .registrationRefused(let condition, let text):
      "the server refuses the account (\(condition))" + Self.words(text)
    case .registrationNeedsMore(let fields):
      "the server requires more than a name and a password: " + fields.joined(separator: ", ")
    case .stream(let condition, let text):
      "the server ended the stream (\(condition))" + Self.words(text)
    case .protocolViolation(let what): "the server violated the protocol: \(what)"
    case .unreadable(let reason): "the data from the server cannot be read: \(reason)"
    case .unacknowledged(let count):
      "the server has not acknowledged \(count) stanzas (XEP-0198), more than can be kept"
    case .timeout(let what): "no answer in time: waited for \(what)"
    case .lost(let reason): "the connection was lost: \(reason)"
    case .recording(let error): "the session cannot be recorded: \(error)"
    case .passwordChangePending:
      "the server has not answered the last request for another password"
    case .notOnline: "there is no session"
    case .suspended: "the session is suspended"
    case .cancelled: "the task that waited was cancelled"
    case .alreadyStarted: "the session was already started"
    case .over: "the session is over: create another one"
    }
  }

  private static func words(_ text: String?) -> String { text.map { ": “\($0)”" } ?? "" }
}
