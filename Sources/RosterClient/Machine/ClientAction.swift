package import Captures
package import XMPPStanza

/// What is to be done by who holds a connection, in the order in which it is given.
package enum ClientAction: Hashable, Sendable {
  /// Record these bytes, and write them once they are on the disk.
  case send([UInt8])
  /// What is read and written from now on is in TLS.
  case startTLS
  /// Make keys, on another thread, and tell the machine that they are `derived`.
  case derive(SCRAMDerivation)
  /// Record what became of the connection.
  case note(Lifecycle)
  /// There is a session: a new one, or the one before goes on.
  case online(isResumed: Bool)
  /// The server answered a request of this id that is no command: nil where it was done.
  case answered(String, LiveFailure?)
  /// Close the connection once everything is written; nil where both sides are done with it.
  case finish(LiveFailure?)
}

/// What a connection is for.
package struct ClientLogin: Sendable {
  package var account: BareJID
  package var password: Password
  /// The resource to ask for; nil for one that the server chooses.
  package var resource: String?
  /// Whether the password may be sent as it is, inside TLS.
  package var allowsPlain: Bool
  /// Whether the account is to be made first (XEP-0077).
  package var registers: Bool
  /// The session before, to go on with.
  package var resumption: Resumption?
  /// The id by which that session asked for another password, if it was not answered.
  package var passwordRequest: String?
  /// Fresh and unguessable, printable and without a comma (RFC 5802 §5.1).
  package var nonce: String
  /// What the ids of the connection's own requests begin with.
  package var idPrefix: String
}
