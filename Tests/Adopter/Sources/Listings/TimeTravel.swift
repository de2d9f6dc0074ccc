import Rollcall

func travel(in session: RosterSession, to bob: BareJID) throws {
  guard let timeline = try session.timeline() else { return }  // nil for a session in memory

  let yesterday = try timeline.state(at: .earlier(by: .seconds(86_400)))
  print(yesterday.roster.displayName(of: bob))

  for item in try timeline.diff(from: .head(minus: 100), to: .head).differences {
    print(item.difference.field, item.cause?.record ?? 0)
  }

  try timeline.history(of: bob) { entry, _ in
    for change in entry.changes { print("#\(change.record) \(change.clause)") }
  }

  let newest = try timeline.newestHistory(of: bob, limit: 20)
  for entry in newest { print(entry.moment.clause) }

  if let (explanation, _) = try timeline.explanation(of: bob) {
    print(explanation[.friend]?.reasons.map(\.sentence) ?? [])
  }

  let last = try timeline.record(at: .head)
  let lost = try timeline.first(after: 0, upTo: last) { state in
    RosterCondition.missing(bob).holds(in: state.roster, mayBePartial: false)
  }
  print(lost.transition)
}

func read(_ path: String) async throws {
  let timeline = try Timeline(ofLogAt: path)
  try timeline.replay { moment, roster in
    print(moment.stamp.record, moment.clause, roster.entries.count)
  }

  let findings = try await timeline.inBackground { try $0.findings() }
  print(findings.count)
}
