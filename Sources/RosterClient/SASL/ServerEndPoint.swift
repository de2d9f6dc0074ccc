import Crypto

extension SASLChannel {
  /// The data of the channel binding `tls-server-end-point` (RFC 5929 §4.1).
  ///
  /// This is the hash of the server's certificate, made with the hash function of the certificate's
  /// signature, or with SHA-256 instead of MD5 and SHA-1. Nil if the certificate cannot be read, or
  /// if its signature does not use a single known hash function: the RFC leaves that case open.
  package static func serverEndPoint(ofCertificateDER certificate: [UInt8]) -> [UInt8]? {
    guard let algorithm = signatureAlgorithm(of: certificate),
      let hash = CertificateHash.allCases.first(where: { $0.algorithms.contains(algorithm) })
    else { return nil }
    switch hash {
    case .sha256: return Array(SHA256.hash(data: certificate))
    case .sha384: return Array(SHA384.hash(data: certificate))
    case .sha512: return Array(SHA512.hash(data: certificate))
    }
  }

  /// The object identifier of a certificate's `signatureAlgorithm` (RFC 5280 §4.1), in DER.
  private static func signatureAlgorithm(of certificate: [UInt8]) -> [UInt8]? {
    var file = DERReader(certificate[...])
    guard var parts = file.take(.sequence).map(DERReader.init), file.isAtEnd,
      parts.take(.sequence) != nil,
      var algorithm = parts.take(.sequence).map(DERReader.init),
      parts.take(.bitString) != nil, parts.isAtEnd
    else { return nil }
    return algorithm.take(.objectIdentifier).map(Array.init)
  }
}

/// The hash function for a certificate, with the signature algorithms that select it.
private enum CertificateHash: CaseIterable {
  case sha256, sha384, sha512

  var algorithms: [[UInt8]] {
    // 1.2.840.113549.1.1, 1.2.840.10045.4, 1.2.840.10040.4 and 2.16.840.1.101.3.4.3
    let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01]
    let ecdsa: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04]
    let oldDSA: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x38, 0x04]
    let dsa: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03]
    return switch self {
    // Includes MD5 (4) and SHA-1 (5, 1 and 3).
    case .sha256:
      [rsa + [4], rsa + [5], rsa + [11], ecdsa + [1], ecdsa + [3, 2], oldDSA + [3], dsa + [2]]
    case .sha384: [rsa + [12], ecdsa + [3, 3], dsa + [3]]
    case .sha512: [rsa + [13], ecdsa + [3, 4], dsa + [4]]
    }
  }
}

/// Reads DER elements one after another; anything that DER does not allow is refused.
private struct DERReader {
  private var rest: ArraySlice<UInt8>

  enum Tag: UInt8 {
    case bitString = 0x03
    case objectIdentifier = 0x06
    case sequence = 0x30
  }

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  /// The contents of the next element, which must have this tag.
  mutating func take(_ tag: Tag) -> ArraySlice<UInt8>? {
    guard rest.popFirst() == tag.rawValue, let count = takeCount(), count <= rest.count else {
      return nil
    }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// Reads a length, which must be encoded in the fewest bytes.
  private mutating func takeCount() -> Int? {
    guard let first = rest.popFirst() else { return nil }
    guard first >= 0x80 else { return Int(first) }
    var count = 0
    // No certificate has 16 MiB.
    guard (1...3).contains(first & 0x7F) else { return nil }
    for index in 0..<(first & 0x7F) {
      guard let byte = rest.popFirst(), index > 0 || byte > 0 else { return nil }
      count = count << 8 | Int(byte)
    }
    return count < 0x80 ? nil : count
  }
}
