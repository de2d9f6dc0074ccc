// What is decided only when a log ends: what has been overdue by then, and what was counted.
extension RosterReducer {
  /// Returns what is odd about the end of a log, sorted by code: what was overdue by then, although
  /// no later event looked for it, and what nothing later can explain any more.
  ///
  /// That the log ends is itself not odd: what may still be answered in time is not reported.
  ///
  /// - Parameters:
  ///   - roster: The state after the last record, which stays as it is.
  ///   - stamp: The last record, whether or not it is an event.
  ///   - hasReceived: Whether any record came from the server, even one that is no event. If none
  ///     did, answers may be missing only from the log.
  package static func findings(
    ending roster: Roster, at stamp: RecordStamp, hasReceived: Bool
  ) -> [Finding] {
    var roster = roster
    if hasReceived { roster.hasReceived = true }
    let outcome = Reduction.reduce(into: &roster, at: stamp, on: nil, reporting: .everything) {
      $0.logEnded()
    }
    return outcome.findings.sorted { $0.code.rawValue < $1.code.rawValue }
  }
}

extension Roster {
  /// Whether the log has anything from the server, as far as events show it.
  package var hasReceivedEvents: Bool { hasReceived }
}

extension Reduction {
  mutating func logEnded() {
    reportOverdue()
    reportOverdueEditsOfLostSessions()
    // Sessions that ended before anything of the server was seen still have what waited in them.
    for place in roster.sessions.all.indices
    where !roster.sessions[place].isAlive && !roster.sessions[place].mayStillBeAnswered {
      abandonQueries(of: place)
      abandonEdits(of: place)
    }
    for place in roster.sessions.all.indices {
      reportPutBacks(of: place)
      reportAlteredSets(of: place)
      settleAwaitedPushes(of: place)
    }
    reportAbandoned()
    reportStreamErrors { _ in true }
    reportTallies()
    reportAcceptances()
    reportRequestsForRequests()
    reportRequestsAskedBack()
  }
}
