import Crypto

extension SASLChannel {
  /// The data of the channel binding `tls-server-end-point` (RFC 5929 §4.1): the hash of the
  /// server's certificate by the hash that the certificate is signed with, or SHA-256 in place of
  /// MD5 and SHA-1.
  ///
  /// Nil where the certificate cannot be read, or where its signature names no single hash that is
  /// known here: the RFC leaves it open what is to be done then.
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

  /// The object identifier of a certificate's `signatureAlgorithm` (RFC 5280 §4.1), as in DER.
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

/// What a certificate is hashed with, by the algorithms that it may be signed with.
private enum CertificateHash: CaseIterable {
  case sha256, sha384, sha512

  var algorithms: [[UInt8]] {
    // 1.2.840.113549.1.1, 1.2.840.10045.4, 1.2.840.10040.4 and 2.16.840.1.101.3.4.3
    let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01]
    let ecdsa: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04]
    let oldDSA: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x38, 0x04]
    let dsa: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03]
    return switch self {
    // MD5 (4) and SHA-1 (5, 1 and 3) are among those of SHA-256.
    case .sha256:
      [rsa + [4], rsa + [5], rsa + [11], ecdsa + [1], ecdsa + [3, 2], oldDSA + [3], dsa + [2]]
    case .sha384: [rsa + [12], ecdsa + [3, 3], dsa + [3]]
    case .sha512: [rsa + [13], ecdsa + [3, 4], dsa + [4]]
    }
  }
}

/// The elements of a text in DER, one after the other; nothing but what DER allows is read.
private struct DERReader {
  private var rest: ArraySlice<UInt8>

  enum Tag: UInt8 {
    case bitString = 0x03
    case objectIdentifier = 0x06
    case sequence = 0x30
  }

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  /// The contents of the next element, which must be of this kind.
  mutating func take(_ tag: Tag) -> ArraySlice<UInt8>? {
    guard rest.popFirst() == tag.rawValue, let count = takeCount(), count <= rest.count else {
      return nil
    }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// A length, in the fewest bytes that it fits in.
  private mutating func takeCount() -> Int? {
    guard let first = rest.popFirst() else { return nil }
    guard first >= 0x80 else { return Int(first) }
    var count = 0
    // A certificate of 16 MiB is none.
    guard (1...3).contains(first & 0x7F) else { return nil }
    for index in 0..<(first & 0x7F) {
      guard let byte = rest.popFirst(), index > 0 || byte > 0 else { return nil }
      count = count << 8 | Int(byte)
    }
    return count < 0x80 ? nil : count
  }
}
