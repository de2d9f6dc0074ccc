package import Rollcall
package import RosterClient

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
  /// What is too much of anything in a stream.
  package var limits = SessionLimits()
  /// Milliseconds from the connection to the login.
  package var loginPatience: Int64 = 60_000
  /// Milliseconds for the connection to the server.
  package var connectPatience: Int64 = 10_000

  package init(
    listen: ServerAddress, upstream: ServerAddress? = nil, folder: String,
    authority: LocalAuthority
  ) {
    (self.listen, self.upstream) = (listen, upstream)
    (self.folder, self.authority) = (folder, authority)
  }
}

/// What a proxy tells who watches it. Connections are numbered in the order in which they come.
package enum ProxyEvent: Sendable {
  case accepted(Int, from: String)
  /// It is known whose the connection is, and where it is recorded.
  case bound(Int, BareJID, path: String)
  /// What one part of a stream did, in whose roster; nil as long as that is not known.
  case step(Int, BareJID?, SessionStep)
  /// It is over; nil where both sides were done with it.
  case over(Int, ProxyFailure?)
}
