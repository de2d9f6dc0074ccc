package import RosterCore

/// The names that a person knows the connections of a log by.
package struct ConnectionNames: Hashable, Sendable {
  private let names: [UInt32: String]

  /// - Parameter names: What the log calls the connections, by number.
  package init(_ names: [UInt32: String] = [:]) {
    self.names = names
  }

  /// Whether the log has several connections, so that each record has to name its own.
  package func areNeeded(for connection: ConnectionID, _ roster: Roster) -> Bool {
    areNeeded(for: connection) || roster.connections.count > 1
  }

  /// Whether the names alone show that the log has several connections.
  func areNeeded(for connection: ConnectionID) -> Bool {
    names.count > 1 || connection != .first
  }

  /// The resource, or else the source's name, or else the number.
  package func label(_ connection: ConnectionID, resource: String?) -> String {
    resource ?? names[connection.number] ?? "connection \(connection.number)"
  }

  /// Who caused a change, as the object of a sentence: the device if there are several.
  package func agent(of origin: ChangeOrigin, _ roster: Roster) -> String {
    areNeeded(for: origin.connection, roster)
      ? label(origin.connection, resource: origin.device) : "us"
  }
}
