import Foundation

/// What a client's messages say of the channel that they go over (RFC 5802 §6).
package enum ChannelBinding: Hashable, Sendable {
  /// The client binds to no channel, whatever the server can.
  case unused
  /// The client could bind to the channel and saw no mechanism for it: a server that did offer one
  /// learns by this that somebody took it out.
  case notOffered
  /// The hash of the server's certificate.
  case serverEndPoint([UInt8])

  /// The name of the only type that is made use of (RFC 5929 §4.1).
  package static let serverEndPointType = "tls-server-end-point"

  /// The header of the first message; no identity to act as is given.
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
