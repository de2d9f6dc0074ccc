package import Captures

// For who holds the stream itself, and so has taken its parts out of the bytes already.
extension RosterSession {
  /// Takes a part of what came from the server; otherwise as `received`.
  package func received(
    _ part: StreamIntake.Part, at time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    try take(part, .inbound, time)
  }

  /// Records what became of the connection.
  @discardableResult
  package func note(
    _ lifecycle: Lifecycle, at time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    try take(lifecycle, time)
  }
}
