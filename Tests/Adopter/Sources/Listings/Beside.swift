import Rollcall

final class FlightRecorder {
  private let session: RosterSession

  init(recordingTo path: String) throws { session = try RosterSession(recordingTo: path) }

  /// A stanza as the library logs it.
  func heard(_ xml: String, isOutgoing: Bool) throws {
    let time = now()
    if isOutgoing {
      try session.sent(xml.utf8, at: time)
    } else {
      try session.received(xml.utf8, at: time)
    }
  }

  func lostConnection() throws { try session.closed(at: now()) }
}

func newest(of bob: BareJID, ofLogAt path: String) throws -> (Roster, [HistoryEntry]) {
  let timeline = try Timeline(ofLogAt: path)
  let roster = try timeline.state(at: .head).roster
  let newest = try timeline.newestHistory(of: bob, limit: 20)
  return (roster, newest)
}
