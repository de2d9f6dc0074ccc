/// Why a login cannot go on by our own judgement.
///
/// That the server refuses a login, a wrong password as a rule, is an answer and no such failure.
public enum SASLFailure: Error, Hashable, Sendable {
  /// The server offers no mechanism that this client speaks and could use here.
  case noUsableMechanism(offered: [String])
  /// The server wants the password itself, and that was not allowed.
  case plainNotAllowed
  /// The server wants the password itself, over a connection that anybody can read.
  case plainWithoutTLS
  /// The user name or the password cannot be brought into the form that it is compared in.
  case unpreparable(Credential, why: PreparationProblem)
  /// A message of the server that no server may send. It says what is wrong with it, and quotes
  /// nothing of it.
  case malformedChallenge(String)
  /// The server's message has an extension (`m=`) that whoever does not know it must refuse.
  case mandatoryExtension
  /// The server's nonce does not go on from ours: its message is of another login.
  case nonceMismatch
  /// The server has the password hashed so few times that who sees it could guess it.
  case tooFewIterations(Int)
  /// The server has the password hashed so many times that it would hold us up; `Int.max` stands
  /// for all that is more.
  case tooManyIterations(Int)
  /// The server ends the login with an error of SCRAM, such as `invalid-proof`.
  case serverError(String)
  /// The server says something where nothing was to come but the result.
  case unexpectedChallenge
  /// The server does not know the password: what it gives for a proof is wrong.
  case wrongServerSignature
  /// The server lets us in and has not proved that it knows the password.
  case missingServerSignature
  /// The server goes on with a login that was at its end.
  case alreadyOver

  /// What a user logs in with.
  public enum Credential: String, Sendable {
    /// The name of the account, the local part of its address.
    case user
    /// The password.
    case password
  }

  /// Why a text cannot be prepared (RFC 4013). It does not say which character is to blame: that
  /// would be a part of the password.
  public enum PreparationProblem: Hashable, Sendable {
    /// Nothing is left of it.
    case empty
    /// It has a character that it must not have.
    case forbiddenCharacter
    /// It mixes text from right to left with other text (RFC 3454 §6).
    case mixedDirections
  }
}

extension SASLFailure: CustomStringConvertible {
  /// The reason as a sentence without its full stop; it quotes no text of the server but names of
  /// mechanisms and errors.
  public var description: String {
    switch self {
    case .noUsableMechanism(let offered): Self.noUsableMechanism(offered)
    case .plainNotAllowed:
      "the server takes the password only as it is (PLAIN), and that was not allowed"
    case .plainWithoutTLS:
      "the server wants the password as it is (PLAIN) over a connection without TLS"
    case .unpreparable(let credential, let why): "the \(credential.name) \(why.clause)"
    case .malformedChallenge(let why): "the server's message of the login is malformed: \(why)"
    case .mandatoryExtension: "the server wants an extension of SCRAM that is not known here"
    case .nonceMismatch: "the server answers another login: its nonce does not go on from ours"
    case .tooFewIterations(let count):
      "the server has the password hashed only \(count) times, and fewer than "
        + "\(SCRAMLimit.iterations.lowerBound) are not safe"
    case .tooManyIterations:
      "the server wants the password hashed more than \(SCRAMLimit.iterations.upperBound) times, "
        + "which would hold us up"
    case .serverError(let name): "the server ends the login with the error \(name)"
    case .unexpectedChallenge: "the server asks for more where only its result was to come"
    case .wrongServerSignature:
      "the server does not know the password: the proof that it gives is wrong"
    case .missingServerSignature:
      "the server lets us in without a proof that it knows the password"
    case .alreadyOver: "the server goes on with a login that was over"
    }
  }

  /// Mechanisms are told by their names; what is no name is not repeated.
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
