import XMPPStanza

/// Derives the state of an account from events, one at a time.
///
/// Total and deterministic: for every state and event there is a new state, and it depends on
/// nothing but the arguments. Nothing else changes a roster. Rules are numbered as in RFC 6121
/// unless another text is named.
public enum RosterReducer {
  /// The version of the reduction; kept states of another version must be derived anew.
  public static let version: UInt32 = 5

  /// What one event did.
  public struct Outcome: Hashable, Sendable {
    /// What changed, in the order it did.
    public internal(set) var changes: [RosterChange] = []
    /// What was odd.
    public internal(set) var findings: [Finding] = []

    /// Of a record that means nothing to the roster.
    package init() {}
  }

  /// Reduces one event into the state, in place.
  ///
  /// Complexity: O(1) amortised, but linear in the contacts for a result and where a session begins
  /// or ends.
  ///
  /// - Parameter connection: Which connection of the account it happened on.
  package static func reduce(
    _ roster: inout Roster, _ event: RosterEvent, at stamp: RecordStamp,
    on connection: ConnectionID = .first
  ) -> Outcome {
    Reduction.reduce(event, into: &roster, at: stamp, on: connection)
  }
}
