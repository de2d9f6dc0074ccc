import NIOCore
import RosterClient

/// The connections of a proxy by their two ends, to detect a connection from the proxy to itself,
/// whichever end is seen first.
///
/// Both ends of a connection have to match. The port alone is not enough: the system may use one
/// port for several connections at once if they lead to different places.
struct OwnConnections {
  /// The two ends of a connection: the side that made it and the side that accepted it.
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
  /// - Returns: The proxied connection whose connection to its server arrived here; nil if a client
  ///   made this one.
  mutating func accepted(
    _ number: Int, from client: SocketAddress?, at listener: SocketAddress?
  ) -> Int? {
    guard let own = Ends(from: client, to: listener) else { return nil }
    taken[own] = number
    ends[number, default: []].append(own)
    return made[own]
  }

  /// The proxy has connected to a server.
  ///
  /// - Returns: The proxied connection that it arrived at, if this proxy accepted it; otherwise
  ///   nil.
  mutating func connected(
    _ number: Int, from local: SocketAddress?, to server: SocketAddress?
  ) -> Int? {
    guard let own = Ends(from: local, to: server) else { return nil }
    made[own] = number
    ends[number, default: []].append(own)
    return taken[own]
  }

  /// A proxied connection has ended on both sides.
  mutating func ended(_ number: Int) {
    for own in ends.removeValue(forKey: number) ?? [] {
      if made[own] == number { made[own] = nil }
      if taken[own] == number { taken[own] = nil }
    }
  }
}
