import RawBytes
import XMPPStanza

/// The server's side of a SCRAM login (RFC 5802 §3), which passes through these states:
///
///     first > final > over
package struct SCRAMServer: Sendable, Undisclosed {
  private enum State: Sendable {
    case first
    case final(header: String, bare: String, serverFirst: String, nonce: String)
    case over
  }

  private let keys: SCRAMKeys
  private let parameters: String
  private let nonce: String
  /// The hash of our certificate, if the mechanism binds to the channel.
  private let endPoint: [UInt8]?
  /// Whether a client that supports channel binding must use it, because a mechanism with it was
  /// offered: a client that saw none was shown a different offer than ours.
  private let refusesUnbound: Bool
  private var state = State.first
  /// The user name, and the authorization identity if the client gives one; nil before the first
  /// message.
  package private(set) var user: String?
  package private(set) var identity: String?

  /// Creates the server's side; nil if the mechanism is not SCRAM, or binds to a channel without an
  /// end point.
  ///
  /// - Parameters:
  ///   - nonce: Fresh, unguessable, printable ASCII without a comma.
  ///   - endPoint: The hash of our certificate (RFC 5929 §4.1).
  package init?(
    _ mechanism: SASLMechanism, _ verifier: SCRAMVerifier, nonce: String, endPoint: [UInt8]?,
    refusesUnbound: Bool
  ) {
    guard let keys = verifier.keys(for: mechanism) else { return nil }
    switch mechanism {
    case .scramSHA256Plus, .scramSHA1Plus:
      guard let endPoint else { return nil }
      self.endPoint = endPoint
    case .scramSHA256, .scramSHA1, .plain: self.endPoint = nil
    }
    (self.keys, parameters, self.nonce) = (keys, verifier.parameters, nonce)
    self.refusesUnbound = refusesUnbound
  }

  /// Whether no further message may follow. If the last message was accepted, the client has proved
  /// that it knows the password.
  package var isOver: Bool { if case .over = state { true } else { false } }

  /// Handles the client's next message.
  ///
  /// - Returns: The data for the client: a challenge after its first message, the data that
  ///   accompanies success after its last.
  package mutating func received(_ bytes: [UInt8]) throws(SASLRefusal) -> [UInt8] {
    let before = state
    state = .over
    switch before {
    case .first: return try firstReceived(bytes)
    case .final(let header, let bare, let serverFirst, let nonce):
      let bound = Array(header.utf8) + (endPoint ?? [])
      return try finalReceived(bytes, bound, "\(bare),\(serverFirst)", nonce)
    case .over: throw .malformed
    }
  }

  private mutating func firstReceived(_ bytes: [UInt8]) throws(SASLRefusal) -> [UInt8] {
    guard bytes.count <= SCRAMLimit.messageBytes, !bytes.contains(0) else { throw .malformed }
    // Split as bytes: as a `Character`, a comma with an accent would not equal a comma.
    let parts = bytes.split(
      separator: UInt8(ascii: ","), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .malformed }
    let (flag, bare) = (try Self.text(parts[0]), try Self.text(parts[2]))
    try checkBinding(flag)
    identity = try Self.identity(parts[1])
    var message = try Self.message(Array(parts[2]))
    let name = try message.take("n", or: .malformed)
    let theirs = try message.take("r", or: .malformed)
    guard theirs.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .malformed }
    user = try Self.unescaped(Array(name.utf8)[...])
    let both = theirs + nonce
    let serverFirst = "r=\(both),\(parameters)"
    state = .final(
      header: "\(flag),\(try Self.text(parts[1])),", bare: bare, serverFirst: serverFirst,
      nonce: both)
    return Array(serverFirst.utf8)
  }

  private func finalReceived(
    _ bytes: [UInt8], _ bound: [UInt8], _ before: String, _ nonce: String
  ) throws(SASLRefusal) -> [UInt8] {
    var message = try Self.message(bytes)
    let channel = try message.take("c", or: .malformed)
    guard try message.take("r", or: .malformed).hasSameBytes(as: nonce) else {
      throw .notAuthorized
    }
    let proof: [UInt8]
    do {
      proof = try message.takeBase64("p")
      try message.end()
    } catch {
      throw .malformed
    }
    // Exactly as sent, because the client signs what it sent.
    let withoutProof = "c=\(channel),r=\(nonce)"
    let transcript = Array("\(before),\(withoutProof)".utf8)
    guard channel.hasSameBytes(as: bound.base64), keys.isProof(proof, of: transcript) else {
      throw .notAuthorized
    }
    return Array("v=\(keys.serverSignature(of: transcript).base64)".utf8)
  }

  /// Checks that the client's channel binding flag fits the mechanism that it chose.
  private func checkBinding(_ flag: String) throws(SASLRefusal) {
    switch (flag, endPoint) {
    case ("p=\(ChannelBinding.serverEndPointType)", .some), ("n", .none): return
    case ("y", .none): if refusesUnbound { throw .notAuthorized }
    default:
      guard flag.utf8.starts(with: "p=".utf8), endPoint != nil else { throw .malformed }
      throw .unknownBinding
    }
  }

  private static func identity(_ part: ArraySlice<UInt8>) throws(SASLRefusal) -> String? {
    if part.isEmpty { return nil }
    guard part.starts(with: "a=".utf8) else { throw .malformed }
    let name = try unescaped(part.dropFirst(2))
    return name.isEmpty ? nil : name
  }

  private static func text(_ bytes: ArraySlice<UInt8>) throws(SASLRefusal) -> String {
    guard let text = String(utf8: bytes.span.bytes) else { throw .malformed }
    return text
  }

  private static func message(_ bytes: [UInt8]) throws(SASLRefusal) -> SCRAMMessage {
    do throws(SASLFailure) {
      return try SCRAMMessage(bytes)
    } catch {
      throw .malformed
    }
  }

  /// A name with its escaped commas and equals signs restored.
  private static func unescaped(_ name: ArraySlice<UInt8>) throws(SASLRefusal) -> String {
    var rest = name
    var result: [UInt8] = []
    while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
      result += rest[..<equals]
      switch String(decoding: rest[equals...].prefix(3), as: UTF8.self) {
      case "=2C": result.append(UInt8(ascii: ","))
      case "=3D": result.append(UInt8(ascii: "="))
      default: throw .malformed
      }
      rest = rest[equals...].dropFirst(3)
    }
    return try text((result + rest)[...])
  }
}

extension SCRAMMessage {
  fileprivate mutating func take(
    _ name: Unicode.Scalar, or refusal: SASLRefusal
  ) throws(SASLRefusal) -> String {
    do throws(SASLFailure) {
      return try take(name)
    } catch {
      throw refusal
    }
  }
}
