package import Captures
package import Rollcall
package import XMPPStanza

/// An action for the owner of a connection, to be carried out in the order given.
package enum ClientAction: Hashable, Sendable {
  /// Record these bytes, and write them once they are on disk.
  case send([UInt8])
  /// Use TLS from now on for everything that is read and written.
  case startTLS
  /// Derive the keys, on another thread, and report them with `derived`.
  case derive(SCRAMDerivation)
  /// Record an event of the connection.
  case note(Lifecycle)
  /// A session has begun, or the last one was resumed.
  case online(isResumed: Bool)
  /// The answer to what was sent under this name: a request that is not a command, or a stanza. The
  /// name is not the id of a request, which the application may use again.
  case answered(String, RequestAnswer)
  /// Close the connection once everything is written; nil if both sides ended in order.
  case finish(LiveFailure?)
}

extension ClientAction {
  /// The bytes to send; nil for every other action.
  var bytes: [UInt8]? { if case .send(let bytes) = self { bytes } else { nil } }
}

/// How a request that is not a command, or a stanza of the application, was answered.
package enum RequestAnswer: Hashable, Sendable {
  /// The result that answers a request.
  case result(XMPPElement)
  /// The error that answers a request.
  case refused(StanzaError)
  /// The server has acknowledged the stanza (XEP-0198).
  case acknowledged
  /// Everything was written. The server acknowledges no stanzas.
  case written
  /// The request failed for another reason.
  case failed(LiveFailure)
}

/// The parameters of a login.
package struct ClientLogin: Sendable {
  package var account: BareJID
  package var password: Password
  /// The resource to ask for; nil for one that the server chooses.
  package var resource: String?
  /// Whether the password may be sent in plain text, inside TLS.
  package var allowsPlain: Bool
  /// Whether to create the account first (XEP-0077).
  package var registers: Bool
  /// The last session, to be resumed.
  package var resumption: Resumption?
  /// A fresh, unguessable, printable text without a comma (RFC 5802 §5.1).
  package var nonce: String
  /// The beginning of the ids of the connection's own requests.
  package var idPrefix: String
}
