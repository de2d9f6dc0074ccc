import XMPPStanza

/// A room that we joined in this log, or that groupchat messages came from (rule 29).
package struct Room: Sendable {
  /// Our nick; nil if it is not known.
  package var nick: String?
  /// Our occupant id (XEP-0421).
  var occupantID: ExactText?
  package var subject: String?
  /// The time of the subject, and whether it was set by a live message.
  var subjectTime: Int64?
  var hasLiveSubject = false
  /// Whether we are in the room.
  var isJoined = false
  /// The nick that we asked to enter with, until the room answers.
  var requestedNick: String?
  /// The first join in this log.
  var firstJoin: RecordPosition?
  var joins = 0
  /// The present stays by nick.
  var stays: [ExactText: Stay] = [:]
  /// The streams of ours whose sessions are in the room, each of them the last one of its session.
  /// Those that were lost and may be resumed are among them, but do not make us joined.
  var streams: [StreamID] = []
  /// The stays of when the last session in the room was lost, which continue if it is resumed.
  var suspendedStays: [ExactText: Stay] = [:]

  /// The last session in the room is lost.
  mutating func suspend() {
    (isJoined, stays, suspendedStays) = (false, [:], stays)
  }

  /// A session of ours that is in the room continues on another stream, which takes its place.
  mutating func resume(_ stream: StreamID, on resumed: StreamID) {
    streams.removeAll { $0 == stream || $0 == resumed }
    streams.append(resumed)
    if !isJoined { (isJoined, stays) = (true, suspendedStays) }
    suspendedStays = [:]
  }

  struct Stay: Sendable {
    var number: Int
    var occupantID: ExactText?
  }
}
