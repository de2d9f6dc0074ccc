public import Rollcall

/// Why a client cannot log in, or is no longer logged in.
public enum LiveFailure: Error, Hashable, Sendable {
  /// No server of the domain can be found.
  case resolving(ResolvingFailure)
  /// No connection to any of the servers could be made; why of the last that was tried.
  case unreachable(ServerAddress, reason: String)
  /// The server offers no TLS, and nothing is said to it without.
  case encryptionNotOffered
  /// Bytes came before TLS began that were to be read after it: somebody stands in between (RFC
  /// 6120 §5.4.3.3).
  case injectedBytes
  /// The certificate is not one that may be trusted, or not the domain's.
  case certificate(reason: String)
  /// The file of roots that are to be trusted cannot be used.
  case authority(path: String, reason: String)
  /// TLS could not begin for another reason.
  case handshake(reason: String)
  /// Logging in was broken off by us: the server offers nothing usable, or did not prove who it is.
  case sasl(SASLFailure)
  /// The server does not let us in: the condition (RFC 6120 §6.5), such as `not-authorized`, and
  /// its own words.
  case notAuthorized(condition: String, text: String?)
  /// The server does not bind a resource (RFC 6120 §7.7).
  case bindRefused(condition: String, text: String?)
  /// The server makes no accounts (XEP-0077).
  case registrationNotOffered
  /// The account was not made, or not changed: `conflict` where the name is taken.
  case registrationRefused(condition: String, text: String?)
  /// The server wants more for an account than a name and a password: the names of the fields, or
  /// what it says itself.
  case registrationNeedsMore([String])
  /// The server ended the stream with an error (RFC 6120 §4.9.3).
  case stream(condition: String, text: String?)
  /// The server does what it may not, in a clause.
  case protocolViolation(String)
  /// What the server sends cannot be read.
  case unreadable(reason: String)
  /// So many of our stanzas are unacknowledged (XEP-0198), more than are kept to be sent again: the
  /// server does not acknowledge them, or too many were sent at once.
  case unacknowledged(Int)
  /// Nothing came in time, while this was waited for.
  case timeout(String)
  /// The connection is gone.
  case lost(reason: String)
  /// It cannot be recorded, and what cannot be recorded is not done.
  case recording(RollcallError)
  /// The server has not answered the last request for another password yet, or its answer was lost
  /// and no login has shown yet which password counts.
  case passwordChangePending
  /// There is no session now.
  case notOnline
  /// The task that waited was cancelled.
  case cancelled
  /// The session has been started already.
  case alreadyStarted
  /// The session was closed, or has ended for a reason that is final. Make another one.
  case over

  /// The failure without counts and free text, which differ from time to time, if it is about what
  /// was said on the stream, and not about the network or the server's state: what ends one session
  /// so is likely to end the next one.
  var kindOfStream: LiveFailure? {
    switch self {
    case .stream(let condition, _):
      isFinal || ["undefined-condition", "internal-server-error"].contains(condition)
        ? .stream(condition: condition, text: nil) : nil
    case .protocolViolation: .protocolViolation("")
    case .unreadable: .unreadable(reason: "")
    case .unacknowledged: .unacknowledged(0)
    case .resolving, .unreachable, .encryptionNotOffered, .injectedBytes, .certificate, .authority,
      .handshake, .sasl, .notAuthorized, .bindRefused, .registrationNotOffered,
      .registrationRefused, .registrationNeedsMore, .timeout, .lost, .recording,
      .passwordChangePending, .notOnline, .cancelled, .alreadyStarted, .over:
      nil
    }
  }

  /// Whether to try again makes no sense: it would end in the same way, or do harm. A session also
  /// ends after three logins in a row that ended with the same failure of the stream.
  public var isFinal: Bool {
    switch self {
    case .resolving(let failure): failure.isFinal
    case .stream(let condition, _):
      // What another try may find changed: a server that restarts, or is full for a while.
      ![
        "system-shutdown", "internal-server-error", "connection-timeout", "resource-constraint",
        "remote-connection-failed", "reset", "undefined-condition",
      ].contains(condition)
    case .notAuthorized(let condition, _): condition != "temporary-auth-failure"
    case .bindRefused(let condition, _): condition != "resource-constraint"
    case .unreachable, .timeout, .lost, .handshake, .unreadable, .unacknowledged,
      .passwordChangePending, .notOnline, .cancelled, .alreadyStarted:
      false
    case .encryptionNotOffered, .injectedBytes, .certificate, .authority, .sasl,
      .registrationNotOffered,
      .registrationRefused, .registrationNeedsMore, .protocolViolation, .recording, .over:
      true
    }
  }
}

extension LiveFailure: CustomStringConvertible {
  /// A sentence for a person, without its full stop.
  public var description: String {
    switch self {
    case .resolving(let failure): "\(failure)"
    case .unreachable(let address, let reason): "\(address) cannot be reached: \(reason)"
    case .encryptionNotOffered:
      "the server offers no TLS, and without it nothing is sent that it should not read"
    case .injectedBytes:
      "bytes came before TLS began that it was to protect: somebody stands in between"
    case .certificate(let reason): "the server's certificate is not to be trusted: \(reason)"
    case .authority(let path, let reason): "\(path) holds no roots to be trusted: \(reason)"
    case .handshake(let reason): "TLS cannot begin: \(reason)"
    case .sasl(let failure): "\(failure)"
    case .notAuthorized("not-authorized", let text):
      "the server refuses the name or the password" + Self.words(text)
    case .notAuthorized(let condition, let text):
      "the server does not let us in (\(condition))" + Self.words(text)
    case .bindRefused(let condition, let text):
      "the server binds no resource (\(condition))" + Self.words(text)
    case .registrationNotOffered: "the server makes no accounts (XEP-0077)"
    case .registrationRefused("conflict", let text):
      "the name is taken" + Self.words(text)
    case .registrationRefused(let condition, let text):
      "the server refuses the account (\(condition))" + Self.words(text)
    case .registrationNeedsMore(let fields):
      "the server wants more than a name and a password: " + fields.joined(separator: ", ")
    case .stream(let condition, let text):
      "the server ended the stream (\(condition))" + Self.words(text)
    case .protocolViolation(let what): "the server breaks the protocol: \(what)"
    case .unreadable(let reason): "what the server sends cannot be read: \(reason)"
    case .unacknowledged(let count):
      "\(count) stanzas that were sent are unacknowledged (XEP-0198), more than can be kept"
    case .timeout(let what): "nothing came in time, while \(what) was waited for"
    case .lost(let reason): "the connection is gone: \(reason)"
    case .recording(let error): "it cannot be recorded: \(error)"
    case .passwordChangePending:
      "the server has not answered the last request for another password"
    case .notOnline: "there is no session now"
    case .cancelled: "the task that waited was cancelled"
    case .alreadyStarted: "the session has been started already"
    case .over: "the session is over: make another one"
    }
  }

  private static func words(_ text: String?) -> String { text.map { ": “\($0)”" } ?? "" }
}
