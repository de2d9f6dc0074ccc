/// How one server reaches another one on the loopback address.
struct ServerLink: Sendable {
  /// The port on which the server accepts the other one.
  let port: Int
  /// The other server's domain.
  let peer: String
  /// The port on which the other server accepts this one.
  let peerPort: Int

  /// A Prosody and an ejabberd, not yet started, that are linked without TLS, by dialback.
  static func servers() throws -> (prosody: Prosody, ejabberd: Ejabberd) {
    let ports = (try freePort(), try freePort())
    return (
      try Prosody(
        isQuiet: true, days: 2,
        link: ServerLink(port: ports.0, peer: Ejabberd.usualDomain, peerPort: ports.1)),
      try Ejabberd(
        isQuiet: true,
        link: ServerLink(port: ports.1, peer: Prosody.linkedDomain, peerPort: ports.0))
    )
  }
}
