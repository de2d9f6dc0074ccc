/// The timeouts of a session, in milliseconds.
struct LivePatience: Hashable, Sendable {
  /// From the connection to the start of the session.
  var login: Int64 = 30_000
  /// For the connection itself.
  var connection: Int64 = 10_000
  /// For the answer to a request: the roster, a ping, a new password.
  var answer: Int64 = 60_000
  /// For the server to end its stream after we have ended ours.
  var closing: Int64 = 3_000
  /// Between two checks for overdue answers and silence.
  var beat: Int64 = 5_000
  /// The number of beats without a byte after which the server counts as silent.
  var silentBeats = 12
  /// A factor for the delays before reconnecting; tests shorten them.
  var reconnection = 1.0
}

public import Rollcall

/// Why the server's answer to a command is not known.
public enum LiveError: Error, Hashable, Sendable {
  /// The command makes no sense. Nothing was sent.
  case refusal(CommandRefusal)
  /// There is no session, or it was lost while the command waited for the roster. Nothing was sent.
  case failure(LiveFailure)
  /// The command was sent, and the wait for its answer has ended because the connection was lost or
  /// the task was cancelled. The server may have carried it out.
  ///
  /// `willBeSentAgain` says whether the server has yet to confirm that it received the command, so
  /// that the command is sent again if the session is resumed over another connection (XEP-0198
  /// §5). If the server begins a new session instead, nothing is sent again.
  case outcomeUnknown(willBeSentAgain: Bool)
}

extension LiveError: CustomStringConvertible {
  /// A sentence for a person.
  public var description: String {
    switch self {
    case .refusal(let refusal): "\(refusal)"
    case .failure(let failure): "\(failure)"
    case .outcomeUnknown(willBeSentAgain: true):
      "it is not known whether the server has carried this out; it is sent again if the session "
        + "is resumed"
    case .outcomeUnknown(willBeSentAgain: false):
      "it is not known whether the server has carried this out; it is not sent again"
    }
  }
}
