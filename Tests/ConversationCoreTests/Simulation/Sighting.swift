@testable import ConversationCore

/// What a log shows of one stanza.
struct Sighting {
  var routes: Set<Route> = []
  /// Whether a device whose log it is wrote it.
  var isWritten = false
  /// Whether the server acknowledged it or showed it to us.
  var isAcknowledged = false
  /// Whether its connection was lost before anything showed that it arrived.
  var isUnconfirmed = false
  /// The archive ids that the log shows.
  var archiveIDs: Set<String> = []
  /// Whether an archive showed that it was retracted instead of what it said.
  var isBuried = false
  /// Whether an error says that it failed.
  var isFailed = false
  /// Whether it was written again on a later connection.
  var isResent = false
}

/// A span of time that a query of an archive covered completely.
struct CoveredSpan {
  var peer: Peer?
  var isRoom: Bool
  var start: Int64
  var end: Int64
  /// The number of lines before the answer.
  var answered: Int
}
