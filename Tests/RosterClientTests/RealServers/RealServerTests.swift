import Testing

/// A client against servers as people run them.
///
/// The tests share a server of each kind, but for those that end it, and have accounts of their
/// own.
@Suite(
  "Against real servers", .serialized, .sharedServers,
  .enabled(if: Servers.arePossible, "Prosody and ejabberd are needed"))
enum RealServerTests {}
