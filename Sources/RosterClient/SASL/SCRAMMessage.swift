import Foundation
import RawBytes
import XMPPStanza

/// A SCRAM message (RFC 5802 §7): attributes, each a letter with a value.
struct SCRAMMessage {
  /// The attributes that have not been taken yet, in order.
  private var attributes: ArraySlice<Attribute>

  private struct Attribute {
    let name: UInt8
    let value: String
  }

  init(_ bytes: [UInt8]) throws(SASLFailure) {
    guard bytes.count <= SCRAMLimit.messageBytes else {
      throw .malformedChallenge("it has more than \(SCRAMLimit.messageBytes) bytes")
    }
    guard !bytes.contains(0) else { throw .malformedChallenge("it has a zero byte") }
    attributes = []
    for part in bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard let name = part.first, name.isLetter, part.dropFirst().first == UInt8(ascii: "=") else {
        throw .malformedChallenge("a part of it is not an attribute")
      }
      let bytes = part.dropFirst(2)
      guard let value = String(utf8: bytes.span.bytes) else {
        throw .malformedChallenge("it is not UTF-8")
      }
      guard !value.isEmpty else { throw .malformedChallenge("an attribute of it is empty") }
      attributes.append(Attribute(name: name, value: value))
    }
    if attributes.contains(where: { $0.name == UInt8(ascii: "m") }) { throw .mandatoryExtension }
    if attributes.first?.name == UInt8(ascii: "e") { try throwError() }
  }

  /// Takes the next attribute, which must have this name.
  mutating func take(_ name: Unicode.Scalar) throws(SASLFailure) -> String {
    guard let next = attributes.first, Unicode.Scalar(next.name) == name else {
      throw .malformedChallenge("the attribute \(name) is not in its place")
    }
    attributes.removeFirst()
    return next.value
  }

  /// Takes the next attribute, which must have this name and a value in Base64 of at least one
  /// byte.
  mutating func takeBase64(_ name: Unicode.Scalar) throws(SASLFailure) -> [UInt8] {
    let text = try take(name)
    // Only the canonical encoding is accepted: no white space, no bits after the last byte.
    guard let data = Data(base64Encoded: text), data.base64EncodedString().hasSameBytes(as: text),
      !data.isEmpty
    else { throw .malformedChallenge("the attribute \(name) is not Base64") }
    return [UInt8](data)
  }

  /// The remaining attributes must be extensions, which SCRAM gives no meaning.
  func end() throws(SASLFailure) {
    for attribute in attributes where "aceinprsv".utf8.contains(attribute.name) {
      throw .malformedChallenge("the attribute \(Unicode.Scalar(attribute.name)) is out of place")
    }
  }

  /// Throws the server's error if it looks like one of the defined errors.
  private func throwError() throws(SASLFailure) {
    guard let name = attributes.first?.value, name.utf8.count <= SCRAMLimit.errorBytes,
      name.utf8.allSatisfy({ $0.isLetter || $0 == UInt8(ascii: "-") })
    else { throw .malformedChallenge("its error is not a name") }
    throw .serverError(name)
  }
}

/// Limits for what a server may send.
enum SCRAMLimit {
  /// The number of iterations. RFC 7677 §4 requires the minimum; the maximum, about a second, keeps
  /// a server from stalling a client.
  static let iterations = 4096...1_000_000
  static let messageBytes = 8192
  static let errorBytes = 64
}

extension UInt8 {
  fileprivate var isLetter: Bool {
    switch self {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    default: false
    }
  }
}
