import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A server's certificate made by a test, with a root and an intermediate authority above it.
struct MadeCertificate: Sendable {
  /// The server's certificate in DER.
  let leaf: [UInt8]
  /// The certificates that the server sends after its own.
  let intermediates: [[UInt8]]
  /// The root that signed the intermediate certificate, in PEM.
  let root: String
  private let key: String

  /// The properties of a certificate that a test can change.
  struct Options: Sendable {
    var names: [GeneralName] = [.dnsName("example.test")]
    var commonName = "Test server"
    /// Its validity, in days from now.
    var days = -1.0...1.0
    var purposes: [ExtendedKeyUsage.Usage] = [.serverAuth]
    /// The domains that the intermediate certificate is limited to; empty for any.
    var permitted: [String] = []
    /// Whether the server sends the intermediate certificate.
    var isChainSent = true
    /// Whether the intermediate certificate belongs to an authority.
    var isChainOfAuthorities = true
  }

  private struct Issuer {
    let name: DistinguishedName
    let key = Certificate.PrivateKey(P256.Signing.PrivateKey())

    init(_ name: String) throws { self.name = try DistinguishedName { CommonName(name) } }

    func sign(
      _ subject: DistinguishedName, _ publicKey: Certificate.PublicKey,
      days: ClosedRange<Double> = -1...1, _ extensions: Certificate.Extensions
    ) throws -> Certificate {
      try Certificate(
        version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
        notValidBefore: Date() + days.lowerBound * 86_400,
        notValidAfter: Date() + days.upperBound * 86_400, issuer: name, subject: subject,
        signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions, issuerPrivateKey: key)
    }
  }

  init(_ options: Options = Options()) throws {
    let (top, middle) = (try Issuer("Test root"), try Issuer("Test intermediate"))
    let own = Certificate.PrivateKey(P256.Signing.PrivateKey())
    let authority = try Certificate.Extensions {
      Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
      Critical(KeyUsage(keyCertSign: true))
    }
    let between = try Certificate.Extensions {
      Critical(
        options.isChainOfAuthorities
          ? BasicConstraints.isCertificateAuthority(maxPathLength: nil)
          : BasicConstraints.notCertificateAuthority)
      Critical(KeyUsage(keyCertSign: options.isChainOfAuthorities))
      if !options.permitted.isEmpty {
        Critical(
          NameConstraints(
            permittedDNSDomains: NameConstraints.DNSNames(options.permitted)))
      }
    }
    let leafExtensions = try Certificate.Extensions {
      Critical(BasicConstraints.notCertificateAuthority)
      Critical(KeyUsage(digitalSignature: true))
      if !options.purposes.isEmpty { try ExtendedKeyUsage(options.purposes) }
      if !options.names.isEmpty { SubjectAlternativeNames(options.names) }
    }
    root = try top.sign(top.name, top.key.publicKey, authority).serializeAsPEM().pemString
    let intermediate = try top.sign(middle.name, middle.key.publicKey, between)
    let leaf = try middle.sign(
      try DistinguishedName { CommonName(options.commonName) }, own.publicKey, days: options.days,
      leafExtensions)
    self.leaf = try leaf.serializeAsPEM().derBytes
    intermediates = options.isChainSent ? [try intermediate.serializeAsPEM().derBytes] : []
    key = try own.serializeAsPEM().pemString
  }

  /// The TLS context of a server with this certificate.
  func context() throws -> NIOSSLContext {
    try NIOSSLContext(
      configuration: .makeServerConfiguration(
        certificateChain: try ([leaf] + intermediates).map {
          .certificate(try NIOSSLCertificate(bytes: $0, format: .der))
        },
        privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem))))
  }
}

extension GeneralName {
  /// The name of a service (RFC 4985).
  static func service(_ name: String) throws -> GeneralName {
    .otherName(
      OtherName(
        typeID: [1, 3, 6, 1, 5, 5, 7, 8, 7], value: try ASN1Any(erasing: ASN1IA5String(name))))
  }

  static func address(_ bytes: UInt8...) -> GeneralName {
    .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
  }
}
