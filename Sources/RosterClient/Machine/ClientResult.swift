/// The result of an event that was reported to a client machine.
package enum ClientResult: Hashable, Sendable {
  /// The actions to take, in this order; empty if only the state has changed.
  case actions([ClientAction])
  /// Nothing is to be done, and the machine waits for the same as before.
  case ignored(Reason)
  /// The server, or an attacker in its place, broke the rules of the stream: the actions end it.
  case violation(LiveFailure, [ClientAction])

  /// Why an event has no effect.
  package enum Reason: Hashable, Sendable {
    /// The connection is over.
    case over
    /// Our side of the stream has ended, and only the end of the other one counts (RFC 6120 §4.4).
    case closing
    /// The event cannot happen in this state, so its report is late or a mistake of the caller.
    case outOfTurn
    /// There is no resource yet, so no stanza is sent or answered (RFC 6120 §7.1).
    case noSession
    /// An element of stream management (XEP-0198) that answers nothing that is open, or that comes
    /// while the two sides do not count.
    case notAsked
    /// An acknowledgement of nothing more than the last one: a further question would be answered
    /// in the same way, again and again.
    case nothingNew
    /// A stanza that the machine has no part in, or an element that it does not know.
    case leftToOwner
    /// An element over a limit after the login. The server may have it from anyone, and would send
    /// it again to each session that breaks off because of it.
    case tooLarge
  }

  /// The actions to take, in this order.
  package var actions: [ClientAction] {
    switch self {
    case .actions(let actions), .violation(_, let actions): actions
    case .ignored: []
    }
  }

  /// The result of an event that calls for other actions first.
  static func + (first: [ClientAction], rest: ClientResult) -> ClientResult {
    switch rest {
    case .actions(let actions): .actions(first + actions)
    case .ignored: .actions(first)
    case .violation(let failure, let actions): .violation(failure, first + actions)
    }
  }
}
