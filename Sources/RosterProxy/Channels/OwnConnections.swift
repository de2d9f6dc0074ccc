import NIOCore
import RosterClient

/// The connections of a proxy by their two ends, so that one that it makes to itself is recognized
/// at whichever end is seen first.
///
/// Both ends of a connection have to agree. The port alone does not say enough: the system gives
/// one to several connections at once if they lead to different places.
struct OwnConnections {
  /// The ends of a connection: who made it, and who took it.
  private struct Ends: Hashable {
    let from: ServerAddress
    let to: ServerAddress

    init?(from: SocketAddress?, to: SocketAddress?) {
      guard let from = from?.endpoint, let to = to?.endpoint else { return nil }
      (self.from, self.to) = (from, to)
    }
  }

  private var made: [Ends: Int] = [:]
  private var taken: [Ends: Int] = [:]
  private var ends: [Int: [Ends]] = [:]

  /// A client has connected.
  ///
  /// - Returns: The proxied connection that made this one in place of one to its server; nil if a
  ///   client made it.
  mutating func accepted(
    _ number: Int, from client: SocketAddress?, at listener: SocketAddress?
  ) -> Int? {
    guard let own = Ends(from: client, to: listener) else { return nil }
    taken[own] = number
    ends[number, default: []].append(own)
    return made[own]
  }

  /// A connection to a server was made.
  ///
  /// - Returns: The proxied connection that it arrived at, if this proxy took it; otherwise nil.
  mutating func connected(
    _ number: Int, from local: SocketAddress?, to server: SocketAddress?
  ) -> Int? {
    guard let own = Ends(from: local, to: server) else { return nil }
    made[own] = number
    ends[number, default: []].append(own)
    return taken[own]
  }

  /// A proxied connection is over, with both of its connections.
  mutating func ended(_ number: Int) {
    for own in ends.removeValue(forKey: number) ?? [] {
      if made[own] == number { made[own] = nil }
      if taken[own] == number { taken[own] = nil }
    }
  }
}
