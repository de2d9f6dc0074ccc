/// Decides when to try a lost connection again, and when to give up.
///
/// The delay grows until a session has lasted, with jitter so that a server's clients do not all
/// return at once.
package struct Reconnection: Hashable, Sendable {
  private var attempts = 0
  /// When the open session began.
  private var onlineSince: Int64?
  /// How the last logins ended, if soon, and how many in a row ended in that way.
  private var last: Ends?

  private struct Ends: Hashable {
    /// Without the counts and texts that can differ each time.
    let failure: LiveFailure
    let count: Int
  }

  private static let longest: Int64 = 120_000
  /// The duration in milliseconds from which a session counts as one that lasted.
  package static let lasting: Int64 = 60_000
  /// The number of logins ending soon in the same way after which the next is not tried.
  package static let logins = 3

  /// Before the first connection.
  package init() {}

  /// Whether another login would end as the last ones did.
  package var isHopeless: Bool { last.map { $0.count >= Self.logins } ?? false }

  /// The time to wait now, in milliseconds: about 1, 2, 4 … 120 s.
  ///
  /// - Parameter chance: From 0 up to 1; half of the time depends on it.
  package mutating func delay(_ chance: Double) -> Int64 {
    let whole = min(1000 << min(attempts, 16), Self.longest)
    attempts += 1
    return whole / 2 + Int64(Double(whole / 2) * chance)
  }

  /// A session has begun or was resumed.
  ///
  /// - Parameter time: Milliseconds since 1970.
  package mutating func wentOnline(at time: Int64) { onlineSince = time }

  /// A connection has ended.
  ///
  /// A connection without an accepted login changes nothing. One that lasted, or ended because of
  /// the network, resets the count.
  ///
  /// - Parameters:
  ///   - failure: The reason; nil if both sides ended in order.
  ///   - wasLetIn: Whether the server had accepted the login.
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
