import Foundation
import XMPPStanza

extension String {
  /// A prepared domain in the form of DNS and certificates: each label in ASCII (RFC 5891 §4.4).
  package var inASCII: String {
    split(separator: ".", omittingEmptySubsequences: false).map(Punycode.asciiLabel)
      .joined(separator: ".")
  }

  /// Whether it is a valid host name: labels of letters, digits, hyphens and underscores, neither
  /// empty nor too long (RFC 1035 §2.3.4).
  package var isHostName: Bool {
    utf8.count <= 253
      && split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
        (1...63).contains(label.utf8.count) && label.utf8.allSatisfy(\.isOfHostName)
      }
  }

  /// The IP address that it denotes (RFC 6120 §3.2), without brackets; nil for a name.
  var addressLiteral: String? {
    if isAddress(AF_INET) || isAddress(AF_INET6) { return self }
    guard hasPrefix("["), hasSuffix("]") else { return nil }
    let inner = String(dropFirst().dropLast())
    return inner.isIPv6Address ? inner : nil
  }

  /// Whether it is an IPv6 address, perhaps with a zone (RFC 4007 §11).
  var isIPv6Address: Bool {
    let parts = split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    let hasZone =
      parts.count == 1 || (!parts[1].isEmpty && parts[1].utf8.allSatisfy(\.isOfHostName))
    return hasZone && String(parts[0]).isAddress(AF_INET6)
  }

  /// The bytes of the IP address that it denotes, as in certificates (RFC 5280 §4.2.1.6), without
  /// the zone; nil for a name.
  var addressBytes: [UInt8]? {
    guard let literal = addressLiteral else { return nil }
    let address = String(literal.prefix { $0 != "%" })
    return address.bytes(ofAddress: AF_INET).map { Array($0.prefix(4)) }
      ?? address.bytes(ofAddress: AF_INET6)
  }

  /// The text with ASCII capitals replaced by small letters.
  var lowercasedInASCII: String {
    String(
      decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  private func isAddress(_ family: Int32) -> Bool { bytes(ofAddress: family) != nil }

  /// The 16 bytes of an address, padded with zeros; nil if it is not of this family.
  private func bytes(ofAddress family: Int32) -> [UInt8]? {
    // A C string ends at the first zero: anything after it would not be checked.
    var address = [UInt8](repeating: 0, count: 16)
    return !utf8.contains(0) && inet_pton(family, self, &address) == 1 ? address : nil
  }
}

extension [UInt8] {
  /// An IP address in its usual notation; nil if it has neither 4 nor 16 bytes.
  var addressText: String? {
    guard count == 4 || count == 16 else { return nil }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, self, &text, socklen_t(text.count)) != nil else { return nil }
    return String(
      decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var isOfHostName: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
