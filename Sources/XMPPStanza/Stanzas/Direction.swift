/// The side that sent an element, from the client's point of view.
public enum Direction: UInt8, Hashable, Sendable, CaseIterable {
  /// From the server.
  case inbound = 0
  /// To the server.
  case outbound = 1
}
