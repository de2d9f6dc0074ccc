/// Why a client is not let in (RFC 6120 §6.5).
package enum SASLRefusal: Error, Hashable, Sendable {
  /// It says something that nobody may say there.
  case malformed
  /// It does not know the password, or was shown another offer than ours.
  case notAuthorized
  /// It binds to the channel by something that is not known here.
  case unknownBinding
  /// It wants to be somebody else.
  case identity
  case mechanism
  case aborted
  /// The password is not to be sent as it is.
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
