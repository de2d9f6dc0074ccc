package import Foundation
import Rollcall
import SwiftASN1
import X509

extension CertificateFault {
  /// The first fault of a certificate whose chain was refused, in the order in which a person would
  /// look for it: its validity, its names, its purpose, and then who signed it.
  ///
  /// - Parameters:
  ///   - der: The server's certificate in DER (RFC 5280 §4.1); nil if it is not known.
  ///   - domain: The domain that it has to name, in ASCII.
  ///   - now: When it was refused.
  package init(ofRefused der: [UInt8]?, for domain: String, at now: Date) {
    guard let der else {
      self = .untrusted(issuer: nil)
      return
    }
    guard let certificate = try? Certificate(derEncoded: der),
      let names = try? CertificateNames(certificateDER: der)
    else {
      self = .unreadable
      return
    }
    if now > certificate.notValidAfter {
      self = .expired(at: certificate.notValidAfter.milliseconds)
    } else if now < certificate.notValidBefore {
      self = .notYetValid(before: certificate.notValidBefore.milliseconds)
    } else if !names.match(domain) {
      self = .otherNames(names.mismatch(with: domain))
    } else if !certificate.isForServers {
      self = .notForServers
    } else if certificate.issuer == certificate.subject {
      self = .selfSigned
    } else {
      self = .untrusted(issuer: certificate.issuer.name)
    }
  }
}

extension Certificate {
  /// Whether it names no purposes, or a server's among them (RFC 5280 §4.2.1.12).
  fileprivate var isForServers: Bool {
    guard let purposes = try? extensions.extendedKeyUsage else { return true }
    return purposes.contains(.serverAuth) || purposes.contains(.any)
  }
}

extension DistinguishedName {
  /// The common name, or otherwise the organization, shortened and safe to print; nil if there is
  /// neither. The server chose it.
  fileprivate var name: String? {
    let attributes = flatMap { Array($0) }
    let types: [ASN1ObjectIdentifier] = [
      .RDNAttributeType.commonName, .RDNAttributeType.organizationName,
    ]
    for type in types {
      if let found = attributes.first(where: { $0.type == type }) {
        return String("\(found.value)".visible.prefix(64))
      }
    }
    return nil
  }
}

extension Date {
  /// Milliseconds since 1970.
  fileprivate var milliseconds: Int64 { Int64(timeIntervalSince1970 * 1000) }
}
