import Crypto
package import Foundation
package import NIOSSL
import Rollcall
import SwiftASN1
import X509

/// The user's own certificate authority, which signs the proxy's certificates.
///
/// A client that trusts it accepts the proxy as any server at all, so only the user may read its
/// key.
package struct LocalAuthority: Sendable {
  private let certificate: Certificate
  private let key: Certificate.PrivateKey

  /// The path of its certificate in a folder.
  package static func certificatePath(in folder: String) -> String { "\(folder)/authority.pem" }
  private static func keyPath(in folder: String) -> String { "\(folder)/authority.key" }

  /// The lifetime of its own certificate, in days.
  private static let ownDays = 3650.0
  /// The lifetime of the certificates that it signs, in days.
  private static let leafDays = 1.0
  /// Clocks differ, so a certificate is valid from some time before now, in seconds.
  private static let slack = 3600.0
  private static let day = 86_400.0

  /// Creates an authority and stores it in a folder: its certificate, which clients have to trust,
  /// and its key, which only the user can read.
  ///
  /// - Throws: `AuthorityError` if there is one already, or it cannot be written.
  package static func make(in folder: String, at now: Date) throws(AuthorityError) {
    let texts: (key: String, certificate: String)
    do {
      texts = try makeTexts(at: now)
    } catch {
      throw .unmakeable("its certificate cannot be signed")
    }
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      // The key first: a certificate without one is no authority.
      try write(texts.key, to: keyPath(in: folder), mode: 0o600)
      try write(texts.certificate, to: certificatePath(in: folder), mode: 0o644)
    } catch {
      throw error as? AuthorityError ?? .unmakeable("\(folder): \(sentence(of: error))")
    }
  }

  /// A new key and its certificate, in PEM.
  private static func makeTexts(at now: Date) throws -> (key: String, certificate: String) {
    let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
    let name = try DistinguishedName {
      CommonName("Rollcall's recording proxy, \(ProcessInfo.processInfo.hostName.prefix(30))")
    }
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
      notValidBefore: now - slack, notValidAfter: now + ownDays * day, issuer: name,
      subject: name, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
        Critical(KeyUsage(keyCertSign: true, cRLSign: true))
        SubjectKeyIdentifier(hash: key.publicKey)
      }, issuerPrivateKey: key)
    return (try key.serializeAsPEM().pemString, try certificate.serializeAsPEM().pemString)
  }

  /// Loads an existing authority.
  ///
  /// - Throws: `AuthorityError` if there is none, or others can read its key.
  package init(in folder: String) throws(AuthorityError) {
    let path = Self.keyPath(in: folder)
    guard FileManager.default.fileExists(atPath: path) else { throw .none(folder: folder) }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0o777
    guard mode & 0o077 == 0 else { throw .readable(path: path, mode: mode) }
    key = try Self.loaded(path, of: folder, "private key") {
      try Certificate.PrivateKey(pemEncoded: $0)
    }
    certificate = try Self.loaded(Self.certificatePath(in: folder), of: folder, "certificate") {
      try Certificate(pemEncoded: $0)
    }
    guard certificate.publicKey == key.publicKey else {
      throw .unreadable(folder: folder, reason: "the key is not the certificate's")
    }
  }

  /// Reads a file of an authority, and decodes its text.
  private static func loaded<Value>(
    _ path: String, of folder: String, _ kind: String, _ decode: (String) throws -> Value
  ) throws(AuthorityError) -> Value {
    let text: String
    do {
      text = try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      throw .unreadable(folder: folder, reason: "\(path): \(sentence(of: error))")
    }
    do {
      return try decode(text)
    } catch {
      throw .unreadable(folder: folder, reason: "\(path) does not hold a \(kind) in PEM form")
    }
  }

  /// Creates a TLS context for the server of a domain, with a new certificate.
  ///
  /// - Parameter domain: The domain in ASCII, or an IP address.
  /// - Returns: The context, and the certificate in DER.
  package func context(
    for domain: String, at now: Date
  ) throws -> (context: NIOSSLContext, certificate: [UInt8]) {
    let own = Certificate.PrivateKey(P256.Signing.PrivateKey())
    let leaf = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: own.publicKey,
      notValidBefore: now - Self.slack, notValidAfter: now + Self.leafDays * Self.day,
      issuer: certificate.subject, subject: try DistinguishedName { CommonName(domain) },
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
        try ExtendedKeyUsage([.serverAuth])
        SubjectAlternativeNames([Self.name(domain)])
      }, issuerPrivateKey: key)
    let chain = try [leaf, certificate].map { try $0.serializeAsPEM().derBytes }
    let secret = try NIOSSLPrivateKey(
      bytes: Array(try own.serializeAsPEM().pemString.utf8), format: .pem)
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: try chain.map {
        .certificate(try NIOSSLCertificate(bytes: $0, format: .der))
      }, privateKey: .privateKey(secret))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["xmpp-client"]
    return (try NIOSSLContext(configuration: configuration), chain[0])
  }

  private static func name(_ domain: String) -> GeneralName {
    let numeric = domain.trimmingCharacters(in: ["[", "]"])
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, numeric, &four) == 1 {
      return .ipAddress(
        ASN1OctetString(contentBytes: withUnsafeBytes(of: &four) { Array($0) }[...]))
    }
    if inet_pton(AF_INET6, numeric, &six) == 1 {
      return .ipAddress(ASN1OctetString(contentBytes: withUnsafeBytes(of: &six) { Array($0) }[...]))
    }
    return .dnsName(domain)
  }

  /// Writes a new file.
  private static func write(_ text: String, to path: String, mode: mode_t) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, mode)
    guard descriptor >= 0 else {
      throw errno == EEXIST
        ? AuthorityError.exists(path: path)
        : .unmakeable("\(path): \(String(cString: strerror(errno)))")
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }
}

/// The reason why an authority cannot be created or loaded.
package enum AuthorityError: Error, Hashable, Sendable {
  case none(folder: String)
  case exists(path: String)
  /// Other users may read its key.
  case readable(path: String, mode: Int)
  case unreadable(folder: String, reason: String)
  case unmakeable(String)
}

extension AuthorityError: CustomStringConvertible {
  /// A sentence for the user, without a period.
  package var description: String {
    switch self {
    case .none(let folder):
      "there is no authority in \(folder): rollcall record --make-authority creates one"
    case .exists(let path): "\(path) exists already: an authority is created once"
    case .readable(let path, let mode):
      "\(path): others can read the key (mode \(String(mode, radix: 8))): chmod 600 fixes that,"
        + " but anyone who has read it can pose as any server to those who trust it"
    case .unreadable(let folder, let reason):
      "the authority in \(folder) cannot be used: \(reason)"
    case .unmakeable(let reason): "no authority can be created: \(reason)"
    }
  }
}
