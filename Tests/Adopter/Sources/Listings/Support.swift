import Rollcall

// What the listings of the documentation take as given: a socket, a clock, a table.

/// A connection to the server, TLS and all.
protocol Socket {
  /// What comes, in whatever pieces.
  var pieces: AsyncStream<[UInt8]> { get }
  func write(_ bytes: [UInt8])
}

/// Milliseconds since 1970.
func now() -> Int64 { 0 }

/// What shows the contacts.
@MainActor
protocol ContactsTable {
  func reload(_ screen: RosterSections)
  func apply(_ changes: SectionChanges, _ screen: RosterSections)
}
