import Foundation
import XMPPStanza

extension String {
  /// A prepared domain as DNS and certificates know it: each label in ASCII (RFC 5891 §4.4).
  package var inASCII: String {
    split(separator: ".", omittingEmptySubsequences: false).map(Punycode.asciiLabel)
      .joined(separator: ".")
  }

  /// Whether it is a name that a host can be looked up by: labels of letters, digits, hyphens and
  /// underscores, neither empty nor too long (RFC 1035 §2.3.4).
  package var isHostName: Bool {
    utf8.count <= 253
      && split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
        (1...63).contains(label.utf8.count) && label.utf8.allSatisfy(\.isOfHostName)
      }
  }

  /// The address that it is the literal of (RFC 6120 §3.2), without brackets; nil for a name.
  var addressLiteral: String? {
    if isAddress(AF_INET) || isAddress(AF_INET6) { return self }
    guard hasPrefix("["), hasSuffix("]") else { return nil }
    let inner = String(dropFirst().dropLast())
    return inner.isIPv6Address ? inner : nil
  }

  /// Whether it is an address of IPv6, perhaps with the zone that it is of (RFC 4007 §11).
  var isIPv6Address: Bool {
    let parts = split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    let hasZone =
      parts.count == 1 || (!parts[1].isEmpty && parts[1].utf8.allSatisfy(\.isOfHostName))
    return hasZone && String(parts[0]).isAddress(AF_INET6)
  }

  private func isAddress(_ family: Int32) -> Bool {
    // A C string ends at the first zero: what stands after it would not be looked at.
    var address = [UInt8](repeating: 0, count: 16)
    return !utf8.contains(0) && inet_pton(family, self, &address) == 1
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
