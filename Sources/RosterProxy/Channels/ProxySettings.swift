import NIOCore
package import Rollcall
package import RosterClient
package import RosterCore

/// What a proxy is to do.
package struct ProxySettings: Sendable {
  /// Where clients connect to; port 0 for any that is free.
  package var listen: ServerAddress
  /// The server of every domain; nil for the one that DNS names.
  package var upstream: ServerAddress?
  /// The folder of the logs, made where there is none.
  package var folder: String
  /// What vouches for the proxy to the clients.
  package var authority: LocalAuthority
  /// PEM certificates to trust beside the system's, as for a server of one's own.
  package var upstreamAuthority: String?
  /// Whether a client may send its password as it is.
  package var allowsPlain = false
  /// Whether what is passed on is on the disk first.
  package var isDurable = false
  /// Where the proxy logs in in the client's place, what with.
  package var termination: TerminationSecrets?
  /// What is too much of anything in a stream.
  package var limits = SessionLimits()
  /// Milliseconds from the connection to the login.
  package var loginPatience: Int64 = 60_000
  /// Milliseconds for the connection to the server.
  package var connectPatience: Int64 = 10_000
  /// Milliseconds for what was said last, where a connection ends.
  package var closePatience: Int64 = 5000
  /// Milliseconds that a log stays open in which nothing happens.
  package var logPatience: Int64 = 30_000

  package init(
    listen: ServerAddress, upstream: ServerAddress? = nil, folder: String,
    authority: LocalAuthority
  ) {
    (self.listen, self.upstream) = (listen, upstream)
    (self.folder, self.authority) = (folder, authority)
  }
}

extension ServerAddress {
  /// Whether only programs of this machine can connect there.
  package var isLoopback: Bool {
    switch try? SocketAddress(ipAddress: host, port: port) {
    case .v4: host.hasPrefix("127.")
    case .v6: host == "::1"
    case .unixDomainSocket, nil: host == "localhost"
    }
  }
}

/// What a proxy tells who watches it. Connections are numbered in the order in which they come.
package enum ProxyEvent: Sendable {
  case accepted(Int, from: String)
  /// It is known whose the connection is, and where it is recorded.
  case bound(Int, BareJID, path: String)
  /// What is odd in what was said, in whose roster; nil as long as that is not known.
  case found(Int, BareJID?, [Finding])
  /// What is passed on gets to the disk later than it should, by now after so many milliseconds.
  case late(Int64)
  /// It is over; nil where both sides were done with it.
  case over(Int, ProxyFailure?)
}

/// What a proxy has done so far.
package struct ProxyCounts: Hashable, Sendable {
  /// How many clients are connected, and how many have been.
  package var open = 0
  package var connections = 0
  /// How much was recorded since the proxy began, and how much is odd in it.
  package var records = 0
  package var findings = 0
  /// After how many milliseconds what was passed on lately was on the disk, where that is later
  /// than it should be.
  package var delay: Int64?
}
