import Rollcall
import RollcallCLI
import RosterClient

extension LoginOptions {
  /// The error of a session that did not start or was lost, with the option that may help.
  func refusal(_ failure: LiveFailure, of account: BareJID) -> Failure {
    Failure("\(account): \(Self.sentence(about: failure, server: server, isDirectTLS: directTLS))")
  }

  /// A sentence about a failure, with the option that may help.
  ///
  /// - Parameter server: The server that the user named; nil if DNS named it.
  static func sentence(about failure: LiveFailure, server: String?, isDirectTLS: Bool) -> String {
    switch failure {
    case .cancelled: "ended before the session had started"
    case .certificate(.untrusted), .certificate(.selfSigned):
      "\(failure): --authority FILE names an authority to trust"
    case .startedWithoutTLS where server != nil: "\(failure): give --direct-tls"
    case .noHeader where server != nil: "\(failure); if so, give --direct-tls"
    case .handshake(.notTLS) where isDirectTLS:
      "\(failure): if the port expects STARTTLS, leave --direct-tls out"
    case .handshake(.closed) where isDirectTLS:
      "\(failure): if the port expects STARTTLS, leave --direct-tls out"
    case .resolving, .unreachable, .encryptionNotOffered, .injectedBytes, .certificate, .authority,
      .handshake, .startedWithoutTLS, .noHeader, .sasl, .notAuthorized, .bindRefused,
      .registrationNotOffered, .registrationRefused, .registrationNeedsMore, .stream,
      .protocolViolation, .unreadable, .unacknowledged, .timeout, .lost, .recording,
      .passwordChangePending, .notOnline, .suspended, .alreadyStarted, .over:
      "\(failure)"
    }
  }
}

extension AuthorityFile {
  /// Checks that a file has a certificate, so that a wrong file is refused before anything begins.
  ///
  /// - Throws: `Failure` if it cannot be read or has none.
  static func check(_ path: String) throws {
    do throws(LiveFailure) {
      try verify(path)
    } catch {
      throw Failure("\(error)")
    }
  }
}
