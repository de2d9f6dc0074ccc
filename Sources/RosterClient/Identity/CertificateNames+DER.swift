import SwiftASN1
import X509

extension CertificateNames {
  /// The names in a certificate.
  ///
  /// - Parameter der: The certificate (RFC 5280 §4.1) in DER.
  /// - Throws: An error of X509 or SwiftASN1 if the bytes are not a certificate or its names are
  ///   malformed.
  package init(certificateDER der: [UInt8]) throws {
    self.init()
    let names = try Certificate(derEncoded: der).extensions.subjectAlternativeNames
    for name in names ?? SubjectAlternativeNames() {
      switch name {
      case .dnsName(let name): domains.append(name)
      case .ipAddress(let address): addresses.append(Array(address.bytes))
      case .otherName(let other):
        guard other.typeID == Self.serviceName, let value = other.value else { continue }
        services.append(String(try ASN1IA5String(asn1Any: value)))
      case .rfc822Name, .x400Address, .directoryName, .ediPartyName, .uniformResourceIdentifier,
        .registeredID:
        continue
      }
    }
  }

  /// `id-on-dnsSRV` (RFC 4985 §2).
  private static let serviceName: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 8, 7]
}
