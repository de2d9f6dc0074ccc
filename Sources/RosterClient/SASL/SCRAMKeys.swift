import Crypto
import CryptoExtras
import Foundation

/// A hash function for SCRAM. SHA-1 is broken for signatures of documents, but not for HMAC; some
/// servers store keys for no other.
enum SCRAMHash: Sendable {
  case sha1, sha256

  fileprivate func digest(_ key: SymmetricKey) -> SymmetricKey {
    key.withUnsafeBytes { bytes in
      switch self {
      case .sha1: SymmetricKey(data: Insecure.SHA1.hash(data: bytes))
      case .sha256: SymmetricKey(data: SHA256.hash(data: bytes))
      }
    }
  }

  fileprivate func hmac(_ bytes: [UInt8], key: SymmetricKey) -> [UInt8] {
    switch self {
    case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: bytes, using: key))
    case .sha256: Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
    }
  }

  /// Checks a code, in the same time for a wrong code as for the right one.
  fileprivate func isHMAC(_ code: [UInt8], of bytes: [UInt8], key: SymmetricKey) -> Bool {
    switch self {
    case .sha1:
      HMAC<Insecure.SHA1>.isValidAuthenticationCode(code, authenticating: bytes, using: key)
    case .sha256: HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: bytes, using: key)
    }
  }
}

/// The expensive part of SCRAM (RFC 5802 §3): deriving the keys from a prepared password.
package struct SCRAMDerivation: Sendable, Undisclosed {
  let hash: SCRAMHash
  let password: Password
  let salt: [UInt8]
  let iterations: Int

  /// Derives the keys.
  ///
  /// Complexity: linear in the iterations; a few million take a second.
  package func keys() throws(SASLFailure) -> SCRAMKeys {
    do {
      let salted = try saltedPassword()
      return SCRAMKeys(
        hash: hash, clientKey: SymmetricKey(data: hash.hmac(Array("Client Key".utf8), key: salted)),
        serverKey: SymmetricKey(data: hash.hmac(Array("Server Key".utf8), key: salted)))
    } catch {
      throw .malformedChallenge("no key can be made with its salt")
    }
  }

  private func saltedPassword() throws -> SymmetricKey {
    try password.withBytes { bytes in
      // Unchecked: the checked function requires 210,000 iterations, which no XMPP server uses.
      try KDF.Insecure.PBKDF2.deriveKey(
        from: bytes, salt: salt, using: hash == .sha1 ? .insecureSHA1 : .sha256,
        outputByteCount: hash == .sha1 ? Insecure.SHA1.byteCount : SHA256.byteCount,
        unsafeUncheckedRounds: iterations)
    }
  }
}

extension SCRAMDerivation: Hashable {
  /// Whether two derivations are the same work. The password has to be the same object, because its
  /// text must not be compared.
  package static func == (one: Self, other: Self) -> Bool {
    one.hash == other.hash && one.password === other.password && one.salt == other.salt
      && one.iterations == other.iterations
  }

  /// The salt alone tells derivations apart well enough.
  package func hash(into hasher: inout Hasher) { hasher.combine(salt) }
}

/// The keys by which the client and the server prove that they know the password.
package struct SCRAMKeys: Sendable, Undisclosed {
  fileprivate let hash: SCRAMHash
  fileprivate let clientKey: SymmetricKey
  fileprivate let serverKey: SymmetricKey

  /// The client's proof: its key, masked by a signature that requires the key's hash.
  func proof(of transcript: [UInt8]) -> [UInt8] {
    let signature = hash.hmac(transcript, key: hash.digest(clientKey))
    return clientKey.withUnsafeBytes { key in zip(key, signature).map { $0 ^ $1 } }
  }

  func isServerSignature(_ signature: [UInt8], of transcript: [UInt8]) -> Bool {
    hash.isHMAC(signature, of: transcript, key: serverKey)
  }

  // MARK: As the server

  /// Whether a client's proof shows that it knows the password, in the same time for a wrong proof
  /// as for the right one.
  func isProof(_ proof: [UInt8], of transcript: [UInt8]) -> Bool {
    let right = self.proof(of: transcript)
    return proof.count == right.count && zip(proof, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  func serverSignature(of transcript: [UInt8]) -> [UInt8] {
    hash.hmac(transcript, key: serverKey)
  }
}
