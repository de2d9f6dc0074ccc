/// The timeouts of a session, in milliseconds.
struct LiveTimeouts: Hashable, Sendable {
  /// From the connection to the start of the session.
  var login: Int64 = 30_000
  /// For the connection itself.
  var connection: Int64 = 10_000
  /// For the answer to a request: the roster, a ping, a new password.
  var answer: Int64 = 60_000
  /// Between two signs that an upload makes progress.
  var upload: Int64 = 30_000
  /// For the server to end its stream after we have ended ours.
  var closing: Int64 = 3_000
  /// Between two checks for overdue answers and silence.
  var beat: Int64 = 5_000
  /// The number of beats without a byte after which the server counts as silent.
  var silentBeats = 12
  /// The number of beats after which a request that the application leaves unanswered is refused.
  var answerBeats = 6
  /// A factor for the delays before reconnecting; tests shorten them.
  var reconnection = 1.0
}
