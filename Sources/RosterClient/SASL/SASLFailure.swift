/// The reason why the client itself gives up a login.
///
/// A login that the server refuses, usually for a wrong password, is an answer and not a
/// `SASLFailure`.
public enum SASLFailure: Error, Hashable, Sendable {
  /// The server offers no mechanism that this client supports and could use here.
  case noUsableMechanism(offered: [String])
  /// The server requires the password itself, and sending it was not allowed.
  case plainNotAllowed
  /// The server requires the password itself, over an unencrypted connection.
  case plainWithoutTLS
  /// The user name or the password cannot be prepared for comparison.
  case unpreparable(Credential, why: PreparationProblem)
  /// The server's message violates the protocol. The text says how, without quoting the message.
  case malformedChallenge(String)
  /// The server's message has a mandatory extension (`m=`) that is not supported.
  case mandatoryExtension
  /// The server's nonce does not start with ours: its message belongs to another login.
  case nonceMismatch
  /// The server uses so few iterations that an eavesdropper could guess the password.
  case tooFewIterations(Int)
  /// The server uses too many iterations, with which the login would take too long. `Int.max` means
  /// that many or more.
  case tooManyIterations(Int)
  /// The server ends the login with a SCRAM error, such as `invalid-proof`.
  case serverError(String)
  /// The server sends a challenge when only its result may follow.
  case unexpectedChallenge
  /// The server does not know the password: its proof is wrong.
  case wrongServerSignature
  /// The server accepts the login without proving that it knows the password.
  case missingServerSignature
  /// The server continues a login that was over.
  case alreadyOver

  /// What a user presents to log in.
  public enum Credential: String, Sendable {
    /// The name of the account, the local part of its address.
    case user
    /// The password.
    case password
  }

  /// The reason why a text cannot be prepared (RFC 4013).
  ///
  /// Does not name the character at fault: that would be a part of the password.
  public enum PreparationProblem: Hashable, Sendable {
    /// Preparation leaves nothing of it.
    case empty
    /// It contains a prohibited character.
    case forbiddenCharacter
    /// It mixes right-to-left text with other text (RFC 3454 §6).
    case mixedDirections
  }
}

extension SASLFailure: CustomStringConvertible {
  /// The reason, as a sentence without a period. Quotes no text from the server except names of
  /// mechanisms and errors.
  public var description: String {
    switch self {
    case .noUsableMechanism(let offered): Self.noUsableMechanism(offered)
    case .plainNotAllowed:
      "the server accepts only the password itself (PLAIN), and sending that was not allowed"
    case .plainWithoutTLS:
      "the server wants the password itself (PLAIN) over a connection without TLS"
    case .unpreparable(let credential, let why): "the \(credential.name) \(why.clause)"
    case .malformedChallenge(let why): "the server's login message is malformed: \(why)"
    case .mandatoryExtension: "the server requires an unsupported extension of SCRAM"
    case .nonceMismatch: "the server answers another login: its nonce does not continue ours"
    case .tooFewIterations(let count):
      "the server wants the password hashed only \(count) times, and fewer than "
        + "\(SCRAMLimit.iterations.lowerBound) are not safe"
    case .tooManyIterations:
      "the server wants the password hashed more than \(SCRAMLimit.iterations.upperBound) times, "
        + "which would take too long"
    case .serverError(let name): "the server ends the login with the error \(name)"
    case .unexpectedChallenge: "the server asks for more when only its result may follow"
    case .wrongServerSignature:
      "the server does not know the password: its proof is wrong"
    case .missingServerSignature:
      "the server accepts the login without proving that it knows the password"
    case .alreadyOver: "the server continues a login that was over"
    }
  }

  /// Lists the mechanisms; a text that cannot be a mechanism's name is not repeated.
  private static func noUsableMechanism(_ offered: [String]) -> String {
    let names = offered.filter(\.isMechanismName)
    return names.isEmpty
      ? "the server offers no way to log in"
      : "the server offers no way to log in that can be used: \(names.joined(separator: ", "))"
  }
}

extension SASLFailure.Credential {
  fileprivate var name: String {
    switch self {
    case .user: "user name"
    case .password: "password"
    }
  }
}

extension SASLFailure.PreparationProblem {
  fileprivate var clause: String {
    switch self {
    case .empty: "is empty"
    case .forbiddenCharacter: "has a character that it must not have"
    case .mixedDirections: "mixes text from right to left with text from left to right"
    }
  }
}

extension String {
  /// RFC 4422 §3.1.
  fileprivate var isMechanismName: Bool {
    (1...20).contains(utf8.count)
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
