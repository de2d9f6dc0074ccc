import Foundation
import RawBytes
import XMPPStanza

/// A message of SCRAM's server (RFC 5802 §7): attributes of a letter and a value.
struct SCRAMMessage {
  /// The attributes in their order.
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
        throw .malformedChallenge("a part of it is no attribute")
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

  /// Takes the next attribute, which must be this one.
  mutating func take(_ name: Unicode.Scalar) throws(SASLFailure) -> String {
    guard let next = attributes.first, Unicode.Scalar(next.name) == name else {
      throw .malformedChallenge("the attribute \(name) is not in its place")
    }
    attributes.removeFirst()
    return next.value
  }

  /// Takes the next attribute, which must be this one and Base64, with at least one byte.
  mutating func takeBase64(_ name: Unicode.Scalar) throws(SASLFailure) -> [UInt8] {
    let text = try take(name)
    // Only what encoding gives is taken: no white space, no bits after the last byte.
    guard let data = Data(base64Encoded: text), data.base64EncodedString().hasSameBytes(as: text),
      !data.isEmpty
    else { throw .malformedChallenge("the attribute \(name) is not Base64") }
    return [UInt8](data)
  }

  /// Whatever is left must be extensions: attributes that SCRAM gives no meaning.
  func end() throws(SASLFailure) {
    for attribute in attributes where "aceinprsv".utf8.contains(attribute.name) {
      throw .malformedChallenge("the attribute \(Unicode.Scalar(attribute.name)) is out of place")
    }
  }

  /// The server's error, where it has the form of those that there are.
  private func throwError() throws(SASLFailure) {
    guard let name = attributes.first?.value, name.utf8.count <= SCRAMLimit.errorBytes,
      name.utf8.allSatisfy({ $0.isLetter || $0 == UInt8(ascii: "-") })
    else { throw .malformedChallenge("its error is no name") }
    throw .serverError(name)
  }
}

/// What is taken of a server.
enum SCRAMLimit {
  /// How often the password is hashed. RFC 7677 §4 wants the least; the most keeps a server from
  /// holding a client up, at about a second.
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
