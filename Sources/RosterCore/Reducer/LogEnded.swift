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
    outcome(ending: roster, at: stamp, hasReceived: hasReceived).findings
  }

  /// Returns the findings about the end of a log, as `findings(ending:at:hasReceived:)` does, and
  /// the origins of earlier changes that only the end decides.
  package static func outcome(
    ending roster: Roster, at stamp: RecordStamp, hasReceived: Bool
  ) -> RosterOutcome {
    var roster = roster
    if hasReceived { roster.hasReceived = true }
    var outcome = Reduction.reduce(into: &roster, at: stamp, on: nil, reporting: .everything) {
      $0.logEnded()
    }
    outcome.findings.sort { $0.code.rawValue < $1.code.rawValue }
    return outcome
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
      reportAlteredSets(of: place)
      settleAwaitedPushes(of: place)
    }
    reportPutBacks()
    reportAbandoned()
    reportStreamErrors { _ in true }
    reportTallies()
    reportAcceptances()
    reportRemovals()
    reportLeavings()
    reportRequestsForRequests()
    reportRequestsAskedBack()
  }
}
