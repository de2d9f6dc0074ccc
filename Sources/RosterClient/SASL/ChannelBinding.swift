import Foundation

/// What a client's messages say about the channel they are sent over (RFC 5802 §6).
package enum ChannelBinding: Hashable, Sendable {
  /// The client does not bind to the channel, whatever the server supports.
  case unused
  /// The client could bind to the channel but was offered no mechanism for it. This tells a server
  /// that did offer one that an attacker removed it.
  case notOffered
  /// The hash of the server's certificate.
  case serverEndPoint([UInt8])

  /// The name of the only type that is used (RFC 5929 §4.1).
  package static let serverEndPointType = "tls-server-end-point"

  /// The header of the first message, without an authorization identity.
  var header: String {
    switch self {
    case .unused: "n,,"
    case .notOffered: "y,,"
    case .serverEndPoint: "p=\(Self.serverEndPointType),,"
    }
  }

  /// The value of `c=` in the last message.
  var proof: String {
    var bytes = Data(header.utf8)
    if case .serverEndPoint(let hash) = self { bytes += hash }
    return bytes.base64EncodedString()
  }
}
