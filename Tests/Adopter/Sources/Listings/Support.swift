import Rollcall

// What the listings of the documentation depend on: a socket, a clock, a table.

/// A connection to the server, including TLS.
protocol Socket {
  /// The incoming bytes, cut anywhere.
  var pieces: AsyncStream<[UInt8]> { get }
  func write(_ bytes: [UInt8])
}

/// Milliseconds since 1970.
func now() -> Int64 { 0 }

/// The view that shows the contacts.
@MainActor
protocol ContactsTable {
  func reload(_ screen: RosterSections)
  func apply(_ changes: SectionChanges, _ screen: RosterSections)
}
