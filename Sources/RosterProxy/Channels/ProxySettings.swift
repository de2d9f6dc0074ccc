import NIOCore
package import Rollcall
package import RosterClient
package import RosterCore
package import XMPPStanza

/// The settings of a proxy.
package struct ProxySettings: Sendable {
  /// The address that clients connect to; port 0 for any free one.
  package var listen: ServerAddress
  /// The server for every domain; nil to look it up in DNS.
  package var upstream: ServerAddress?
  /// The folder of the logs, created if it does not exist.
  package var folder: String
  /// The authority that signs the certificates presented to clients.
  package var authority: LocalAuthority
  /// A file of PEM certificates to trust in addition to the system's, such as for a private server.
  package var upstreamAuthority: String?
  /// Whether a client may send its password itself (PLAIN).
  package var allowsPlain = false
  /// Whether data is on disk before it is passed on.
  package var isDurable = false
  /// The secrets for logging in in the client's place, if the proxy does that.
  package var termination: TerminationSecrets?
  /// The limits for a stream.
  package var limits = SessionLimits()
  /// Milliseconds from the connection to the login.
  package var loginTimeout: Int64 = 60_000
  /// Milliseconds to connect to the server.
  package var connectTimeout: Int64 = 10_000
  /// Milliseconds to deliver the last data of a connection that ends.
  package var closeTimeout: Int64 = 5000
  /// Milliseconds after which an idle log is closed.
  package var idleLogTimeout: Int64 = 30_000

  package init(
    listen: ServerAddress, upstream: ServerAddress? = nil, folder: String,
    authority: LocalAuthority
  ) {
    (self.listen, self.upstream) = (listen, upstream)
    (self.folder, self.authority) = (folder, authority)
  }
}

extension ServerAddress {
  /// Whether only programs on this machine can connect to it.
  package var isLoopback: Bool {
    switch try? SocketAddress(ipAddress: host, port: port) {
    case .v4: host.hasPrefix("127.")
    case .v6: host == "::1"
    case .unixDomainSocket, nil: host == "localhost"
    }
  }
}

/// An event of a proxy, for its watcher. Connections are numbered in the order of their arrival.
package enum ProxyEvent: Sendable {
  case accepted(Int, from: String)
  /// The account of the connection is known, and with it the log.
  case bound(Int, BareJID, path: String)
  /// Findings in the recorded data; the account is nil while it is not known.
  case found(Int, BareJID?, [Finding])
  /// The server refused a login: the account's address as the client gave it, if it is known, and
  /// the path of the log that keeps the login, if one does.
  case loginRefused(Int, String?, ErrorReport, path: String?)
  /// The connection has ended.
  case over(Int, ProxyEnd)
}

/// What a proxy has done so far.
package struct ProxyCounts: Hashable, Sendable {
  /// The clients that are connected now, and in total.
  package var open = 0
  package var connections = 0
  /// The records written since the proxy began, and the findings in them.
  package var records = 0
  package var findings = 0
  /// The longest delay in the last two seconds before recorded data reached the disk, in
  /// milliseconds; nil unless the disk is slow.
  package var delay: Int64?
}
