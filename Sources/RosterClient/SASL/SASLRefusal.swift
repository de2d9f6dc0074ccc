/// The reason why a server refuses a login (RFC 6120 §6.5).
package enum SASLRefusal: Error, Hashable, Sendable {
  /// The client's message violates the protocol.
  case malformed
  /// The client does not know the password, or was shown a different offer than ours.
  case notAuthorized
  /// The client uses an unknown type of channel binding.
  case unknownBinding
  /// The client asks to act as another account.
  case identity
  case mechanism
  case aborted
  /// PLAIN is not allowed.
  case plain

  /// The name of the condition.
  package var condition: String {
    switch self {
    case .malformed: "malformed-request"
    case .notAuthorized, .unknownBinding: "not-authorized"
    case .identity: "invalid-authzid"
    case .mechanism, .plain: "invalid-mechanism"
    case .aborted: "aborted"
    }
  }
}
