import NIOCore
import RosterClient

extension SocketAddress {
  /// The IP address and port; nil for other kinds of address. An IPv4-mapped IPv6 address (RFC 4291
  /// §2.5.5.2) is given as IPv4.
  var endpoint: ServerAddress? {
    guard let ipAddress, let port else { return nil }
    let mapped = "::ffff:"
    let isMapped = ipAddress.hasPrefix(mapped) && ipAddress.contains(".")
    let host = isMapped ? String(ipAddress.dropFirst(mapped.count)) : ipAddress
    return ServerAddress(host: host, port: port, isDirectTLS: false)
  }
}
