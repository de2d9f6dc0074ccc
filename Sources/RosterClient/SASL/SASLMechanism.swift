/// A SASL mechanism that this client supports; `allCases` lists the best first.
package enum SASLMechanism: String, CaseIterable, Sendable {
  case scramSHA256Plus = "SCRAM-SHA-256-PLUS"
  case scramSHA1Plus = "SCRAM-SHA-1-PLUS"
  case scramSHA256 = "SCRAM-SHA-256"
  case scramSHA1 = "SCRAM-SHA-1"
  case plain = "PLAIN"
}

/// The mechanisms and channel bindings that a server offers.
package struct SASLOffer: Hashable, Sendable {
  package var mechanisms: [String]
  /// The types of channel binding (XEP-0440); nil if the server does not list any.
  package var channelBindings: [String]?

  package init(mechanisms: [String], channelBindings: [String]?) {
    self.mechanisms = mechanisms
    self.channelBindings = channelBindings
  }
}

/// The channel that a login uses.
package enum SASLChannel: Hashable, Sendable {
  case plain
  /// TLS, with the hash of the server's certificate for `tls-server-end-point` (RFC 5929 §4.1) if
  /// it can be computed.
  case tls(serverEndPoint: [UInt8]?)
}
