/// The number of an account's connection, to which a session belongs.
public struct ConnectionID: Hashable, Comparable, Sendable {
  /// Counted from 1, in the order in which a log names the connections.
  public let number: UInt32

  /// The only connection of a log that does not distinguish several.
  package static let first = ConnectionID(number: 1)

  /// The connection with a number.
  package init(number: UInt32) {
    self.number = number
  }

  /// Orders by number.
  public static func < (a: ConnectionID, b: ConnectionID) -> Bool { a.number < b.number }
}
