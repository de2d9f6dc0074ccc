/// A mechanism of SASL that this client speaks, best first in `allCases`.
package enum SASLMechanism: String, CaseIterable, Sendable {
  case scramSHA256Plus = "SCRAM-SHA-256-PLUS"
  case scramSHA1Plus = "SCRAM-SHA-1-PLUS"
  case scramSHA256 = "SCRAM-SHA-256"
  case scramSHA1 = "SCRAM-SHA-1"
  case plain = "PLAIN"
}

/// What a server offers to log in with.
package struct SASLOffer: Hashable, Sendable {
  package var mechanisms: [String]
  /// The types of channel binding (XEP-0440); nil where the server does not name any.
  package var channelBindings: [String]?

  package init(mechanisms: [String], channelBindings: [String]?) {
    self.mechanisms = mechanisms
    self.channelBindings = channelBindings
  }
}

/// What a login is made over.
package enum SASLChannel: Hashable, Sendable {
  case plain
  /// TLS, with the hash of the server's certificate for `tls-server-end-point` (RFC 5929 §4.1)
  /// where it can be made.
  case tls(serverEndPoint: [UInt8]?)
}
