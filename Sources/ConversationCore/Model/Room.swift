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
  /// The stream of ours that entered the room, or that resumed the session that did.
  var stream: StreamID?
  /// The stays of when the session was lost, which continue if it is resumed.
  var suspendedStays: [ExactText: Stay] = [:]

  struct Stay: Sendable {
    var number: Int
    var occupantID: ExactText?
  }
}
