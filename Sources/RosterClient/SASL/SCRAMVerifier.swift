/// What a SCRAM server keeps to verify a password (RFC 5802 §5.1), for both hashes.
package struct SCRAMVerifier: Sendable, Undisclosed {
  private let salt: [UInt8]
  private let sha1: SCRAMKeys
  private let sha256: SCRAMKeys
  /// The minimum: the keys are never stored on disk, so they need no protection against guessing.
  private static let iterations = SCRAMLimit.iterations.lowerBound

  /// Derives the keys of a password.
  ///
  /// - Parameter salt: Random bytes.
  /// - Throws: `SASLFailure` if the password cannot be prepared.
  ///
  /// Complexity: a few thousand hashes, which take milliseconds.
  package init(_ password: Password, salt: [UInt8]) throws(SASLFailure) {
    let prepared = Password(try SASLPrep.prepare(password.withText { $0 }, as: .password))
    func keys(_ hash: SCRAMHash) throws(SASLFailure) -> SCRAMKeys {
      try SCRAMDerivation(
        hash: hash, password: prepared, salt: salt, iterations: Self.iterations
      ).keys()
    }
    (self.salt, sha1, sha256) = (salt, try keys(.sha1), try keys(.sha256))
  }

  /// The keys for a mechanism; nil if it is not SCRAM.
  func keys(for mechanism: SASLMechanism) -> SCRAMKeys? {
    switch mechanism {
    case .scramSHA256Plus, .scramSHA256: sha256
    case .scramSHA1Plus, .scramSHA1: sha1
    case .plain: nil
    }
  }

  /// The salt and the iterations, as in the server's first message.
  var parameters: String { "s=\(salt.base64),i=\(Self.iterations)" }
}
