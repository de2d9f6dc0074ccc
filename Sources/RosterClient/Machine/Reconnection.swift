/// Decides when to try a lost connection again, and when to give up.
///
/// The delay grows until a session has lasted, with jitter so that a server's clients do not all
/// return at once.
package struct Reconnection: Hashable, Sendable {
  private var attempts = 0
  /// When the session began that is open.
  private var onlineSince: Int64?
  /// How the last logins ended, if that was soon, and how many have in a row.
  private var last: Ends?

  private struct Ends: Hashable {
    /// Without what differs from time to time.
    let failure: LiveFailure
    let count: Int
  }

  private static let longest: Int64 = 120_000
  /// How long a session has lasted that ends for a reason of its own, in milliseconds.
  package static let lasting: Int64 = 60_000
  /// So many logins that end soon in the same way show that the next one would.
  package static let logins = 3

  /// Before the first connection.
  package init() {}

  /// Whether another login would end as the last ones did.
  package var isHopeless: Bool { last.map { $0.count >= Self.logins } ?? false }

  /// How long to wait now, in milliseconds: about 1, 2, 4 … 120 s.
  ///
  /// - Parameter chance: From 0 up to 1; half of the time depends on it.
  package mutating func delay(_ chance: Double) -> Int64 {
    let whole = min(1000 << min(attempts, 16), Self.longest)
    attempts += 1
    return whole / 2 + Int64(Double(whole / 2) * chance)
  }

  /// There is a session, new or resumed.
  ///
  /// - Parameter time: Milliseconds since 1970.
  package mutating func wentOnline(at time: Int64) { onlineSince = time }

  /// A connection has ended.
  ///
  /// A connection on which the server did not let us in is no login, and changes nothing. One that
  /// ended for a reason of the network, or that lasted, begins the count anew.
  ///
  /// - Parameters:
  ///   - failure: Why; nil if both sides were done with it.
  ///   - wasLetIn: Whether the server had let us in.
  ///   - time: Milliseconds since 1970.
  package mutating func ended(_ failure: LiveFailure?, wasLetIn: Bool, at time: Int64) {
    let since = onlineSince.take()
    guard wasLetIn else { return }
    if let since, time - since >= Self.lasting { self = Reconnection() }
    guard let failure = failure?.kindOfStream else { return last = nil }
    let before = last.flatMap { $0.failure == failure ? $0.count : nil } ?? 0
    last = Ends(failure: failure, count: before + 1)
  }
}
