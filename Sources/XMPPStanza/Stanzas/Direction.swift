/// The side of the stream an element came from, seen from the client.
public enum Direction: UInt8, Hashable, Sendable, CaseIterable {
  /// From the server.
  case inbound = 0
  /// To the server.
  case outbound = 1
}
