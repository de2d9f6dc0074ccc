/// The names in a server's certificate that XMPP goes by (RFC 9525 §6, RFC 6120 §13.7.1.2).
///
/// The common name is none of them: RFC 9525 §2 does away with it.
package struct CertificateNames: Hashable, Sendable {
  /// Each `dNSName`, perhaps with a wildcard.
  package var domains: [String] = []
  /// Each `SRVName` (RFC 4985), such as `_xmpp-client.example.test`: no proof of a domain, only
  /// told of.
  package var services: [String] = []
  /// Each `iPAddress`: 4 or 16 bytes.
  package var addresses: [[UInt8]] = []

  /// No name.
  package init() {}

  /// Whether one of the names is the domain's.
  ///
  /// A domain that is an address is matched by an `iPAddress` only, and any other domain by a
  /// `dNSName` only. An `SRVName` (RFC 6120 §13.7.1.2.1) is not enough: the name constraints of a
  /// chain are checked for `dNSName` but not for `SRVName`, so that an authority which may certify
  /// one domain could write the service of another into a certificate.
  ///
  /// - Parameter domain: The domain of the account, in ASCII, or an address as a domain is written
  ///   (RFC 7622 §3.2). One dot may follow it.
  package func belong(to domain: String) -> Bool {
    let domain = domain.hasSuffix(".") ? String(domain.dropLast()) : domain
    if let address = domain.addressBytes { return addresses.contains(address) }
    guard domain.isHostName else { return false }
    return domains.contains { Self.name($0, matches: domain) }
  }

  /// Whether a name of a certificate is that of a domain (RFC 9525 §6.3): a wildcard stands for
  /// one whole label, the first.
  private static func name(_ name: String, matches domain: String) -> Bool {
    let labels = name.lowercasedInASCII.split(separator: ".", omittingEmptySubsequences: false)
    let wanted = domain.lowercasedInASCII.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count == wanted.count else { return false }
    // Bytes, because texts that only look the same are not the same name.
    func same(_ some: ArraySlice<Substring>, _ others: ArraySlice<Substring>) -> Bool {
      some.elementsEqual(others) { $0.utf8.elementsEqual($1.utf8) }
    }
    guard labels.first == "*" else { return same(labels[...], wanted[...]) }
    return labels.count > 1 && same(labels.dropFirst(), wanted.dropFirst())
  }

  /// Why the certificate is not the domain's, in a clause that names what it is for.
  package func mismatch(with domain: String) -> String {
    let all = domains + services + addresses.compactMap(\.addressText)
    // The names are the server's words, and go to a terminal.
    let shown = all.filter { $0.count <= 253 && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
    guard let first = shown.first else { return "it names no domain, so it is not for \(domain)" }
    let others = all.count - 1
    let rest = others == 0 ? "" : " and \(others) other name\(others == 1 ? "" : "s")"
    return "it is for \(first)\(rest), not for \(domain)"
  }
}
