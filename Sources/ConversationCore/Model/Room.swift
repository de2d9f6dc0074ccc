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
  /// How often we asked to enter, or entered without a request in the log: the room answers each
  /// time with its history.
  var enterings = 0
  /// The present stays by nick.
  var stays: [ExactText: Stay] = [:]
  /// The streams of ours whose sessions are in the room, each of them the last one of its session.
  /// Those that were lost and may be resumed are among them, but do not make us joined.
  var streams: [StreamID] = []
  /// The stays of when the last session in the room was lost, which continue if it is resumed.
  var suspendedStays: [ExactText: Stay] = [:]

  /// The stays that were not seen to end before we left, by nick: those of who is there when we
  /// enter again may be the same.
  private(set) var hiddenLines: [ExactText: Int] = [:]

  /// A stay begins, as far as we see.
  ///
  /// - Parameter number: Its number.
  mutating func begin(_ number: Int, nick: ExactText, occupantID: ExactText?) -> Stay {
    let line = hiddenLines.removeValue(forKey: nick) ?? number
    let stay = Stay(number: number, line: line, occupantID: occupantID)
    stays[nick] = stay
    return stay
  }

  /// We have entered the room and know who is there: an occupant who comes later begins a stay.
  mutating func forgetHiddenStays() { hiddenLines = [:] }

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

  /// We leave the room: whether the stays of the others end is not seen from then on.
  mutating func leave() {
    hideStays()
    (isJoined, stays) = (false, [:])
  }

  /// The present stays and those of a lost session may continue unseen.
  mutating func hideStays() {
    for (nick, stay) in suspendedStays.merging(stays, uniquingKeysWith: { $1 }) {
      hiddenLines[nick] = stay.line
    }
  }

  struct Stay: Sendable {
    var number: Int
    /// The number of the first of the stays that may be one, because none of them was seen to end.
    var line: Int
    var occupantID: ExactText?
  }
}
