/// How long a session waits for what, in milliseconds.
struct LivePatience: Hashable, Sendable {
  /// From the connection to the session.
  var login: Int64 = 30_000
  /// For the connection itself.
  var connection: Int64 = 10_000
  /// For the server's end of the stream after ours.
  var closing: Int64 = 3_000
  /// Between two looks at what is overdue.
  var beat: Int64 = 5_000
  /// How many beats without a byte are silence.
  var silentBeats = 12
  /// Of the time before a lost connection is tried again: 1 as it should be.
  var reconnection = 1.0
}

public import Rollcall

/// Why a command was not carried out.
public enum LiveError: Error, Hashable, Sendable {
  /// It makes no sense.
  case refusal(CommandRefusal)
  /// There is no session.
  case failure(LiveFailure)
}

extension LiveError: CustomStringConvertible {
  /// A sentence for a person.
  public var description: String {
    switch self {
    case .refusal(let refusal): "\(refusal)"
    case .failure(let failure): "\(failure)"
    }
  }
}
