import Crypto
import Foundation
import XMPPStanza

/// SCRAM (RFC 5802, RFC 7677) after the client's first message.
struct SCRAMFirst: Sendable, Undisclosed {
  private let hash: SCRAMHash
  private let binding: ChannelBinding
  private let nonce: String
  /// The first message without its channel binding header (`client-first-message-bare`).
  private let bare: String
  /// The prepared password.
  private let password: Password

  init(
    hash: SCRAMHash, binding: ChannelBinding, user: String, password: Password, nonce: String
  ) throws(SASLFailure) {
    self.hash = hash
    self.binding = binding
    self.nonce = nonce
    bare = "n=\(Self.escaped(try SASLPrep.prepare(user, as: .user))),r=\(nonce)"
    self.password = Password(try SASLPrep.prepare(password.withText { $0 }, as: .password))
  }

  /// The client's first message.
  var message: String { binding.header + bare }

  /// Handles the server's first message.
  func answered(_ bytes: [UInt8]) throws(SASLFailure) -> SCRAMLast {
    var message = try SCRAMMessage(bytes)
    let serverNonce = try checkedNonce(message.take("r"))
    let salt = try message.takeBase64("s")
    let iterations = try Self.iterations(message.take("i"))
    try message.end()
    let withoutProof = "c=\(binding.proof),r=\(serverNonce)"
    let transcript = Array("\(bare),".utf8) + bytes + Array(",\(withoutProof)".utf8)
    return SCRAMLast(
      derivation: SCRAMDerivation(
        hash: hash, password: password, salt: salt, iterations: iterations),
      withoutProof: withoutProof, transcript: transcript)
  }

  /// Escapes the separators of attributes in a user name. Works on scalars: as a `Character`, a
  /// comma with an accent would not equal a comma.
  private static func escaped(_ user: String) -> String {
    var escaped = ""
    for scalar in user.unicodeScalars {
      switch scalar {
      case "=": escaped += "=3D"
      case ",": escaped += "=2C"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// The combined nonce, which has to be ours followed by visible characters.
  private func checkedNonce(_ both: String) throws(SASLFailure) -> String {
    guard both.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .malformedChallenge("its nonce has characters other than visible ASCII")
    }
    guard both.utf8.starts(with: nonce.utf8), both.utf8.count > nonce.utf8.count else {
      throw .nonceMismatch
    }
    return both
  }

  private static func iterations(_ text: String) throws(SASLFailure) -> Int {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      text.utf8.first != UInt8(ascii: "0")
    else { throw .malformedChallenge("its iteration count is not a number") }
    let count = Int(text) ?? .max
    guard count >= SCRAMLimit.iterations.lowerBound else { throw .tooFewIterations(count) }
    guard count <= SCRAMLimit.iterations.upperBound else { throw .tooManyIterations(count) }
    return count
  }
}

/// SCRAM before the client's last message, which needs the keys.
struct SCRAMLast: Sendable, Undisclosed {
  let derivation: SCRAMDerivation
  fileprivate let withoutProof: String
  fileprivate let transcript: [UInt8]

  /// The client's last message, and the state that checks the server's answer.
  func proved(by keys: SCRAMKeys) -> ([UInt8], SCRAMFinal) {
    let proof = Data(keys.proof(of: transcript)).base64EncodedString()
    return (
      Array("\(withoutProof),p=\(proof)".utf8), SCRAMFinal(keys: keys, transcript: transcript)
    )
  }
}

/// SCRAM after the client's last message: the server has to prove that it knows the password too.
struct SCRAMFinal: Sendable, Undisclosed {
  let keys: SCRAMKeys
  /// What both sides sign: all messages without the proofs.
  let transcript: [UInt8]

  /// Checks the server's last message.
  func check(_ bytes: [UInt8]) throws(SASLFailure) {
    var message = try SCRAMMessage(bytes)
    let signature = try message.takeBase64("v")
    try message.end()
    guard keys.isServerSignature(signature, of: transcript) else { throw .wrongServerSignature }
  }
}
