import Foundation
package import NIOSSL
import Rollcall

/// Reads the file with the certificates of the authorities that the user trusts.
package enum AuthorityFile {
  /// More than a list of all authorities needs.
  private static let byteLimit = 16 << 20

  /// The certificates in a file in PEM form; at least one.
  ///
  /// - Throws: `LiveFailure.authority` if the file cannot be read or has none.
  package static func certificates(at path: String) throws(LiveFailure) -> [NIOSSLCertificate] {
    let bytes: [UInt8]
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? file.close() }
      bytes = Array(try file.read(upToCount: byteLimit) ?? Data())
    } catch {
      throw .authority(path: path, reason: sentence(of: error))
    }
    if let fault = fault(in: bytes) { throw .authority(path: path, reason: fault) }
    do {
      return try NIOSSLCertificate.fromPEMBytes(bytes)
    } catch {
      throw .authority(path: path, reason: "a certificate in it cannot be decoded")
    }
  }

  /// Checks that a file has a certificate.
  ///
  /// - Throws: `LiveFailure.authority` if it cannot be read or has none.
  package static func verify(_ path: String) throws(LiveFailure) { _ = try certificates(at: path) }

  /// Why a file holds no certificate in PEM form (RFC 7468 §5), in a clause whose subject is the
  /// file; nil if it does.
  static func fault(in bytes: [UInt8]) -> String? {
    guard !bytes.isEmpty else { return "it is empty" }
    let text = String(decoding: bytes, as: UTF8.self)
    let labels = text.matches(of: /-----BEGIN ([A-Z0-9 ]{1,40})-----/).map(\.1)
    if labels.contains("CERTIFICATE") || labels.contains("X509 CERTIFICATE") { return nil }
    if let first = labels.first {
      return "it has no certificate in PEM form (it begins with “-----BEGIN \(first)-----”)"
    }
    // A certificate in DER begins with a sequence.
    return bytes.first == 0x30
      ? "it is in DER form: openssl x509 -inform der converts it to PEM"
      : "it has no certificate in PEM form"
  }
}
