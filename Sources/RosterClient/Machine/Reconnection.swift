/// When a connection that was lost is tried again: later each time, and not all clients of a server
/// at once.
package struct Reconnection: Hashable, Sendable {
  private var attempts = 0
  private static let longest: Int64 = 120_000

  /// After a session.
  package init() {}

  /// How long to wait now, in milliseconds: about 1, 2, 4 … 120 s.
  ///
  /// - Parameter chance: From 0 up to 1; half of the time depends on it.
  package mutating func delay(_ chance: Double) -> Int64 {
    let whole = min(1000 << min(attempts, 16), Self.longest)
    attempts += 1
    return whole / 2 + Int64(Double(whole / 2) * chance)
  }
}
