/// The names in a server's certificate that XMPP checks (RFC 9525 §6, RFC 6120 §13.7.1.2).
///
/// The common name is not among them: RFC 9525 §2 rules it out.
package struct CertificateNames: Hashable, Sendable {
  /// Each `dNSName`, perhaps with a wildcard.
  package var domains: [String] = []
  /// Each `SRVName` (RFC 4985), such as `_xmpp-client.example.test`. Only shown in messages: it
  /// proves nothing about a domain.
  package var services: [String] = []
  /// Each `iPAddress`: 4 or 16 bytes.
  package var addresses: [[UInt8]] = []

  /// A certificate without names.
  package init() {}

  /// Whether one of the names is the domain's.
  ///
  /// Only an `iPAddress` matches a domain that is an address, and only a `dNSName` matches any
  /// other domain. An `SRVName` (RFC 6120 §13.7.1.2.1) is not enough: the name constraints of a
  /// chain are checked for `dNSName` but not for `SRVName`, so an authority that may certify one
  /// domain could put the service of another into a certificate.
  ///
  /// - Parameter domain: The domain of the account, in ASCII, or an address as written in a domain
  ///   (RFC 7622 §3.2). May end in one dot.
  package func match(_ domain: String) -> Bool {
    let domain = domain.hasSuffix(".") ? String(domain.dropLast()) : domain
    if let address = domain.addressBytes { return addresses.contains(address) }
    guard domain.isHostName else { return false }
    return domains.contains { Self.name($0, matches: domain) }
  }

  /// Whether a certificate's name matches a domain (RFC 9525 §6.3). A wildcard matches exactly one
  /// label, the first.
  private static func name(_ name: String, matches domain: String) -> Bool {
    let labels = name.lowercasedInASCII.split(separator: ".", omittingEmptySubsequences: false)
    let wanted = domain.lowercasedInASCII.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count == wanted.count else { return false }
    // Compared by bytes, because texts that only look the same are different names.
    func same(_ some: ArraySlice<Substring>, _ others: ArraySlice<Substring>) -> Bool {
      some.elementsEqual(others) { $0.utf8.elementsEqual($1.utf8) }
    }
    guard labels.first == "*" else { return same(labels[...], wanted[...]) }
    return labels.count > 1 && same(labels.dropFirst(), wanted.dropFirst())
  }

  /// A clause with the names that the certificate, its subject, has instead of the domain's.
  package func mismatch(with domain: String) -> String {
    let all = domains + services + addresses.compactMap(\.addressText)
    // The server chose these names, and they are printed to a terminal.
    let shown = all.filter { $0.count <= 253 && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
    guard let first = shown.first else { return "names no domain, so it is not for \(domain)" }
    let others = all.count - 1
    let rest = others == 0 ? "" : " and \(others) other name\(others == 1 ? "" : "s")"
    return "is for \(first)\(rest), not for \(domain)"
  }
}
