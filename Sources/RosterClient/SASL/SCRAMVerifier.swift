/// What a server keeps of a password to tell by SCRAM who knows it (RFC 5802 §5.1), for both
/// hashes.
package struct SCRAMVerifier: Sendable, Undisclosed {
  private let salt: [UInt8]
  private let sha1: SCRAMKeys
  private let sha256: SCRAMKeys
  /// As few as are allowed: what is kept goes to no disk, so nobody can guess at it there.
  private static let iterations = SCRAMLimit.iterations.lowerBound

  /// - Parameter salt: By chance.
  /// - Throws: `SASLFailure` where the password cannot be prepared.
  ///
  /// Complexity: some thousand hashes, which take milliseconds.
  package init(_ password: Password, salt: [UInt8]) throws(SASLFailure) {
    let prepared = Password(try SASLPrep.prepare(password.withText { $0 }, as: .password))
    func keys(_ hash: SCRAMHash) throws(SASLFailure) -> SCRAMKeys {
      try SCRAMDerivation(
        hash: hash, password: prepared, salt: salt, iterations: Self.iterations
      ).keys()
    }
    (self.salt, sha1, sha256) = (salt, try keys(.sha1), try keys(.sha256))
  }

  /// Nil where the mechanism is not SCRAM.
  func keys(for mechanism: SASLMechanism) -> SCRAMKeys? {
    switch mechanism {
    case .scramSHA256Plus, .scramSHA256: sha256
    case .scramSHA1Plus, .scramSHA1: sha1
    case .plain: nil
    }
  }

  /// What the server's first message says of how the password is hashed.
  var parameters: String { "s=\(salt.base64),i=\(Self.iterations)" }
}
