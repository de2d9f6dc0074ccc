import Testing

/// The client against real servers.
///
/// The tests share a server of each kind, except those that stop it, and use accounts of their own.
@Suite(
  "Against real servers", .serialized, .sharedServers,
  .enabled(if: Servers.arePossible, "Prosody and ejabberd are needed"))
enum RealServerTests {}
