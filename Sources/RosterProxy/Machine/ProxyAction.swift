package import Captures
package import Rollcall
package import RosterClient
package import XMPPStanza

/// One side of a proxied connection.
package enum ProxySide: Hashable, Sendable, CaseIterable {
  case client, server

  package var other: ProxySide { self == .client ? .server : .client }

  /// The direction of what this side sends, as the client sees it.
  package var direction: Direction { self == .client ? .outbound : .inbound }
}

/// An action for the owner of the two connections, to be carried out in the order given.
package enum ProxyAction: Hashable, Sendable {
  /// Connect to the server of this domain.
  case connect(domain: String)
  /// Write these bytes.
  case send(to: ProxySide, [UInt8])
  /// Record what this side sent.
  case record(StreamIntake.Part, from: ProxySide)
  /// Record an event of the connection to the server.
  case note(Lifecycle)
  /// Report that the server refused a login, and the name that the client had given with it.
  case reportRefusal(name: String?, ErrorReport)
  /// Use TLS from now on for what is read from this side and written to it: towards the server as a
  /// client that requires the domain's certificate, towards the client with a certificate for the
  /// domain.
  case beginTLS(on: ProxySide, domain: String)
  /// Derive the keys of a login, on another thread, and report them with `derived`.
  case derive(SCRAMDerivation)
  /// Close both connections once everything is written.
  case finish(ProxyEnd)
}
